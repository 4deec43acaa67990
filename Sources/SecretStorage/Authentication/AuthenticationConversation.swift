/// A dialogue with a person, which shows an authenticator's messages and asks its questions.
///
/// Locket provides ``TerminalConversation``. An app with windows provides its own:
///
/// - The first message of an authentication is the ``AuthenticationMessage/reason(_:)``, once.
/// - Any number of messages and questions follow. A fingerprint service sends only messages, such
///   as "Place your finger on the reader".
/// - No message marks the end of the authentication; its caller knows the result.
public protocol AuthenticationConversation: Sendable {
  /// Shows a message, without waiting for the person.
  ///
  /// - Throws: The error that kept it from being shown, which ends the authentication.
  func show(_ message: AuthenticationMessage) async throws(SecretStoreError)

  /// Asks a question, and returns the bytes of the answer, without a newline.
  ///
  /// It returns soon after its task is cancelled.
  ///
  /// - Throws: ``SecretStoreError/cancelled`` when the person or the task gave up, or the error
  ///   that kept the question from being asked. Both end the authentication.
  func ask(_ question: AuthenticationQuestion) async throws(SecretStoreError) -> Secret
}

/// A message from an authenticator to a person.
public enum AuthenticationMessage: Hashable, Sendable {
  /// The reason for asking the person, in the words of the app.
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

/// A question from an authenticator to a person.
public enum AuthenticationQuestion: Hashable, Sendable {
  /// A question whose answer must not show while it is typed, such as a password.
  case hidden(String)
  /// A question whose answer may show, such as a name.
  case visible(String)

  /// The prompt, such as "Password: ".
  public var text: String {
    switch self {
    case .hidden(let text), .visible(let text): text
    }
  }

  /// Whether the answer must not show.
  public var isHidden: Bool {
    if case .hidden = self { true } else { false }
  }
}

extension AuthenticationConversation where Self == TerminalConversation {
  /// A conversation on the terminal that the process was started on.
  public static var terminal: TerminalConversation { TerminalConversation() }
}
