/// A generator of passwords that are easy to read aloud and type, such as `tapqof-5nubri-Hyxgek`.
///
/// The passwords have the style that browsers suggest: three groups of six characters, which form
/// syllables of 11 consonants and 6 vowels, with one uppercase letter and one digit. There are
/// 19^11 · 6^6 · 16 · 50 passwords. Because some are more likely than others, the entropy is 71
/// bits. If the rules exclude this style, use a ``PasswordGenerator``.
public struct TypeablePasswordGenerator: Sendable {
  // The letter l is missing because it resembles 1 and I, and y is a vowel.
  private static let consonants = Array("bcdfghjkmnpqrstvwxz".unicodeScalars)
  private static let vowels = Array("aeiouy".unicodeScalars)
  private static let digits = Array("0123456789".unicodeScalars)
  private static let groupLength = 6
  /// The possible positions of the digit: the end of the first group, and both ends of the others.
  private static let digitPositions = [5, 6, 11, 12, 17]
  // The letter O is missing because it resembles 0.
  private static let capitals = (consonants + vowels).filter { $0 != "o" }.map(\.asCapital)

  private let rules: PasswordRuleSet
  private var isGrouped: Bool { rules.alphabet.contains("-") }

  /// Creates a generator.
  ///
  /// - Throws: ``PasswordRulesError/excluded(_:)`` with the reason if the rules exclude the style.
  public init(_ rules: PasswordRuleSet) throws {
    self.rules = rules
    let length = isGrouped ? 20 : 18
    if let limit = rules.minLength, length < limit {
      throw PasswordRulesError.excluded("it has \(length) characters, and minlength is \(limit)")
    }
    if let limit = rules.maxLength, length > limit {
      throw PasswordRulesError.excluded("it has \(length) characters, and maxlength is \(limit)")
    }
    var kinds: [(name: String, characters: [Unicode.Scalar], count: Int)] = [
      ("digits", Self.digits, 1), ("uppercase letters", Self.capitals, 1),
      ("lowercase letters", Self.consonants, 10), ("lowercase letters", Self.vowels, 5),
    ]
    if isGrouped { kinds.append(("hyphens", ["-"], 2)) }
    for kind in kinds where !kind.characters.allSatisfy(rules.alphabet.contains) {
      throw PasswordRulesError.excluded("it needs \(kind.name) that are not allowed")
    }
    // A kind counts only toward requirements that all its characters meet; the first represents it.
    var matching = RequirementMatching(
      rules.requirements.map { requirement in
        let meeting = kinds.filter { $0.characters.allSatisfy(requirement.contains) }
        let samples = String.UnicodeScalarView(meeting.map { $0.characters[0] })
        return Alphabet(listed: PrintableCharacters(String(samples))!)
      })
    for kind in kinds {
      for _ in 0..<kind.count { matching.assign(kind.characters[0]) }
    }
    if matching.unmet > 0 {
      throw PasswordRulesError.excluded(
        """
        one digit, one uppercase letter\(isGrouped ? ", two hyphens" : "") and lowercase letters do not \
        meet all that is required
        """)
    }
  }

  /// Returns a password generated with the system's random number generator.
  public func password() -> String {
    var generator = SystemRandomNumberGenerator()
    return password(using: &generator)
  }

  /// Returns a password that is only as unpredictable as the numbers of the given generator.
  public func password(using generator: inout some RandomNumberGenerator) -> String {
    while true {
      // Five syllables of a consonant, a vowel, and a consonant, and two letters of a sixth.
      var scalars = (0..<17).map { position in
        (position % 3 == 1 ? Self.vowels : Self.consonants).randomElement(using: &generator)!
      }
      let letters = scalars.indices.filter { scalars[$0] != "o" }
      let capital = letters.randomElement(using: &generator)!
      scalars[capital] = scalars[capital].asCapital
      let position = Self.digitPositions.randomElement(using: &generator)!
      scalars.insert(Self.digits.randomElement(using: &generator)!, at: position)
      if isGrouped {
        for end in [2 * Self.groupLength, Self.groupLength] { scalars.insert("-", at: end) }
      }
      let password = String(String.UnicodeScalarView(scalars))
      // The end of a syllable and the start of the next can form a run that is too long.
      if rules.isSatisfied(by: password) { return password }
    }
  }
}

extension Unicode.Scalar {
  fileprivate var asCapital: Unicode.Scalar { Unicode.Scalar(UInt8(value) - 0x20) }
}
