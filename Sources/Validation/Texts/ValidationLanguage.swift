/// The translation of messages and states into sentences of a language.
///
/// ```swift
/// check.text(in: .german)
/// ```
public struct ValidationLanguage: Sendable {
  /// The BCP 47 code of the language, such as `en`.
  public let code: String
  private let messageText: @Sendable (ValidationMessage, ValidationLanguage) -> String?
  private let statusText: @Sendable (ValidationStatus, ValidationLanguage) -> String?

  /// Creates a custom language.
  ///
  /// - Parameters:
  ///   - code: The BCP 47 code of the language.
  ///   - message: Returns the text of a message; its second argument provides the texts of nested
  ///     messages. If the result is nil, the English text is used, or else the code.
  ///   - status: Returns the text of a state, in the same way.
  public init(
    code: String,
    message: @escaping @Sendable (ValidationMessage, ValidationLanguage) -> String?,
    status: @escaping @Sendable (ValidationStatus, ValidationLanguage) -> String? = { _, _ in nil }
  ) {
    self.code = code
    messageText = message
    statusText = status
  }

  init<Texts: LanguageTexts>(_ code: String, _ texts: Texts.Type) {
    self.init(
      code: code, message: { Texts.text(of: $0, in: $1) },
      status: { status, _ in Texts.text(of: status) })
  }

  /// Returns this language with custom texts, mainly for the app's own codes.
  ///
  /// If the function returns nil, the previous text is used.
  public func replacing(
    _ text: @escaping @Sendable (ValidationMessage) -> String?
  ) -> ValidationLanguage {
    let language = self
    return ValidationLanguage(
      code: code, message: { text($0) ?? language.messageText($0, $1) }, status: statusText)
  }

  /// Returns the sentence of a message, without a full stop.
  public func text(of message: ValidationMessage) -> String {
    messageText(message, self) ?? EnglishTexts.text(of: message, in: self)
  }

  /// Returns the text for a state.
  public func text(of status: ValidationStatus) -> String {
    statusText(status, self) ?? EnglishTexts.text(of: status)
  }
}

extension ValidationMessage {
  /// Returns the sentence of the message in a language, without a full stop.
  public func text(in language: ValidationLanguage) -> String { language.text(of: self) }
}

extension ValidationCheck {
  /// Returns the advice or requirement, with a note if the answer is pending or unavailable.
  public func text(in language: ValidationLanguage) -> String {
    switch state {
    case .satisfied, .notYet, .broken, .waiting: message.text(in: language)
    case .pending, .unavailable:
      "\(message.text(in: language)): \(state.text(in: language))"
    }
  }
}

extension ValidationCheck.State {
  /// Returns the text for the state, such as "could not be checked: no answer in time".
  public func text(in language: ValidationLanguage) -> String { language.text(of: .check(self)) }
}

extension ValidationReport.State {
  /// Returns the text for the state.
  public func text(in language: ValidationLanguage) -> String { language.text(of: .report(self)) }
}

extension ValidationReport {
  /// Returns the number of met requirements as text, for a screen reader.
  public func progressText(in language: ValidationLanguage) -> String {
    let requirements = checks.filter { $0.severity == .requirement }
    return language.text(
      of: .progress(requirements.count { $0.state == .satisfied }, of: requirements.count))
  }
}

extension ValidationLanguage {
  /// The languages that the module supports.
  public static let all: [ValidationLanguage] = [.english, .german, .spanish, .russian]

  /// Returns the first preferred language that is available; else English.
  ///
  /// - Parameters:
  ///   - codes: The preferred languages, best first, as BCP 47 or POSIX codes: `es-MX`,
  ///     `de_AT.UTF-8`, or a list with colons as in the environment variable `LANGUAGE`. `C` and
  ///     `POSIX` are English. The exact code matches first, then the code without regions, then any
  ///     region.
  ///   - languages: The available languages.
  /// - Returns: The matching language.
  public static func preferred(
    _ codes: [String], among languages: [ValidationLanguage] = all
  ) -> ValidationLanguage {
    for code in codes.flatMap({ $0.split(separator: ":") }) {
      var subtags = subtags(of: code)
      if subtags == ["c"] || subtags == ["posix"] { return .english }
      while let primary = subtags.first {
        if let match = languages.first(where: { Self.subtags(of: $0.code[...]) == subtags }) {
          return match
        }
        if subtags.count == 1,
          let match = languages.first(where: { Self.subtags(of: $0.code[...]).first == primary })
        {
          return match
        }
        subtags.removeLast()
      }
    }
    return .english
  }

  /// Returns the parts of a code, without the character set and variant that POSIX adds.
  private static func subtags(of code: Substring) -> [String] {
    code.prefix { $0 != "." && $0 != "@" }.split { $0 == "-" || $0 == "_" }
      .map { $0.lowercased() }
  }
}
