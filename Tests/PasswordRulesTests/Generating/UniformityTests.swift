import TestSupport
import Testing

@testable import PasswordRules

/// The uniform distribution of passwords, by Pearson's chi-square test with a fixed seed.
struct UniformityTests {
  private static let perPassword = 40

  @Test(arguments: [
    ("required: [ab]; required: [12]; allowed: [ab12]", 3),
    ("required: [ab]; required: [bc]; allowed: [abc]", 3),
    ("allowed: [abc1]; max-repeating: 1; max-sequential: 2", 4), ("allowed: [abcd]", 3),
    ("required: [a]; required: [a]; allowed: [abc]; max-consecutive: 2", 4),
  ])
  func eachPasswordIsAsLikely(descriptor: String, length: Int) throws {
    let generator = try PasswordGenerator(PasswordRuleSet(descriptor), length: length)
    var random = SeededGenerator(seed: 11)
    let kinds = try #require(Int(generator.count.description))
    let passwords = (0..<kinds * Self.perPassword).map { _ in
      generator.password(using: &random)
    }
    #expect(Self.isEven(passwords, kinds: kinds))
  }

  /// The common algorithm: one character of each class, the rest from all, shuffled.
  @Test func placingFillingAndShufflingIsNotEven() throws {
    let rules = try PasswordRuleSet("required: [ab]; required: [12]; allowed: [ab12]")
    let kinds = try #require(Int(try rules.count(length: 4).description))
    var random = SeededGenerator(seed: 11)
    let passwords = (0..<kinds * Self.perPassword).map { _ in
      let placed = ["ab", "12", "ab12", "ab12"].map { $0.randomElement(using: &random)! }
      return String(placed.shuffled(using: &random))
    }
    #expect(!Self.isEven(passwords, kinds: kinds))
  }

  /// Whether the statistic is within five standard deviations of a uniform distribution's.
  private static func isEven(_ passwords: [String], kinds: Int) -> Bool {
    let counts = Dictionary(grouping: passwords) { $0 }.mapValues { Double($0.count) }
    let expected = Double(passwords.count) / Double(kinds)
    let missing = Double(kinds - counts.count) * expected
    let statistic = counts.values.map { ($0 - expected) * ($0 - expected) / expected }
      .reduce(missing, +)
    let degrees = Double(kinds - 1)
    return counts.count <= kinds && abs(statistic - degrees) < 5 * (2 * degrees).squareRoot()
  }
}
