import PasswordRules

// The check of an email address.
extension Validator<String> {
  /// A validator for an email address that `input type=email` of the HTML Standard accepts.
  ///
  /// The syntax deliberately differs from RFC 5322: letters, digits, and some punctuation in ASCII,
  /// then `@`, and one or more dot-separated labels of up to 63 letters, digits, and inner hyphens.
  ///
  /// If appending text can complete an address, the check is `.incomplete`, otherwise `.violated`
  /// with the position of the first invalid character.
  public static var email: Validator {
    Validator("email", .email) { string, results in
      // The length of the current label, or nil before the `@`.
      var label: Int?
      var previous: Unicode.Scalar?
      for (position, scalar) in string.unicodeScalars.enumerated() {
        // email = 1*( atext / "." ) "@" label *( "." label )
        // label = let-dig [ [ ldh-str ] let-dig ]    ; at most 63 characters
        let isValid =
          switch (scalar, label) {
          case ("@", nil): previous != nil
          case (_, nil): scalar.isLocal
          case (".", let length?): length > 0 && previous != "-"
          case ("-", let length?): length > 0 && length < 62
          case (_, let length?): scalar.isASCIIAlphanumeric && length < 63
          }
        if !isValid {
          return results.record(
            .violated, advice: .remove([String(scalar)]), positions: [position..<(position + 1)])
        }
        label = scalar == "@" || scalar == "." && label != nil ? 0 : label.map { $0 + 1 }
        previous = scalar
      }
      results.record((label ?? 0) > 0 && previous != "-" ? .satisfied : .incomplete)
    }
  }
}

extension Unicode.Scalar {
  /// Whether the character is `atext` or a dot.
  fileprivate var isLocal: Bool {
    isASCIIAlphanumeric || ".!#$%&'*+/=?^_`{|}~-".unicodeScalars.contains(self)
  }
}
