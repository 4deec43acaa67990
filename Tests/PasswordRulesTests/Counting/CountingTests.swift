import TestSupport
import Testing

@testable import PasswordRules

struct CountingTests {
  private struct Row: Decodable {
    let rules: String
    let length: Int
    let any: String?
    let distinct: String
  }

  @Test(.enabled(if: SharedData.isAvailable, "the exact counts are not on this machine"))
  func countsMatchIndependentImplementation() throws {
    let rows: [Row] = try SharedData.lines(of: "counts.jsonl")
    for row in rows.every(Campaign.size(sample: 15, full: 1)) {
      let rules = try PasswordRuleSet(row.rules)
      #expect(try rules.count(length: row.length).description == row.distinct, "\(row.rules)")
      let any = try rules.count(length: row.length, matching: .any)
      #expect(any.description == row.any, "\(row.rules)")
    }
  }

  @Test func passwordsAreCountedExactly() throws {
    for row in try Fixture.rows("counts") as [Row] {
      let count = try PasswordRuleSet(row.rules).count(length: row.length)
      #expect(count.description == row.distinct, "\(row)")
    }
  }

  @Test func lengthAndRequirementsHaveLimits() throws {
    #expect(throws: PasswordRulesError.self) { try PasswordRuleSet([]).count(length: 1025) }
    #expect(try PasswordRuleSet([.allowed(.custom("a"))]).count(length: 1024) == 1)
    let many = PasswordRuleSet(
      Array(repeating: .required([.custom("a")]), count: 70_000) + [.maxRepeating(1)])
    #expect(throws: PasswordRulesError.self) { try many.shortestLength() }
    #expect(try many.count(length: 1024).isZero)
    // The requirements overlap one another, so that there is a state for each subset.
    let overlapping = PasswordRuleSet(
      PrintableCharacters.lower.map { left in
        .required([.custom(PrintableCharacters.lower.subtracting(.init("\(left)")!))])
      })
    #expect(throws: PasswordRulesError.self) { try overlapping.count(length: 200) }
    #expect(overlapping.check("abc").shortestCompletion == 23)
  }

  @Test(arguments: ["max-repeating", "max-sequential", "max-consecutive"])
  func limitOnRunsOverTheLengthHasNoEffect(name: String) throws {
    for limit in [5, 1_000_000_000, Int.max] {
      let rules = try PasswordRuleSet("\(name): \(limit);")
      #expect(try rules.count(length: 5) == PasswordRuleSet([]).count(length: 5))
      #expect(try PasswordGenerator(rules, length: 5).password().count == 5)
      #expect(rules.check("abc").shortestCompletion == 0)
    }
  }

  @Test func highLimitsOnRunsAreRejected() throws {
    let high = try PasswordRuleSet("allowed: [abc]; max-consecutive: 1000000; minlength: 1000000;")
    #expect(high.check("a").shortestCompletion == 999_999)
    #expect(throws: PasswordRulesError.self) { try high.shortestLength() }
    let long = try PasswordRuleSet("max-consecutive: 1000; minlength: 1024;")
    #expect(throws: PasswordRulesError.self) { try PasswordGenerator(long) }
    let highest = try PasswordRuleSet("max-repeating: \(Int.max); minlength: 3;")
    #expect(try highest.compared(to: [.minLength(3)]).relation == .equal)
  }

  @Test func entropyIsTheBinaryLogarithm() throws {
    #expect(try PasswordRuleSet([.allowed(.custom("ab"))]).entropy(length: 1000) == 1000)
    #expect(try abs(PasswordRuleSet([]).entropy(length: 20) - 131.397) < 0.001)
    #expect(try PasswordRuleSet([.minLength(4)]).entropy(length: 3) == -.infinity)
  }
}
