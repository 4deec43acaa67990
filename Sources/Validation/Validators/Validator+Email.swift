import PasswordRules
import SerializedAccess
public import _StringProcessing

extension Validator<String> {
  /// A check for an email address that `input type=email` of the HTML Standard accepts.
  ///
  /// The syntax deliberately differs from RFC 5322. An address consists of letters, digits, and
  /// some punctuation, the character `@`, and dot-separated labels of up to 63 letters, digits, and
  /// inner hyphens. A dot is not required, and only ASCII is accepted.
  /// The check does not show whether the address exists.
  ///
  /// If appending text can complete an address, the check is `.incomplete`, otherwise `.violated`
  /// with the position of the first invalid character.
  public static var email: Validator {
    Validator("email", .email) { text, results in
      var reader = EmailReader()
      for (position, scalar) in text.unicodeScalars.enumerated() where !reader.read(scalar) {
        return results.record(
          .violated, advice: .remove([String(scalar)]), positions: [position..<(position + 1)])
      }
      results.record(reader.isComplete ? .satisfied : .incomplete)
    }
  }
}

/// A parser that reads an address one character at a time.
///
/// The grammar is that of the HTML Standard:
///
///     email = 1*( atext / "." ) "@" label *( "." label )
///     label = let-dig [ [ ldh-str ] let-dig ]    ; at most 63 characters
private struct EmailReader {
  private static let longestLabel = 63

  private var hasLocalPart = false
  /// The length of the current label, or nil before the `@`.
  private var label: Int?
  private var endsInHyphen = false

  var isComplete: Bool { (label ?? 0) > 0 && !endsInHyphen }

  /// Reads a character, or returns false if no address can continue with it.
  mutating func read(_ scalar: Unicode.Scalar) -> Bool {
    guard let length = label else {
      if scalar == "@", hasLocalPart { label = 0 } else if !scalar.isLocal { return false }
      hasLocalPart = true
      return true
    }
    if scalar == "." {
      label = 0
      return length > 0 && !endsInHyphen
    }
    guard scalar.isASCIIAlphanumeric || scalar == "-" && length > 0 else { return false }
    label = length + 1
    endsInHyphen = scalar == "-"
    // A label of the maximum length must not end with a hyphen.
    return length + (endsInHyphen ? 1 : 0) < Self.longestLabel
  }
}

extension Unicode.Scalar {
  /// Whether the character is `atext` of RFC 5322, section 3.2.3, or a dot.
  fileprivate var isLocal: Bool {
    isASCIIAlphanumeric || ".!#$%&'*+/=?^_`{|}~-".unicodeScalars.contains(self)
  }
}

extension Validator<String> {
  /// Returns a check that a regular expression matches the whole text; other texts are
  /// `.incomplete`.
  ///
  /// ```swift
  /// let postcode: Validator<String> = .matching(.custom("postcode")) { /[0-9]{5}/ }
  /// ```
  ///
  /// - Parameters:
  ///   - requirement: The requirement.
  ///   - regex: A closure that returns the regular expression. It is called once.
  /// - Returns: A validator with one check.
  public static func matching<Output>(
    _ requirement: ValidationMessage, _ regex: @Sendable () -> Regex<Output>
  ) -> Validator {
    let pattern = Pattern(regex)
    return custom("matching", requirement) { pattern.matches($0) }
  }
}

// `@unchecked`, because `Regex` is not `Sendable`. It is used only in serialized accesses, and the
// `@Sendable` closure that creates it cannot capture values that are not `Sendable`.
private final class Pattern: @unchecked Sendable {
  private let matchesWhole: Serialized<(String) -> Bool>

  init<Output>(_ regex: @Sendable () -> Regex<Output>) {
    let regex = regex()
    matchesWhole = Serialized(wrappedValue: { $0.wholeMatch(of: regex) != nil })
  }

  func matches(_ text: String) -> Bool { matchesWhole.access { $0(text) } }
}
