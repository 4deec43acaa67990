import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The terminal that the process was started on, whatever its input and output are connected to.
struct Terminal: ~Copyable {
  let descriptor: Int32

  init() throws(SecretStoreError) {
    // The path is a constant.
    descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .unavailable(
        """
        There is no terminal to ask on: \(SystemError.message(for: errno)). Start the program on one, \
        or give its authenticator another conversation.
        """)
    }
  }

  deinit {
    close(descriptor)
  }

  /// The path of the terminal, such as `/dev/pts/3`; nil where neither standard input nor output
  /// nor error is connected to it.
  static var path: String? {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where tcgetsid(descriptor) == getsid(0) {
      var path = [CChar](repeating: 0, count: Int(PATH_MAX))
      // The C library writes at most as much as it is told, with a zero byte at the end.
      if unsafe ttyname_r(descriptor, &path, path.count) == 0 {
        let bytes = path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return String(decoding: bytes, as: UTF8.self)
      }
    }
    return nil
  }

  /// Shows text, in which control characters have no effect.
  func show(_ text: String) throws(SecretStoreError) {
    var rest = ArraySlice(text.harmless(keeping: ["\n", "\t"]).utf8)
    while !rest.isEmpty {
      // The bytes are used inside of the closure alone.
      let count = unsafe rest.withUnsafeBytes { unsafe writeBytes(descriptor, $0) }
      if count >= 0 {
        rest.removeFirst(count)
      } else if errno != EINTR {
        throw failure
      }
    }
  }

  var settings: termios {
    get throws(SecretStoreError) {
      var settings = termios()
      // The kernel fills the structure.
      guard unsafe tcgetattr(descriptor, &settings) == 0 else { throw failure }
      return settings
    }
  }

  func change(_ settings: termios, _ when: Int32) throws(SecretStoreError) {
    var settings = settings
    // The kernel copies the structure.
    while unsafe tcsetattr(descriptor, when, &settings) != 0 {
      if errno != EINTR { throw failure }
    }
  }

  /// Whether the process is the one that the keys go to.
  var isInForeground: Bool { tcgetpgrp(descriptor) == getpgrp() }

  /// Stops a process in the background until it is in the foreground.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` where it is never stopped, as when it ignores
  ///   SIGTTOU.
  func waitForForeground() throws(SecretStoreError) {
    // The call changes nothing, but the kernel treats it like one that does.
    while tcdrain(descriptor) != 0 {
      if errno != EINTR { throw failure }
    }
    if !isInForeground {
      throw .unavailable("The process is in the background of its terminal, where it cannot ask.")
    }
  }

  var failure: SecretStoreError {
    .unavailable("The terminal cannot be used: \(SystemError.message(for: errno)).")
  }
}

/// `write`, which means another function inside of a type that has one.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  unsafe write(descriptor, bytes.baseAddress, bytes.count)
}
