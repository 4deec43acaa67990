import CLibrary

// A question to the user, with hidden input and deferred signals.
extension Terminal {
  /// The maximum length of a visible answer, in bytes: a longer line may be incomplete, because the
  /// kernel truncates a line that the terminal edits to 4,094 bytes without the newline.
  private static let visibleLimit = 4093

  /// The result of an attempt to ask.
  private enum Answer: Equatable {
    case line(Secret)
    /// A signal with this number arrived.
    case signal(Int32)
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
