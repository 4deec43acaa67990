import CLibrary

// A question to the user, with hidden input and deferred signals.
extension Terminal {
  /// The length, in bytes, to which the kernel truncates a line that the terminal edits.
  private static let visibleLimit = 4094

  private enum Answer: Equatable {
    case line(Secret)
    /// The task was cancelled, or the input ended.
    case cancelled
    case signal(Int32)

    var isLine: Bool { if case .line = self { true } else { false } }
  }

  /// Asks a question, and waits until the user answers or a descriptor becomes readable.
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
        TypedLine(keys: question.isHidden ? TypedLine.Keys(of: restored) : TypedLine.Keys()),
        limit: question.isHidden ? TypedLine.limit : Self.visibleLimit - 1, signals, cancellation)
      if answer != .signal(SIGCONT) { return answer }
      signals.deliverContinuation()
      if !isInForeground { return .signal(SIGTTIN) }
    }
  }

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

  /// Waits until a descriptor is readable; returns true if only the terminal is readable.
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
