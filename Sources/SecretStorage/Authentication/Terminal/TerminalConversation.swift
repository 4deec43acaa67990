import Dispatch

/// A conversation on the terminal that the process was started on (`/dev/tty`), regardless of its
/// standard input and output.
///
/// A hidden answer does not show while it is typed, and the usual editing keys work. It has at most
/// 64 KiB; a visible one has less, because the terminal edits it.
///
/// However a question ends, the terminal is restored: after an answer, after Ctrl-D, when the task
/// is cancelled, and after one of the signals SIGINT (Ctrl-C), SIGQUIT, SIGHUP and SIGTERM, which
/// then have their usual effects. If the app survives the signal, the question is cancelled. A
/// `DispatchSourceSignal` of the app may receive a signal instead; its handler then cancels the
/// task. A process that is suspended (Ctrl-Z) restores the terminal, and asks again when it
/// continues.
///
/// The process asks one question at a time; others wait. A process in the background waits until it
/// is brought to the foreground.
public struct TerminalConversation: AuthenticationConversation {
  /// Makes a conversation; the terminal is opened for each message and question.
  public init() {}

  /// Shows a message on a separate line, without control characters.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` when there is no terminal, or
  ///   ``SecretStoreError/cancelled`` when the task was cancelled before the message was shown.
  public func show(_ message: AuthenticationMessage) async throws(SecretStoreError) {
    let text = message.text
    try await onTerminal { _ throws(SecretStoreError) in
      try Terminal().show(text.hasSuffix("\n") ? text : "\(text)\n")
    }
  }

  /// Asks a question, and returns the typed bytes, without the newline.
  ///
  /// - Throws: ``SecretStoreError/cancelled`` when the person typed Ctrl-D or sent a signal that
  ///   the app survived, or the task was cancelled; ``SecretStoreError/unavailable(_:)`` when there
  ///   is no terminal; ``SecretStoreError/invalid(_:)`` when the answer is too long.
  public func ask(_ question: AuthenticationQuestion) async throws(SecretStoreError) -> Secret {
    try await onTerminal { cancellation throws(SecretStoreError) in
      try Terminal().ask(question, cancellation: cancellation)
    }
  }
}

private let turn = AsyncSemaphore()

/// Runs a closure while no other uses the terminal, on a thread that may wait for a person.
///
/// The closure gets a descriptor that becomes readable on cancellation, and must then return.
///
/// - Throws: The closure's error, or ``SecretStoreError/cancelled`` before the closure is called.
private func onTerminal<Success: Sendable>(
  _ body: @escaping @Sendable (Int32) throws(SecretStoreError) -> Success
) async throws(SecretStoreError) -> Success {
  if let error = SecretStoreError.needsThreads("Asking on the terminal") { throw error }
  try await turn.begin()
  defer { turn.end() }
  let cancellation = try WakingPipe()
  let outcome = await withTaskCancellationHandler {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "locket.terminal").async {
        continuation.resume(
          returning: Result { () throws(SecretStoreError) in try body(cancellation.reader) })
      }
    }
  } onCancel: {
    cancellation.wake()
  }
  return try outcome.get()
}
