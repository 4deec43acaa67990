import SecretStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The terminal that the program was started on, whatever its input and output are connected to.
struct Terminal: ~Copyable {
  /// Of a longer line, the kernel drops the rest without a word.
  private static let lineLimit = 4094

  private let descriptor: Int32

  /// Opens the terminal; nil when there is none, as under cron.
  init?() {
    // The path is a constant.
    let descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Asks for a line that does not show while it is typed.
  ///
  /// Ctrl-C, SIGTERM and their like end the process, and Ctrl-Z stops it, as they would anywhere,
  /// but the terminal shows again what is typed before they do. A process that was stopped asks again
  /// when it goes on.
  func ask(_ prompt: String) throws(Failure) -> Secret {
    var before: termios?
    while true {
      switch try readHidden(prompt, &before) {
      case .line(let secret): return secret
      // The process has ended then, or was stopped and goes on here.
      case .signal(let number): HeldSignals.takeEffect(number)
      }
    }
  }

  /// Asks for something new twice, because a slip of the fingers could not be seen.
  func askTwice(_ prompt: String) throws(Failure) -> Secret {
    let first = try ask(prompt)
    if first.count == 0 { throw Failure("Nothing was typed, and nothing was changed.") }
    if try ask("The same again: ") != first {
      throw Failure("The two differ. Nothing was changed; try again.")
    }
    return first
  }

  private enum Answer {
    case line(Secret)
    case signal(Int32)
  }

  /// Reads a line, or waits for a signal that is to have its effect.
  ///
  /// The settings that come back in the end are nil at the first attempt.
  private func readHidden(_ prompt: String, _ before: inout termios?) throws(Failure) -> Answer {
    // Nothing else tells of a stop by SIGSTOP, after which a shell lets the terminal show typing.
    let signals = try HeldSignals(and: [SIGCONT])
    while true {
      var shown = termios()
      // Here and below, the settings are variables of this call, which the kernel copies.
      guard unsafe tcgetattr(descriptor, &shown) == 0 else { throw failure }
      // After a stop, those of the attempt before may still be in place.
      if let before, before.hidden.c_lflag == shown.c_lflag { shown = before }
      var hidden = shown.hidden
      // What was typed before could be seen, so it is thrown away.
      if unsafe tcsetattr(descriptor, TCSAFLUSH, &hidden) != 0 {
        // From the background, the attempt ends in a signal that stops the process.
        if errno == EINTR, let number = signals.next() { return .signal(number) }
        throw failure
      }
      before = shown
      var isContinued = false
      defer { restore(shown, isContinued: isContinued) }
      guard write(prompt) else { throw failure }
      let answer = try readLine(signals)
      guard case .signal(SIGCONT) = answer else { return answer }
      isContinued = true
    }
  }

  private func restore(_ shown: termios, isContinued: Bool) {
    // In the background, the terminal has the settings of another process.
    guard tcgetpgrp(descriptor) == getpgrp() else { return }
    // The newline that was typed did not show either. A terminal that is closed needs neither.
    defer { _ = write("\n") }
    // The next attempt hides the terminal again, without showing anything in between.
    if isContinued { return }
    var shown = shown
    unsafe tcsetattr(descriptor, TCSADRAIN, &shown)
  }

  private func readLine(_ signals: borrowing HeldSignals) throws(Failure) -> Answer {
    var count = 0
    var interruption: Int32?
    let line = unsafe try Secret(count: Self.lineLimit + 2) { buffer throws(Failure) in
      while interruption == nil {
        try waitForInput(signals)
        interruption = signals.next()
        if interruption != nil { return }
        // The buffer is used inside of the closure alone.
        let got = unsafe read(descriptor, buffer.baseAddress! + count, buffer.count - count)
        if got < 0 {
          if errno == EINTR { continue }
          throw failure
        }
        if got == 0 && count == 0 { throw Failure("Nothing was typed, and nothing was changed.") }
        count += got
        if unsafe got == 0 || buffer[count - 1] == UInt8(ascii: "\n") { return }
        if count > Self.lineLimit { break }
      }
    }
    if let interruption { return .signal(interruption) }
    let typed = line.prefix(count).withoutNewline
    if typed.count >= Self.lineLimit {
      throw Failure(
        """
        A terminal takes no line of more than \(Self.lineLimit) bytes. Give what is longer on \
        standard input or in a file.
        """)
    }
    return .line(typed)
  }

  /// Waits until there is a line or a signal.
  private func waitForInput(_ signals: borrowing HeldSignals) throws(Failure) {
    var waiting = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: signals.reader, events: Int16(POLLIN), revents: 0),
    ]
    // The kernel writes into the array, which outlives the call.
    while unsafe poll(&waiting, nfds_t(waiting.count), -1) < 0 {
      if errno != EINTR { throw failure }
    }
  }

  private func write(_ text: String) -> Bool {
    var text = text
    // The bytes are used inside of the closure alone.
    return text.withUTF8 { bytes in
      #if canImport(Glibc)
        unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count) == bytes.count
      #else
        unsafe Musl.write(descriptor, bytes.baseAddress, bytes.count) == bytes.count
      #endif
    }
  }

  private var failure: Failure { Failure("The terminal cannot be used: \(SystemCall.reason).") }
}

extension termios {
  /// The same, but what is typed does not show.
  fileprivate var hidden: termios {
    var settings = self
    settings.c_lflag &= ~tcflag_t(ECHO | ECHONL)
    return settings
  }
}
