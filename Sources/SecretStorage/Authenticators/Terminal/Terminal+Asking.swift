import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension Terminal {
  /// Of a longer line that the terminal edits, the kernel drops the rest without a word.
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
  /// Before a signal has its effect, such as ending or suspending the process, the terminal is as it
  /// was. After a suspension it asks again, and what was typed before and meanwhile does not count.
  func ask(
    _ question: AuthenticationQuestion, cancellation: Int32
  ) throws(SecretStoreError) -> Secret {
    // Threads of Dispatch block these. In the background, the first two stop the process instead of
    // letting it change the settings of the terminal under another one.
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

  /// Asks until there is an answer, or a signal that is to have its effect.
  ///
  /// The settings that come back in the end are nil at the first attempt.
  private func attempt(
    _ question: AuthenticationQuestion, _ cancellation: Int32, _ before: inout termios?
  ) throws(SecretStoreError) -> Answer {
    // Meanwhile signals have their usual effects.
    try waitForForeground()
    let signals = try HeldSignals()
    defer { signals.letGo() }
    while true {
      let shown = try settings(before: before)
      before = shown
      var answer = Answer.none
      defer { restore(shown, hid: question.isHidden, after: answer) }
      if question.isHidden {
        // What was typed before could be seen, so it is thrown away.
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

  /// The settings of the terminal, or those from before it was hidden if the process was stopped and
  /// they are still in place.
  private func settings(before: termios?) throws(SecretStoreError) -> termios {
    let present = try settings
    if let before, before.hidden.hasFlags(of: present) { return before }
    return present
  }

  private func restore(_ shown: termios, hid: Bool, after answer: Answer) {
    // In the background, the terminal has the settings of another process.
    guard isInForeground else { return }
    do throws(SecretStoreError) {
      // After a stop, the terminal is hidden again without showing anything in between.
      if !(hid && answer.isContinuation) {
        // The beginning of an answer is not for the next reader.
        try change(shown, answer.isLine ? TCSADRAIN : TCSAFLUSH)
      }
      // A newline that was typed did not show either.
      if hid || !answer.isLine { try show("\n") }
    } catch {
      // The terminal is closed, and has no settings any more.
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
        if let number = signals.next() { return ending = .signal(number) }
        guard isTyped else { return ending = Answer.none }
        if !isInForeground { return ending = .signal(SIGTTIN) }
        // One at a time, so that what follows the line is left to others. The room is there.
        let count = unsafe readBytes(descriptor, buffer.baseAddress! + line.count, 1)
        if count < 0 {
          if errno == EINTR || errno == EAGAIN { continue }
          throw failure
        }
        let progress = count == 0 ? line.end() : unsafe line.take(buffer)
        switch progress {
        case .more: continue
        case .nothing: return ending = Answer.none
        case .line: return
        }
      }
    }
    if let ending { return ending }
    if line.isTooLong || line.count > limit {
      throw .invalid("An answer to this question has at most \(limit) bytes on a terminal")
    }
    return .line(unsafe typed.withUnsafeBytes { unsafe Secret($0.prefix(line.count)) })
  }

  /// Waits until there is something to read, or one of several other descriptors is readable, and
  /// says whether only the former is the case.
  private func waitForInput(_ others: [Int32]) throws(SecretStoreError) -> Bool {
    var waiting = ([descriptor] + others).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    // The kernel writes into the array, which outlives the call.
    while unsafe poll(&waiting, nfds_t(waiting.count), -1) < 0 {
      if errno != EINTR { throw failure }
    }
    return waiting[1...].allSatisfy { $0.revents == 0 }
  }
}

/// `read`, which means another function inside of a type that has one; the caller has the room.
private func readBytes(
  _ descriptor: Int32, _ start: UnsafeMutablePointer<UInt8>, _ count: Int
) -> Int {
  unsafe read(descriptor, start, count)
}
