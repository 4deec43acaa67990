/// A language in which messages and states are expressed.
///
/// ```swift
/// check.text(in: .german)
/// ```
public struct ValidationLanguage: Sendable {
  /// The BCP 47 code of the language, such as `en`.
  public let code: String
  private let messageText: @Sendable (ValidationMessage, ValidationLanguage) -> String?
  private let statusText: @Sendable (ValidationStatus, ValidationLanguage) -> String?

  /// Creates a language from closures that return a message's or state's text, or nil for English.
  ///
  /// The second argument of the closures is this language, for the texts of nested messages.
  public init(
    code: String,
    message: @escaping @Sendable (ValidationMessage, ValidationLanguage) -> String?,
    status: @escaping @Sendable (ValidationStatus, ValidationLanguage) -> String? = { _, _ in nil }
  ) {
    self.code = code
    messageText = message
    statusText = status
  }

  init<Strings: LocalizedStrings>(_ code: String, _ strings: Strings.Type) {
    self.init(
      code: code, message: { Strings.text(of: $0, in: $1) },
      status: { status, _ in Strings.text(of: status) })
  }

  /// Returns this language with custom texts of messages, except where the closure returns nil.
  public func replacing(
    _ text: @escaping @Sendable (ValidationMessage) -> String?
  ) -> ValidationLanguage {
    let language = self
    return ValidationLanguage(
      code: code, message: { text($0) ?? language.messageText($0, $1) }, status: statusText)
  }

  /// Returns the text of a message, without a period.
  public func text(of message: ValidationMessage) -> String {
    messageText(message, self) ?? EnglishStrings.text(of: message, in: self)
  }

  /// Returns the text of a state.
  public func text(of status: ValidationStatus) -> String {
    statusText(status, self) ?? EnglishStrings.text(of: status)
  }

  /// English.
  public static let english = ValidationLanguage("en", EnglishStrings.self)
  /// German.
  public static let german = ValidationLanguage("de", GermanStrings.self)
  /// Spanish.
  public static let spanish = ValidationLanguage("es", SpanishStrings.self)
  /// Russian.
  public static let russian = ValidationLanguage("ru", RussianStrings.self)

  /// The built-in languages.
  public static let all: [ValidationLanguage] = [.english, .german, .spanish, .russian]

  /// Returns the most preferred available language, or English if none is available.
  ///
  /// The codes, most preferred first, are those of BCP 47 or POSIX, such as `es-MX` and
  /// `de_AT.UTF-8`, or colon-separated lists, as in the variable `LANGUAGE`. `C` and `POSIX` mean
  /// English. A language matches by its exact code, then without the region, then with any region.
  public static func preferred(
    _ codes: [String], among languages: [ValidationLanguage] = all
  ) -> ValidationLanguage {
    let available = languages.map { subtags(of: $0.code[...]) }
    for code in codes.flatMap({ $0.split(separator: ":") }) {
      var subtags = subtags(of: code)
      if subtags == ["c"] || subtags == ["posix"] { return .english }
      while let last = subtags.popLast() {
        let exact = available.firstIndex(of: subtags + [last])
        let match = subtags.isEmpty ? exact ?? available.firstIndex { $0.first == last } : exact
        if let match { return languages[match] }
      }
    }
    return .english
  }

  private static func subtags(of code: Substring) -> [String] {
    code.prefix { $0 != "." && $0 != "@" }.split { $0 == "-" || $0 == "_" }
      .map { $0.lowercased() }
  }
}

/// A state or progress that a ``ValidationLanguage`` describes, mainly for screen readers.
public enum ValidationStatus: Hashable, Sendable {
  /// The state of a check.
  case check(ValidationCheck.State)
  /// The state of a value.
  case report(ValidationReport.State)
  /// The number of requirements that hold, and the number of all requirements.
  case progress(Int, of: Int)
}

extension ValidationMessage {
  /// Returns the text of the message in a language, without a period.
  public func text(in language: ValidationLanguage) -> String { language.text(of: self) }
}

extension ValidationCheck {
  /// Returns the text of the advice or requirement, and of a pending or unavailable state.
  public func text(in language: ValidationLanguage) -> String {
    switch state {
    case .satisfied, .incomplete, .violated, .waiting: message.text(in: language)
    case .pending, .unavailable: "\(message.text(in: language)): \(state.text(in: language))"
    }
  }
}

extension ValidationCheck.State {
  /// Returns the text of the state, such as "could not be checked: no answer in time".
  public func text(in language: ValidationLanguage) -> String { language.text(of: .check(self)) }
}

extension ValidationReport.State {
  /// Returns the text of the state.
  public func text(in language: ValidationLanguage) -> String { language.text(of: .report(self)) }
}

extension ValidationReport {
  /// Returns a text for screen readers with the number of requirements that hold.
  public func progressText(in language: ValidationLanguage) -> String {
    [self].progressText(in: language)
  }
}
