/// A user interface that shows the messages of an authenticator and asks its questions.
///
/// Locket provides ``TerminalConversation``; an app with a graphical interface implements its own.
/// The first message of an authentication is the ``AuthenticationMessage/reason(_:)``, after which
/// any number of messages and questions follow. There is no final message.
public protocol AuthenticationConversation: Sendable {
  /// Shows a message, without waiting for the user; an error ends the authentication.
  func show(_ message: AuthenticationMessage) async throws(SecretStoreError)

  /// Asks a question, and returns the bytes of the answer without a newline.
  ///
  /// - Throws: ``SecretStoreError/cancelled`` if the user cancelled, or soon after the task was
  ///   cancelled; or another error. Any error ends the authentication.
  func ask(_ question: AuthenticationQuestion) async throws(SecretStoreError) -> Secret
}

/// A message from an authenticator to the user.
public enum AuthenticationMessage: Hashable, Sendable {
  /// The reason for the authentication, as given by the app.
  case reason(String)
  /// An instruction or a notice.
  case information(String)
  /// A description of an error.
  case error(String)

  /// The text to show; it may have several lines.
  public var text: String {
    switch self {
    case .reason(let text), .information(let text), .error(let text): text
    }
  }
}

/// A question from an authenticator to the user.
public enum AuthenticationQuestion: Hashable, Sendable {
  /// A question whose answer must not be visible while it is typed, such as a password.
  case hidden(String)
  /// A question whose answer may be visible, such as a name.
  case visible(String)

  /// The prompt, such as "Password: ".
  public var text: String {
    switch self {
    case .hidden(let text), .visible(let text): text
    }
  }

  /// Whether the answer must not be visible.
  public var isHidden: Bool { if case .hidden = self { true } else { false } }
}

extension AuthenticationConversation where Self == TerminalConversation {
  /// A conversation on the controlling terminal of the process.
  public static var terminal: TerminalConversation { TerminalConversation() }
}
