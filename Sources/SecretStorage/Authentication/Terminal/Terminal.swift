import CLibrary
import StorageInternals

struct Terminal: ~Copyable {
  let descriptor: Int32

  init() throws(SecretStoreError) {
    // Without blocking: a key that causes a signal discards input that `poll` has just reported,
    // and a read would then wait for the next key.
    descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw .unavailable(
        """
        There is no terminal to ask on: \(errorMessage(errno)). Start the \
        program on a terminal, or use another conversation for the authenticator.
        """)
    }
  }

  deinit {
    close(descriptor)
  }

  /// The path of the terminal, such as `/dev/pts/3`; nil if no standard stream is connected to it.
  static var path: String? {
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where tcgetsid(descriptor) == getsid(0) {
      var path = [CChar](repeating: 0, count: Int(PATH_MAX))
      if unsafe ttyname_r(descriptor, &path, path.count) == 0 {
        let bytes = path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return String(decoding: bytes, as: UTF8.self)
      }
    }
    return nil
  }

  func show(_ text: String) throws(SecretStoreError) {
    var rest = ArraySlice(text.sanitized(keeping: ["\n", "\t"]).utf8)
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest.removeFirst(count)
      } else if errno == EAGAIN {
        // The user has stopped the output, or it is slow.
        var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        if unsafe poll(&output, 1, -1) < 0, errno != EINTR { throw failure }
      } else if errno != EINTR {
        throw failure
      }
    }
  }

  var settings: termios {
    get throws(SecretStoreError) {
      var settings = termios()
      guard unsafe tcgetattr(descriptor, &settings) == 0 else { throw failure }
      return settings
    }
  }

  func change(_ settings: termios, _ when: Int32) throws(SecretStoreError) {
    var settings = settings
    while unsafe tcsetattr(descriptor, when, &settings) != 0 {
      if errno != EINTR { throw failure }
    }
  }

  var isInForeground: Bool { tcgetpgrp(descriptor) == getpgrp() }

  /// Stops the process until it is in the foreground; throws if it ignores SIGTTOU.
  func waitForForeground() throws(SecretStoreError) {
    // Draining stops a background process, as a change of the settings would.
    while tcdrain(descriptor) != 0 {
      if errno != EINTR { throw failure }
    }
    if !isInForeground {
      throw .unavailable("The process is in the background, where it cannot ask questions.")
    }
  }

  var failure: SecretStoreError {
    .unavailable("The terminal cannot be used: \(errorMessage(errno)).")
  }
}

extension termios {
  /// A copy in which input is neither shown nor edited, and is available immediately.
  var hidden: termios {
    var settings = self
    settings.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
    // Regardless of the app's settings, the user can end the line or cancel.
    settings.c_lflag |= tcflag_t(ISIG)
    settings.c_iflag |= tcflag_t(ICRNL)
    settings.c_iflag &= ~tcflag_t(INLCR | IGNCR)
    unsafe withUnsafeMutableBytes(of: &settings.c_cc) { keys in
      unsafe keys[Int(VMIN)] = 1
      unsafe keys[Int(VTIME)] = 0
    }
    return settings
  }

  func hasFlags(of other: termios) -> Bool {
    (c_iflag, c_oflag, c_cflag, c_lflag)
      == (other.c_iflag, other.c_oflag, other.c_cflag, other.c_lflag)
  }
}

extension TypedLine.Keys {
  init(of settings: termios) {
    let keys = unsafe withUnsafeBytes(of: settings.c_cc) { unsafe Array($0) }
    self.init(
      erase: keys[Int(VERASE)], eraseWord: keys[Int(VWERASE)], eraseLine: keys[Int(VKILL)],
      end: keys[Int(VEOF)], literal: keys[Int(VLNEXT)],
      erasesCharacters: settings.c_iflag & tcflag_t(IUTF8) != 0)
  }
}

extension String {
  /// A copy with U+FFFD in place of characters that could manipulate a terminal's output, as those
  /// of a file's name may.
  func sanitized(keeping allowed: Set<Unicode.Scalar> = []) -> String {
    let scalars = unicodeScalars.map { $0.isUnsafe && !allowed.contains($0) ? "\u{FFFD}" : $0 }
    return String(String.UnicodeScalarView(scalars))
  }
}

extension Unicode.Scalar {
  fileprivate var isUnsafe: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    case .format: properties.isBidiControl
    default: false
    }
  }
}
