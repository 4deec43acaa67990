/// Speaks with a person for an authenticator: shows what it says, and asks what it wants to know.
///
/// The one in the box is ``TerminalConversation``. An app with windows brings its own:
///
/// - The first message of an authentication is the ``AuthenticationMessage/reason(_:)``, once.
/// - Any number of messages and questions follow. A fingerprint service sends messages alone, such as
///   "Place your finger on the reader".
/// - Nothing says that the authentication has ended: whoever started it knows.
public protocol AuthenticationConversation: Sendable {
  /// Shows a message, without waiting for the person.
  ///
  /// - Throws: What kept it from being shown, which ends the authentication.
  func show(_ message: AuthenticationMessage) async throws(SecretStoreError)

  /// Asks a question, and returns the bytes of the answer, without a newline.
  ///
  /// It ends soon after its task was cancelled.
  ///
  /// - Throws: ``SecretStoreError/cancelled`` when the person or the task gave up, or what kept the
  ///   question from being asked. Both end the authentication.
  func ask(_ question: AuthenticationQuestion) async throws(SecretStoreError) -> Secret
}

/// What an authenticator tells a person.
public enum AuthenticationMessage: Hashable, Sendable {
  /// Why the person is asked, in the words of the app.
  case reason(String)
  /// What to do or to expect.
  case information(String)
  /// What went wrong.
  case error(String)

  /// The text to show, which may have several lines.
  public var text: String {
    switch self {
    case .reason(let text), .information(let text), .error(let text): text
    }
  }
}

/// What an authenticator asks a person.
public enum AuthenticationQuestion: Hashable, Sendable {
  /// The answer must not show while it is typed, as with a password.
  case hidden(String)
  /// The answer may show, as with a name.
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
  /// The terminal that the process was started on.
  public static var terminal: TerminalConversation { TerminalConversation() }
}
