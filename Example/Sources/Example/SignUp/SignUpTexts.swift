import Validation

/// What the sign-up says by itself, in one language; what the checks say is the library's.
struct SignUpTexts: Sendable {
  /// What the checks say, apart from what is demanded here alone.
  let checks: ValidationLanguage
  let title: @Sendable (String) -> String
  let labels: [String]
  let next, back, submit, cancel, show, hide, accept: String
  let offer: @Sendable (String) -> String
  let full, unreadable, incomplete, undetermined: String
  let free: @Sendable (String) -> String
  let withoutName: String
  let lost: @Sendable (String, String) -> String
  let saved: @Sendable (String, String) -> String
  let verified, cancelled, ended: String
  let emptyTakesOffer: String

  static let all = [english, german, spanish, russian]
  static var codes: String { all.map(\.checks.code).joined(separator: ", ") }

  /// The texts of a language; nil when there are none.
  static func named(_ code: String) -> SignUpTexts? { all.first { $0.checks.code == code } }

  /// The texts that come nearest to a locale, English where none do.
  static func preferred(_ locale: String) -> SignUpTexts {
    named(ValidationLanguage.preferred([locale], among: all.map(\.checks)).code) ?? english
  }

  /// What all checks of the form say.
  var language: ValidationLanguage {
    checks.replacing { [free, withoutName] message in
      switch message {
      case .custom(SignUpModel.freeCode, let site): site.first.map(free)
      case .custom(SignUpModel.withoutNameCode, _): withoutName
      default: nil
      }
    }
  }

  func label(_ field: SignUpField) -> String { labels[field.rawValue] }
}

extension SignUpTexts {
  static let english = SignUpTexts(
    checks: .english,
    title: { "New account at \($0)" },
    labels: ["User name", "Password", "Repeat password"],
    next: "next", back: "back", submit: "done", cancel: "cancel",
    show: "show password", hide: "hide password", accept: "take the suggestion",
    offer: { "Suggestion: \($0)" },
    full: "The field has no room for that.",
    unreadable: "That was not text in UTF-8, and was not taken.",
    incomplete: "Something is missing or wrong here.",
    undetermined: "This could not be checked. Enter tries again.",
    free: { "Not taken yet at \($0)" },
    withoutName: "Without the user name",
    lost: { "The name \($0) was taken at \($1) meanwhile. Nothing was saved." },
    saved: { "The password of \($0) at \($1) is saved." },
    verified: "A second process has read it back.",
    cancelled: "Cancelled. Nothing was saved.",
    ended: "The input ended before the account was complete. Nothing was saved.",
    emptyTakesOffer: "an empty line takes a generated one")
}
