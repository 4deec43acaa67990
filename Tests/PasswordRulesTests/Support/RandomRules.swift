import PasswordRules
import TestSupport

/// Small rule sets over few characters, for which all passwords can be enumerated.
struct RandomRules {
  static let characters = Array("abc1 -".unicodeScalars)

  var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// Returns all passwords of a length over the characters.
  static func all(_ length: Int) -> [String] {
    (0..<length).reduce([""]) { words, _ in
      words.flatMap { word in characters.map { "\(word)\($0)" } }
    }
  }

  mutating func next() -> PasswordRuleSet {
    var rules: [PasswordRule] = [.allowed(.custom(characters(atLeast: 1)))]
    for _ in 0..<Int.random(in: 0...3, using: &generator) {
      rules.append(.required(.custom(characters(atLeast: 1))))
    }
    if Bool.random(using: &generator) {
      rules.append(.maxRepeating(.random(in: 1...3, using: &generator)))
    }
    if Bool.random(using: &generator) {
      rules.append(.maxSequential(.random(in: 1...3, using: &generator)))
    }
    if Int.random(in: 0..<5, using: &generator) == 0 {
      rules.append(.maxConsecutive(.random(in: 1...3, using: &generator)))
    }
    return PasswordRuleSet(rules)
  }

  private mutating func characters(atLeast count: Int) -> PrintableCharacters {
    let chosen = Self.characters.shuffled(using: &generator)
      .prefix(.random(in: count...Self.characters.count, using: &generator))
    return PrintableCharacters(String(String.UnicodeScalarView(chosen)))!
  }
}
