import Dispatch

/// A conversation on the controlling terminal of the process (`/dev/tty`), regardless of its
/// standard input and output.
///
/// A hidden answer is not visible while it is typed, but the usual editing keys work. It may have
/// up to 64 KiB. A visible answer is limited to 4,093 bytes, because the terminal edits it.
///
/// The settings of the terminal are always restored: after an answer, after Ctrl-D, when the task
/// is cancelled, and after the signals SIGINT (Ctrl-C), SIGQUIT, SIGHUP and SIGTERM, which then
/// have their usual effects. If the process survives the signal, the question is cancelled. If a
/// `DispatchSourceSignal` of the app receives the signal instead, its handler should cancel the
/// task. When the process is suspended (Ctrl-Z), the terminal is restored, and the question is
/// asked again when the process continues.
///
/// Only one question at a time is asked; others wait. In the background, a question waits until the
/// process is in the foreground.
public struct TerminalConversation: AuthenticationConversation {
  /// Creates a conversation, which opens the terminal for each message and question.
  public init() {}

  /// Shows a message on a separate line, without control characters.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` if there is no terminal, or
  ///   ``SecretStoreError/cancelled`` if the task was cancelled before the message was shown.
  public func show(_ message: AuthenticationMessage) async throws(SecretStoreError) {
    let text = message.text
    try await onTerminal { _ throws(SecretStoreError) in
      try Terminal().show(text.hasSuffix("\n") ? text : "\(text)\n")
    }
  }

  /// Asks a question, and returns the typed bytes, without the newline.
  ///
  /// - Throws: ``SecretStoreError/cancelled`` if the user pressed Ctrl-D, the process survived a
  ///   signal or the task was cancelled; ``SecretStoreError/unavailable(_:)`` if there is no
  ///   terminal; ``SecretStoreError/invalid(_:)`` if the answer is too long.
  public func ask(_ question: AuthenticationQuestion) async throws(SecretStoreError) -> Secret {
    try await onTerminal { cancellation throws(SecretStoreError) in
      try Terminal().ask(question, cancellation: cancellation)
    }
  }
}

private let turn = AsyncSemaphore()

/// Calls a closure on a thread that may block, with exclusive use of the terminal.
///
/// The closure receives a descriptor that becomes readable on cancellation, after which the closure
/// must return.
///
/// - Throws: The closure's error, or ``SecretStoreError/cancelled`` if the closure was not called.
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
