import CLibrary

// A question to the user, with hidden input and deferred signals.
extension Terminal {
  /// The length, in bytes without the newline, to which the kernel truncates a line that the
  /// terminal edits.
  ///
  /// A line of this length may be incomplete, so the limit of a visible answer is one byte less.
  private static let visibleLimit = 4094

  /// The result of an attempt to ask.
  private enum Answer: Equatable {
    case line(Secret)
    /// The task was cancelled, or the input ended.
    case cancelled
    /// A signal with this number arrived.
    case signal(Int32)

    var isLine: Bool { if case .line = self { true } else { false } }
  }

  /// Asks a question, and returns the answer; throws `cancelled` if the descriptor `cancellation`
  /// becomes readable before.
  ///
  /// A signal takes effect after the terminal is restored. After a suspension, the question is
  /// asked again.
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
        case .cancelled: throw .cancelled
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
      var answer = Answer.cancelled
      defer { restore(restored, wasHidden: question.isHidden, after: answer) }
      if question.isHidden {
        // Discard earlier input, which was visible.
        try change(restored.hidden, TCSAFLUSH)
      }
      try show(question.text)
      answer = try read(
        // The terminal itself edits visible input.
        TypedLine(editedBy: question.isHidden ? restored : termios()),
        limit: question.isHidden ? TypedLine.limit : Self.visibleLimit - 1, signals, cancellation)
      if answer != .signal(SIGCONT) { return answer }
      signals.deliverContinuation()
      if !isInForeground { return .signal(SIGTTIN) }
    }
  }

  /// Restores the settings after an answer, and ends the line of the question.
  private func restore(_ original: termios, wasHidden: Bool, after answer: Answer) {
    // While this process is in the background, the settings belong to another process.
    guard isInForeground else { return }
    do throws(SecretStoreError) {
      // After a stop, input stays hidden until the question is asked again.
      if !wasHidden || answer != .signal(SIGCONT) {
        // An incomplete answer must not become input of another process.
        try change(original, answer.isLine ? TCSADRAIN : TCSAFLUSH)
      }
      // The newline at the end of a hidden answer was not shown either.
      if wasHidden || !answer.isLine { try show("\n") }
    } catch {
      // The terminal was closed, so there are no settings to restore.
    }
  }

  /// Reads a line until it ends, a signal arrives or the descriptor `cancellation` becomes
  /// readable; throws `invalid` if the line has more bytes than the limit.
  private func read(
    _ line: TypedLine, limit: Int, _ signals: DeferredSignals, _ cancellation: Int32
  ) throws(SecretStoreError) -> Answer {
    var line = line
    var interruption: Answer?
    let typed = unsafe try Secret(count: TypedLine.limit + 1) { buffer throws(SecretStoreError) in
      var progress = TypedLine.Progress.incomplete
      while progress == .incomplete, interruption == nil {
        let hasInput = try waitForInput([signals.descriptor, cancellation])
        if let number = signals.next() {
          interruption = .signal(number)
        } else if !hasInput {
          interruption = .cancelled
        } else if !isInForeground {
          interruption = .signal(SIGTTIN)
        } else {
          // Reading single bytes leaves the input after the line unread.
          let count = unsafe CLibrary.read(descriptor, buffer.baseAddress! + line.count, 1)
          if count < 0, errno != EINTR, errno != EAGAIN { throw failure }
          if count >= 0 { progress = count == 0 ? line.end() : unsafe line.processByte(buffer) }
        }
      }
      if progress == .endOfInput { interruption = .cancelled }
    }
    if let interruption { return interruption }
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
