import SerializedAccess
public import _StringProcessing

extension Validator<String> {
  /// A check for an email address, as accepted by `input type=email` of the HTML Standard.
  ///
  /// The standard calls it a willful violation of RFC 5322: letters, digits and some marks, `@`,
  /// and dot-separated labels of at most 63 letters, digits and inner hyphens. No dot is needed,
  /// and only ASCII is accepted. Only a message can show whether the address exists.
  ///
  /// It is `.notYet` while more typing can complete an address, else `.broken` at the first invalid
  /// place.
  public static var email: Validator {
    Validator("email", .email) { text, results in
      var reader = EmailReader()
      for (place, scalar) in text.unicodeScalars.enumerated() where !reader.read(scalar) {
        return results.note(
          .broken, advice: .remove([String(scalar)]), places: [place..<(place + 1)])
      }
      results.note(reader.isComplete ? .satisfied : .notYet)
    }
  }
}

/// An automaton that reads an address by character, following the HTML Standard.
///
///     email = 1*( atext / "." ) "@" label *( "." label )
///     label = let-dig [ [ ldh-str ] let-dig ]    ; at most 63 characters
private struct EmailReader {
  private static let longestLabel = 63

  private var hasLocalPart = false
  /// The length of the current label; nil before the `@`.
  private var label: Int?
  private var endsInHyphen = false

  var isComplete: Bool { (label ?? 0) > 0 && !endsInHyphen }

  /// Reads a character; returns false if no address can have it here.
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
    guard scalar.isLetterOrDigit || scalar == "-" && length > 0 else { return false }
    label = length + 1
    endsInHyphen = scalar == "-"
    // A hyphen must not be the last character of the longest label.
    return length + (endsInHyphen ? 1 : 0) < Self.longestLabel
  }
}

extension Unicode.Scalar {
  fileprivate var isLetterOrDigit: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9": true
    default: false
    }
  }

  /// Whether the character is `atext` of RFC 5322, section 3.2.3, or a dot.
  fileprivate var isLocal: Bool {
    isLetterOrDigit || ".!#$%&'*+/=?^_`{|}~-".unicodeScalars.contains(self)
  }
}

extension Validator<String> {
  /// Returns a check that a regular expression matches the whole text.
  ///
  /// ```swift
  /// let postcode: Validator<String> = .matching(.custom("postcode")) { /[0-9]{5}/ }
  /// ```
  ///
  /// Other texts are `.notYet`, since a regular expression cannot tell whether more typing helps.
  ///
  /// - Parameters:
  ///   - requirement: The requirement, in the app's words.
  ///   - regex: Creates the regular expression; called once.
  /// - Returns: A validator of one check.
  public static func matching<Output>(
    _ requirement: ValidationMessage, _ regex: @Sendable () -> Regex<Output>
  ) -> Validator {
    let pattern = Pattern(regex)
    return Validator("matching", requirement) {
      $1.note(pattern.matches($0) ? .satisfied : .notYet)
    }
  }
}

// `@unchecked`: the regular expression is used only inside serialized accesses, and the closure
// that created it cannot share non-`Sendable` values.
private final class Pattern: @unchecked Sendable {
  private let matchesWhole: Serialized<(String) -> Bool>

  init<Output>(_ regex: @Sendable () -> Regex<Output>) {
    let regex = regex()
    matchesWhole = Serialized(wrappedValue: { $0.wholeMatch(of: regex) != nil })
  }

  func matches(_ text: String) -> Bool {
    matchesWhole.access { $0(text) }
  }
}
