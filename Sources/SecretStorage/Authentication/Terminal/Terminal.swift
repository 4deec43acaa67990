import CLibrary
import StorageInternals

/// The controlling terminal of the process, regardless of its standard input and output.
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

  /// The path of the terminal, such as `/dev/pts/3`; nil if none of standard input, output and
  /// error is connected to it.
  static var path: String? {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where tcgetsid(descriptor) == getsid(0) {
      var path = [CChar](repeating: 0, count: Int(PATH_MAX))
      // The C library writes at most as many bytes as given, with a zero byte at the end.
      if unsafe ttyname_r(descriptor, &path, path.count) == 0 {
        let bytes = path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return String(decoding: bytes, as: UTF8.self)
      }
    }
    return nil
  }

  /// Shows text, with control characters made harmless.
  func show(_ text: String) throws(SecretStoreError) {
    var rest = ArraySlice(text.harmless(keeping: ["\n", "\t"]).utf8)
    while !rest.isEmpty {
      // The bytes are used only inside the closure.
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

  /// Whether the process is in the foreground, so that it receives the keys.
  var isInForeground: Bool { tcgetpgrp(descriptor) == getpgrp() }

  /// Stops a process in the background until it is in the foreground.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` if it is not stopped, as when it ignores
  ///   SIGTTOU.
  func waitForForeground() throws(SecretStoreError) {
    // The call changes nothing, but the kernel treats it like a change of settings.
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

/// Calls `write`, a name that members hide inside the type.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  unsafe write(descriptor, bytes.baseAddress, bytes.count)
}

extension termios {
  /// A copy of the settings with which keys are neither shown nor edited, and are read one by one.
  var hidden: termios {
    var settings = self
    settings.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
    // Regardless of the app's settings, the person can end a line and give up.
    settings.c_lflag |= tcflag_t(ISIG)
    settings.c_iflag |= tcflag_t(ICRNL)
    settings.c_iflag &= ~tcflag_t(INLCR | IGNCR)
    unsafe withUnsafeMutableBytes(of: &settings.c_cc) { keys in
      unsafe keys[Int(VMIN)] = 1
      unsafe keys[Int(VTIME)] = 0
    }
    return settings
  }

  /// Returns whether all modes of the terminal are the same as in other settings.
  func hasFlags(of other: termios) -> Bool {
    (c_iflag, c_oflag, c_cflag, c_lflag)
      == (other.c_iflag, other.c_oflag, other.c_cflag, other.c_lflag)
  }
}

extension TypedLine.Keys {
  /// Reads the editing keys from the settings of a terminal.
  init(of settings: termios) {
    // The array is created inside the closure.
    let keys = unsafe withUnsafeBytes(of: settings.c_cc) { unsafe Array($0) }
    self.init(
      erase: keys[Int(VERASE)], eraseWord: keys[Int(VWERASE)], eraseLine: keys[Int(VKILL)],
      end: keys[Int(VEOF)], literal: keys[Int(VLNEXT)],
      erasesCharacters: settings.c_iflag & tcflag_t(IUTF8) != 0)
  }
}
