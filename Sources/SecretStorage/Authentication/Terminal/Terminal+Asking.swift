import CLibrary

extension Terminal {
  /// The maximum length, in bytes, to which the kernel truncates a line that the terminal edits.
  private static let visibleLimit = 4094

  private enum Answer: Equatable {
    case line(Secret)
    /// The task was cancelled, or the input ended.
    case none
    case signal(Int32)

    var isLine: Bool { if case .line = self { true } else { false } }
  }

  /// Asks a question, and waits until it is answered or a descriptor becomes readable.
  ///
  /// A signal that terminates or suspends the process takes effect after the terminal is restored.
  /// After a suspension, the question is asked again, and previous input is discarded.
  func ask(
    _ question: AuthenticationQuestion, cancellation: Int32
  ) throws(SecretStoreError) -> Secret {
    // Threads of Dispatch block these signals. The first two stop a process in the background,
    // before it changes the settings of a terminal that another process uses.
    try ThreadSignals.unblocking([SIGTTIN, SIGTTOU, SIGCONT]) { () throws(SecretStoreError) in
      var before: termios?
      while true {
        switch try attempt(question, cancellation, &before) {
        case .line(let secret): return secret
        case .none: throw .cancelled
        case .signal(let number):
          HeldSignals.takeEffect(number)
          if number != SIGTSTP && number != SIGTTIN { throw .cancelled }
        }
      }
    }
  }

  /// Asks once; the first attempt sets `before` to the settings of the terminal to restore.
  private func attempt(
    _ question: AuthenticationQuestion, _ cancellation: Int32, _ before: inout termios?
  ) throws(SecretStoreError) -> Answer {
    // Signals have their usual effects while this waits.
    try waitForForeground()
    let signals = try HeldSignals()
    defer { signals.restore() }
    while true {
      let shown = try settings(before: before)
      before = shown
      var answer = Answer.none
      defer { restore(shown, hid: question.isHidden, after: answer) }
      if question.isHidden {
        // Discard keys that were typed before, and were visible.
        try change(shown.hidden, TCSAFLUSH)
      }
      try show(question.text)
      answer = try read(
        TypedLine(keys: question.isHidden ? TypedLine.Keys(of: shown) : TypedLine.Keys()),
        limit: question.isHidden ? TypedLine.limit : Self.visibleLimit - 1, signals, cancellation)
      if answer != .signal(SIGCONT) { return answer }
      signals.passContinuation()
      if !isInForeground { return .signal(SIGTTIN) }
    }
  }

  /// Returns the current settings, or the previous ones if input is still hidden after a stop.
  private func settings(before: termios?) throws(SecretStoreError) -> termios {
    let present = try settings
    if let before, before.hidden.hasFlags(of: present) { return before }
    return present
  }

  private func restore(_ shown: termios, hid: Bool, after answer: Answer) {
    // In the background, the settings are those of another process.
    guard isInForeground else { return }
    do throws(SecretStoreError) {
      // After a stop, input stays hidden until the question is asked again.
      if !hid || answer != .signal(SIGCONT) {
        // An incomplete answer must not become input of another process.
        try change(shown, answer.isLine ? TCSADRAIN : TCSAFLUSH)
      }
      // The newline that ended a hidden answer was not shown either.
      if hid || !answer.isLine { try show("\n") }
    } catch {
      // The terminal was closed, so there are no settings to restore.
    }
  }

  private func read(
    _ line: TypedLine, limit: Int, _ signals: HeldSignals, _ cancellation: Int32
  ) throws(SecretStoreError) -> Answer {
    var line = line
    var interruption: Answer?
    let typed = unsafe try Secret(count: TypedLine.limit + 1) { buffer throws(SecretStoreError) in
      var progress = TypedLine.Progress.more
      while progress == .more, interruption == nil {
        let isTyped = try waitForInput([signals.reader, cancellation])
        if let number = signals.next() {
          interruption = .signal(number)
        } else if !isTyped {
          interruption = Answer.none
        } else if !isInForeground {
          interruption = .signal(SIGTTIN)
        } else {
          // Reading one byte at a time leaves input after the line unread.
          let count = unsafe CLibrary.read(descriptor, buffer.baseAddress! + line.count, 1)
          if count < 0, errno != EINTR, errno != EAGAIN { throw failure }
          if count >= 0 { progress = count == 0 ? line.end() : unsafe line.take(buffer) }
        }
      }
      if progress == .nothing { interruption = Answer.none }
    }
    if let interruption { return interruption }
    if line.isTooLong || line.count > limit {
      throw .invalid("On a terminal, the answer to this question must not exceed \(limit) bytes")
    }
    return .line(typed.slice(..<line.count))
  }

  /// Waits until a descriptor is readable, and returns whether only the terminal is.
  private func waitForInput(_ others: [Int32]) throws(SecretStoreError) -> Bool {
    var waiting = ([descriptor] + others).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while unsafe poll(&waiting, nfds_t(waiting.count), -1) < 0 {
      if errno != EINTR { throw failure }
    }
    return waiting[1...].allSatisfy { $0.revents == 0 }
  }
}
