/// Turns messages and states into sentences of a language.
///
/// ```swift
/// check.text(in: .german)
/// ```
public struct ValidationLanguage: Sendable {
  /// The language's code in BCP 47, such as `en`.
  public let code: String
  private let messageText: @Sendable (ValidationMessage, ValidationLanguage) -> String?
  private let statusText: @Sendable (ValidationStatus, ValidationLanguage) -> String?

  /// A language of the app's own.
  ///
  /// - Parameters:
  ///   - code: The language's code in BCP 47.
  ///   - message: The text of a message; the language given is the one to ask for the text of messages
  ///     within it. What it has no text for, which is nil, is said in English, and what is not known
  ///     there either by its code.
  ///   - status: The text of a state, in the same way.
  public init(
    code: String,
    message: @escaping @Sendable (ValidationMessage, ValidationLanguage) -> String?,
    status: @escaping @Sendable (ValidationStatus, ValidationLanguage) -> String? = { _, _ in nil }
  ) {
    self.code = code
    messageText = message
    statusText = status
  }

  /// This language with texts of the app's own, first of all for its own codes.
  ///
  /// What the function has no text for, which is nil, is said as before.
  public func replacing(
    _ text: @escaping @Sendable (ValidationMessage) -> String?
  ) -> ValidationLanguage {
    let language = self
    return ValidationLanguage(
      code: code, message: { text($0) ?? language.messageText($0, $1) }, status: statusText)
  }

  /// The sentence of a message, without a full stop.
  public func text(of message: ValidationMessage) -> String {
    messageText(message, self) ?? EnglishTexts.text(of: message, in: self)
  }

  /// The words for a state.
  public func text(of status: ValidationStatus) -> String {
    statusText(status, self) ?? EnglishTexts.text(of: status)
  }
}

extension ValidationMessage {
  /// The sentence of the message in a language, without a full stop.
  public func text(in language: ValidationLanguage) -> String { language.text(of: self) }
}

extension ValidationCheck {
  /// What to do or what is demanded, and whether the answer is awaited or could not be had.
  public func text(in language: ValidationLanguage) -> String {
    switch state {
    case .satisfied, .notYet, .broken, .waiting: message.text(in: language)
    case .pending, .unavailable:
      "\(message.text(in: language)): \(state.text(in: language))"
    }
  }
}

extension ValidationCheck.State {
  /// The words for the state, such as "could not be checked: no answer in time".
  public func text(in language: ValidationLanguage) -> String { language.text(of: .check(self)) }
}

extension ValidationReport.State {
  /// The words for the state.
  public func text(in language: ValidationLanguage) -> String { language.text(of: .report(self)) }
}

extension ValidationReport {
  /// How many requirements hold, for a screen reader.
  public func progressText(in language: ValidationLanguage) -> String {
    let requirements = checks.filter { $0.severity == .requirement }
    return language.text(
      of: .progress(requirements.count { $0.state == .satisfied }, of: requirements.count))
  }
}
