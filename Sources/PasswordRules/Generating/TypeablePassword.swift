/// A generator of passwords that are easy to read out and type: syllables with one capital and
/// one digit, such as `tapqof-5nubri-Hyxgek`.
///
/// This is the style that browsers suggest: 11 consonants and 6 vowels in three groups. There are
/// 19^11 · 6^6 · 16 · 50 of them; as some are likelier than others, the entropy is 71 bits. For
/// rules that the style cannot satisfy, use a ``PasswordGenerator``.
public struct TypeablePassword: Sendable {
  // Without l, which resembles 1 and I, and without y, which is a vowel here.
  private static let consonants = Array("bcdfghjkmnpqrstvwxz".unicodeScalars)
  private static let vowels = Array("aeiouy".unicodeScalars)
  private static let digits = Array("0123456789".unicodeScalars)
  private static let groupLength = 6
  /// The positions of the digit: the end of the first group, both ends of the others.
  private static let digitPlaces = [5, 6, 11, 12, 17]
  // Without O, which resembles 0.
  private static let capitals = (consonants + vowels).filter { $0 != "o" }.map(\.asCapital)

  private let rules: PasswordRuleSet
  private let isGrouped: Bool

  /// Creates the generator; nil if the rules exclude the style.
  public init?(_ rules: PasswordRuleSet) {
    self.rules = rules
    isGrouped = rules.alphabet.contains("-")
    let length = isGrouped ? 20 : 18
    guard length >= rules.minLength ?? 0, length <= rules.maxLength ?? length else { return nil }
    let kinds: [(characters: [Unicode.Scalar], count: Int)] = [
      (Self.digits, 1), (Self.capitals, 1), (Self.consonants, 10), (Self.vowels, 5),
      (["-"], isGrouped ? 2 : 0),
    ]
    let used = kinds.filter { $0.count > 0 }
    guard used.allSatisfy({ $0.characters.allSatisfy(rules.alphabet.contains) }) else { return nil }
    // All characters of a kind meet the same requirements, whichever are chosen.
    let requirements = rules.requirements.map { requirement in
      used.filter { $0.characters.allSatisfy(requirement.contains) }
    }
    var matching = RequirementMatching(
      requirements.map { kinds in
        kinds.reduce(.printable(PrintableCharacters())) {
          $0.union(Alphabet([.custom(PrintableCharacters(String($1.characters[0]))!)]))
        }
      })
    for kind in used {
      for _ in 0..<kind.count { matching.deal(kind.characters[0]) }
    }
    if matching.unmet > 0 { return nil }
  }

  /// Generates a password from the system's random numbers.
  public func password() -> String {
    var generator = SystemRandomNumberGenerator()
    return password(using: &generator)
  }

  /// Generates a password from random numbers, which must be unpredictable for real use.
  public func password(using generator: inout some RandomNumberGenerator) -> String {
    while true {
      let password = Self.candidate(isGrouped: isGrouped, using: &generator)
      // Occasionally, two syllables form a run that is too long.
      if rules.isSatisfied(by: password) { return password }
    }
  }

  private static func candidate(
    isGrouped: Bool, using generator: inout some RandomNumberGenerator
  ) -> String {
    var scalars: [Unicode.Scalar] = []
    // Five times consonant, vowel, consonant, and the first two of a sixth.
    for place in 0..<17 {
      let kind = place % 3 == 1 ? vowels : consonants
      scalars.append(kind[.random(in: kind.indices, using: &generator)])
    }
    let letters = scalars.indices.filter { scalars[$0] != "o" }
    let capital = letters[.random(in: letters.indices, using: &generator)]
    scalars[capital] = scalars[capital].asCapital
    let place = digitPlaces[.random(in: digitPlaces.indices, using: &generator)]
    scalars.insert(digits[.random(in: digits.indices, using: &generator)], at: place)
    if isGrouped {
      for end in [2 * groupLength, groupLength] { scalars.insert("-", at: end) }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}

extension Unicode.Scalar {
  /// The capital of a small ASCII letter.
  fileprivate var asCapital: Unicode.Scalar { Unicode.Scalar(UInt8(value) - 0x20) }
}
