import Dispatch

/// A conversation on the controlling terminal (`/dev/tty`), not on standard input and output.
///
/// A hidden answer may have up to 64 KiB, and the usual editing keys work. A visible answer is
/// limited to 4,093 bytes, because the terminal edits it. Only one question is asked at a time, and
/// only while the process is in the foreground; others wait.
///
/// The terminal's settings are always restored: after an answer, after Ctrl-D, when the task is
/// cancelled, and before SIGINT (Ctrl-C), SIGQUIT, SIGHUP, SIGTERM, or any other signal that ends
/// the process and is not handled, but not by a crash, such as SIGSEGV. If the process survives the
/// signal, the question is cancelled; if a `DispatchSourceSignal` of the app receives it instead,
/// its handler should cancel the task. The settings are also restored while the process is
/// suspended (Ctrl-Z); afterwards, the question is asked again.
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

private let semaphore = AsyncSemaphore()

/// Calls a closure after all earlier ones, on another thread, with a descriptor that becomes
/// readable when the task is cancelled.
private func onTerminal<Success: Sendable>(
  _ body: @escaping @Sendable (Int32) throws(SecretStoreError) -> Success
) async throws(SecretStoreError) -> Success {
  try SecretStoreError.checkProcess()
  try await semaphore.wait()
  defer { semaphore.signal() }
  let cancellation = try SelfPipe()
  return try await withoutBlocking(
    on: DispatchQueue(label: "locket.terminal"), onCancel: cancellation.wake
  ) { () throws(SecretStoreError) in try body(cancellation.readDescriptor) }
}
