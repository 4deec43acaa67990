import PasswordRules

// The check of an email address.
extension Validator<String> {
  /// A validator for an email address that `input type=email` of the HTML Standard accepts.
  ///
  /// The syntax deliberately differs from RFC 5322: letters, digits, and some punctuation in ASCII,
  /// the character `@`, and dot-separated labels of up to 63 letters, digits, and inner hyphens. A
  /// dot is not required.
  ///
  /// If appending text can complete an address, the check is `.incomplete`, otherwise `.violated`
  /// with the position of the first invalid character.
  public static var email: Validator {
    Validator("email", .email) { string, results in
      var parser = EmailParser()
      for (position, scalar) in string.unicodeScalars.enumerated() where !parser.consume(scalar) {
        return results.record(
          .violated, advice: .remove([String(scalar)]), positions: [position..<(position + 1)])
      }
      results.record(parser.isComplete ? .satisfied : .incomplete)
    }
  }
}

/// A parser with the grammar of the HTML Standard.
///
///     email = 1*( atext / "." ) "@" label *( "." label )
///     label = let-dig [ [ ldh-str ] let-dig ]    ; at most 63 characters
private struct EmailParser {
  private static let longestLabel = 63

  private var hasLocalPart = false
  /// The length of the current label, or nil before the `@`.
  private var label: Int?
  private var endsInHyphen = false

  var isComplete: Bool { (label ?? 0) > 0 && !endsInHyphen }

  /// Consumes a character, or returns false if no address can continue with it.
  mutating func consume(_ scalar: Unicode.Scalar) -> Bool {
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
  /// Whether the character is `atext` or a dot.
  fileprivate var isLocal: Bool {
    isASCIIAlphanumeric || ".!#$%&'*+/=?^_`{|}~-".unicodeScalars.contains(self)
  }
}
