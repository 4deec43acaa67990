import CLibrary
import StorageInternals

/// The controlling terminal of the process, open for one message or question.
struct Terminal: ~Copyable {
  let descriptor: Int32

  init() throws(SecretStoreError) {
    // Reads must not block: a key that causes a signal discards input that `poll` has just
    // reported, and a blocking read would then wait for the next key.
    descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw .unavailable(
        """
        There is no terminal to ask on: \(errorMessage(errno)). Start the \
        program on a terminal, or use another conversation for the authenticator.
        """)
    }
  }

  deinit { close(descriptor) }

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

  /// Writes a text, with U+FFFD in place of control characters other than line feeds and tabs.
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

  /// Changes the settings at a time such as TCSADRAIN or TCSAFLUSH.
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

  /// The maximum length of a visible answer, in bytes: a longer line may be incomplete, because the
  /// kernel truncates a line that the terminal edits to 4,094 bytes without the newline.
  private static let visibleLimit = 4093

  private enum Answer: Equatable {
    case line(Secret)
    /// A signal with this number arrived.
    case signal(Int32)
  }

  /// Asks a question, and returns the answer; throws `cancelled` if the descriptor `cancellation`
  /// becomes readable before.
  ///
  /// A signal takes effect after the terminal is restored; a suspension repeats the question.
  func ask(
    _ question: AuthenticationQuestion, cancellation: Int32
  ) throws(SecretStoreError) -> Secret {
    // Dispatch's threads block these signals. The first two stop a background process before it
    // changes the settings of a terminal that another process is using.
    try ThreadSignals.unblocking([SIGTTIN, SIGTTOU, SIGCONT]) { () throws(SecretStoreError) in
      var original: termios?
      while true {
        switch try attempt(question, cancellation, &original) {
        case .line(let secret): return secret
        case .signal(let number):
          DeferredSignals.deliver(number)
          if number != SIGTSTP && number != SIGTTIN { throw .cancelled }
        }
      }
    }
  }

  /// Asks once; the first attempt sets `original` to the terminal settings to restore.
  private func attempt(
    _ question: AuthenticationQuestion, _ cancellation: Int32, _ original: inout termios?
  ) throws(SecretStoreError) -> Answer {
    // Signals are not deferred during this wait.
    try waitForForeground()
    let signals = try DeferredSignals()
    defer { signals.restore() }
    while true {
      let current = try settings
      // After a stop, input may still be hidden.
      let restored =
        if let original, original.hidden.hasFlags(of: current) { original } else { current }
      original = restored
      var answer: Answer?
      defer { restore(restored, wasHidden: question.isHidden, after: answer) }
      if question.isHidden {
        // Discard earlier input, which was visible.
        try change(restored.hidden, TCSAFLUSH)
      }
      try show(question.text)
      let given = try read(
        // The terminal itself edits visible input.
        TypedLine(editedBy: question.isHidden ? restored : termios()),
        limit: question.isHidden ? TypedLine.limit : Self.visibleLimit, signals, cancellation)
      answer = given
      if given != .signal(SIGCONT) { return given }
      signals.deliverContinuation()
      if !isInForeground { return .signal(SIGTTIN) }
    }
  }

  /// Restores the settings, and ends the line of the question; `answer` is nil after an error.
  private func restore(_ original: termios, wasHidden: Bool, after answer: Answer?) {
    let isLine = if case .line = answer { true } else { false }
    // While this process is in the background, the settings belong to another process.
    guard isInForeground else { return }
    do throws(SecretStoreError) {
      // After a stop, input stays hidden until the question is asked again.
      if !wasHidden || answer != .signal(SIGCONT) {
        // An incomplete answer must not become input of another process.
        try change(original, isLine ? TCSADRAIN : TCSAFLUSH)
      }
      // The newline at the end of a hidden answer was not shown either.
      if wasHidden || !isLine { try show("\n") }
    } catch {
      // The terminal was closed, so there are no settings to restore.
    }
  }

  /// Reads a line until it ends or a signal arrives; throws `cancelled` if the input ends or the
  /// descriptor `cancellation` becomes readable, and `invalid` if the line exceeds the limit.
  private func read(
    _ line: TypedLine, limit: Int, _ signals: DeferredSignals, _ cancellation: Int32
  ) throws(SecretStoreError) -> Answer {
    var line = line
    var signal: Int32?
    let typed = unsafe try Secret(count: TypedLine.limit + 1) { buffer throws(SecretStoreError) in
      var progress = TypedLine.Progress.incomplete
      while progress == .incomplete, signal == nil {
        let hasInput = try waitForInput([signals.descriptor, cancellation])
        if let number = signals.next() {
          signal = number
        } else if !hasInput {
          throw .cancelled
        } else if !isInForeground {
          signal = SIGTTIN
        } else {
          // Reading single bytes leaves the input after the line unread.
          let count = unsafe CLibrary.read(descriptor, buffer.baseAddress! + line.count, 1)
          if count < 0, errno != EINTR, errno != EAGAIN { throw failure }
          if count >= 0 { progress = count == 0 ? line.end() : unsafe line.processByte(buffer) }
        }
      }
      if progress == .endOfInput { throw .cancelled }
    }
    if let signal { return .signal(signal) }
    if line.isTooLong || line.count > limit {
      throw .invalid("On a terminal, the answer to this question must not exceed \(limit) bytes")
    }
    return .line(typed.slice(..<line.count))
  }

  /// Waits until the terminal or another descriptor is readable; returns whether no other one is.
  private func waitForInput(_ others: [Int32]) throws(SecretStoreError) -> Bool {
    var descriptors = ([descriptor] + others).map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    while unsafe poll(&descriptors, nfds_t(descriptors.count), -1) < 0 {
      if errno != EINTR { throw failure }
    }
    return descriptors[1...].allSatisfy { $0.revents == 0 }
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

  /// Returns whether the flags, but not necessarily the keys, equal those of other settings.
  func hasFlags(of other: termios) -> Bool {
    (c_iflag, c_oflag, c_cflag, c_lflag)
      == (other.c_iflag, other.c_oflag, other.c_cflag, other.c_lflag)
  }
}

extension String {
  /// Returns a copy of untrusted text with U+FFFD for characters that could manipulate a terminal.
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
