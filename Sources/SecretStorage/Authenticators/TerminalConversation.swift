/// Speaks with a person on the terminal that the process was started on (`/dev/tty`), whatever its
/// input and output are connected to.
///
/// A hidden answer does not show while it is typed, and the keys that edit a line work as they do
/// anywhere. It has at most 64 KiB; a visible one has less, because the terminal edits it.
///
/// However a question ends, the terminal is as it was: with an answer, with Ctrl-D, by cancelling the
/// task, or by one of the signals SIGINT (Ctrl-C), SIGQUIT, SIGHUP and SIGTERM, which have their usual
/// effects after that. Where the app survives the signal, the question has been cancelled. A process
/// that is suspended (Ctrl-Z) leaves the terminal as it was, and asks again when it goes on.
///
/// The process asks one question at a time; others wait. A process in the background waits until it
/// is brought to the front.
public struct TerminalConversation: AuthenticationConversation {
  /// Makes a conversation; the terminal is opened for each message and question.
  public init() {}

  /// Shows a message on a line of its own, without control characters.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` when there is no terminal, or
  ///   ``SecretStoreError/cancelled`` when the task was cancelled before it could be shown.
  public func show(_ message: AuthenticationMessage) async throws(SecretStoreError) {
    let text = message.text
    try await TerminalTurn.take { _ throws(SecretStoreError) in
      try Terminal().show(text.hasSuffix("\n") ? text : "\(text)\n")
    }
  }

  /// Asks a question, and returns the bytes that were typed, without the newline.
  ///
  /// - Throws: ``SecretStoreError/cancelled`` when the person typed Ctrl-D or sent a signal that the
  ///   app survived, or the task was cancelled; ``SecretStoreError/unavailable(_:)`` when there is no
  ///   terminal; ``SecretStoreError/invalid(_:)`` when more was typed than an answer may have.
  public func ask(_ question: AuthenticationQuestion) async throws(SecretStoreError) -> Secret {
    try await TerminalTurn.take { cancellation throws(SecretStoreError) in
      try Terminal().ask(question, cancellation: cancellation)
    }
  }
}
