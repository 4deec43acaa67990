extension Validator<String> {
  /// An email address as `input type=email` of the HTML Standard accepts it.
  ///
  /// The standard calls it a willful violation of RFC 5322: letters, digits and some marks, `@`, and
  /// labels of at most 63 letters, digits and inner hyphens with dots between them. There need be no
  /// dot, and nothing beyond ASCII is accepted. Whether the address exists only a message to it tells.
  ///
  /// It is `.notYet` while the text can be gone on to an address, and else `.broken` at the first place
  /// that no address has.
  public static var email: Validator {
    Validator("email", .email) { text, findings in
      var reader = EmailReader()
      for (place, scalar) in text.unicodeScalars.enumerated() where !reader.read(scalar) {
        return findings.note(
          .broken, advice: .remove([String(scalar)]), places: [place..<(place + 1)])
      }
      findings.note(reader.isComplete ? .satisfied : .notYet)
    }
  }
}

/// Reads an address character by character, as the HTML Standard has it.
///
///     email = 1*( atext / "." ) "@" label *( "." label )
///     label = let-dig [ [ ldh-str ] let-dig ]    ; at most 63 characters
private struct EmailReader {
  private static let longestLabel = 63

  private var hasLocalPart = false
  /// The length of the label that is read; nil before the `@`.
  private var label: Int?
  private var endsInHyphen = false

  var isComplete: Bool { (label ?? 0) > 0 && !endsInHyphen }

  /// Whether an address can have this character next.
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
    // A hyphen cannot be the last of the longest label.
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

  /// The `atext` of RFC 5322, section 3.2.3, or a dot.
  fileprivate var isLocal: Bool {
    isLetterOrDigit || ".!#$%&'*+/=?^_`{|}~-".unicodeScalars.contains(self)
  }
}
