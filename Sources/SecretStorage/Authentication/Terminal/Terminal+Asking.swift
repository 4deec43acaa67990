import CLibrary

extension Terminal {
  /// The kernel silently truncates a longer line that the terminal edits, in bytes.
  private static let visibleLimit = 4094

  private enum Answer {
    case line(Secret)
    /// The task was cancelled, or the input ended.
    case none
    case signal(Int32)

    var isLine: Bool {
      if case .line = self { true } else { false }
    }

    var isContinuation: Bool {
      if case .signal(SIGCONT) = self { true } else { false }
    }
  }

  /// Asks a question, and waits for the answer or until a descriptor becomes readable.
  ///
  /// The terminal is restored before a signal takes effect, such as ending or suspending the
  /// process. After a suspension it asks again, and discards the keys typed before and meanwhile.
  func ask(
    _ question: AuthenticationQuestion, cancellation: Int32
  ) throws(SecretStoreError) -> Secret {
    // Dispatch threads block these. In the background, the first two stop the process, so that it
    // does not change the terminal's settings under another process.
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

  /// Asks until there is an answer or a signal to take effect.
  ///
  /// `before` is nil at the first attempt, and returns the settings to restore.
  private func attempt(
    _ question: AuthenticationQuestion, _ cancellation: Int32, _ before: inout termios?
  ) throws(SecretStoreError) -> Answer {
    // Until the signals are held, they have their usual effects.
    try waitForForeground()
    let signals = try HeldSignals()
    defer { signals.letGo() }
    while true {
      let shown = try settings(before: before)
      before = shown
      var answer = Answer.none
      defer { restore(shown, hid: question.isHidden, after: answer) }
      if question.isHidden {
        // Discard the keys typed before, which were visible.
        try change(shown.hidden, TCSAFLUSH)
      }
      try show(question.text)
      answer = try read(
        TypedLine(keys: question.isHidden ? TypedLine.Keys(of: shown) : TypedLine.Keys()),
        limit: question.isHidden ? TypedLine.limit : Self.visibleLimit - 1, signals, cancellation)
      guard case .signal(SIGCONT) = answer else { return answer }
      signals.passContinuation()
      if !isInForeground { return .signal(SIGTTIN) }
    }
  }

  /// Returns the terminal's settings, or those from before if it is still hidden after a stop.
  private func settings(before: termios?) throws(SecretStoreError) -> termios {
    let present = try settings
    if let before, before.hidden.hasFlags(of: present) { return before }
    return present
  }

  private func restore(_ shown: termios, hid: Bool, after answer: Answer) {
    // In the background, the terminal has the settings of another process.
    guard isInForeground else { return }
    do throws(SecretStoreError) {
      // After a stop, the terminal is hidden again without showing any keys in between.
      if !(hid && answer.isContinuation) {
        // An incomplete answer must not reach the next reader.
        try change(shown, answer.isLine ? TCSADRAIN : TCSAFLUSH)
      }
      // The typed newline was not shown either.
      if hid || !answer.isLine { try show("\n") }
    } catch {
      // The terminal is closed, so there are no settings to restore.
    }
  }

  private func read(
    _ line: TypedLine, limit: Int, _ signals: HeldSignals, _ cancellation: Int32
  ) throws(SecretStoreError) -> Answer {
    var line = line
    var ending: Answer?
    let typed = unsafe try Secret(count: TypedLine.limit + 1) { buffer throws(SecretStoreError) in
      while true {
        let isTyped = try waitForInput([signals.reader, cancellation])
        if let number = signals.next() {
          ending = .signal(number)
          return
        }
        guard isTyped else {
          ending = Answer.none
          return
        }
        if !isInForeground {
          ending = .signal(SIGTTIN)
          return
        }
        // One byte at a time, so that input after the line stays unread. The buffer has space for
        // it.
        let count = unsafe readBytes(descriptor, buffer.baseAddress! + line.count, 1)
        if count < 0 {
          if errno == EINTR || errno == EAGAIN { continue }
          throw failure
        }
        let progress = count == 0 ? line.end() : unsafe line.take(buffer)
        switch progress {
        case .more: continue
        case .nothing:
          ending = Answer.none
          return
        case .line: return
        }
      }
    }
    if let ending { return ending }
    if line.isTooLong || line.count > limit {
      throw .invalid("An answer to this question has at most \(limit) bytes on a terminal")
    }
    return .line(typed.slice(..<line.count))
  }

  /// Waits for the terminal or other descriptors; returns whether only the terminal is readable.
  private func waitForInput(_ others: [Int32]) throws(SecretStoreError) -> Bool {
    var waiting = ([descriptor] + others).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    // The kernel writes into the array, which outlives the call.
    while unsafe poll(&waiting, nfds_t(waiting.count), -1) < 0 {
      if errno != EINTR { throw failure }
    }
    return waiting[1...].allSatisfy { $0.revents == 0 }
  }
}

/// Calls `read`, a name that members hide inside the type; the caller provides the buffer.
private func readBytes(
  _ descriptor: Int32, _ start: UnsafeMutablePointer<UInt8>, _ count: Int
) -> Int {
  unsafe read(descriptor, start, count)
}
