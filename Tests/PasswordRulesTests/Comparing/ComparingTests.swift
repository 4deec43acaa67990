import TestSupport
import Testing

@testable import PasswordRules

struct ComparingTests {
  @Test func differenceIsReadable() throws {
    let old = try PasswordRuleSet("required: upper; allowed: lower, digit; maxlength: 20;")
    let new = try PasswordRuleSet(
      "required: upper; required: digit; allowed: lower; maxlength: 16;")
    let comparison = try new.compared(to: old)
    #expect(comparison.relation == .stricter)
    #expect(
      comparison.differences.map(\.description)
        == ["now also requires a digit", "at most 16 characters instead of 20"])
    let witness = try #require(comparison.onlySecond)
    #expect(old.isSatisfied(by: witness) && !new.isSatisfied(by: witness))
    #expect(try old.compared(to: new).relation == .looser)
    #expect(try old.compared(to: old).relation == .equal)
  }

  @Test func unicodeAllowsMoreThanPrintableASCII() throws {
    let comparison = try PasswordRuleSet("allowed: unicode;").compared(to: [])
    #expect(comparison.relation == .looser)
    #expect(try !PasswordRuleSet([]).isSatisfied(by: #require(comparison.onlyFirst)))
  }

  @Test func equivalentRulesAreEqual() throws {
    for row in try Fixture.rows("equivalent-rules", as: [String].self) {
      let comparison = try PasswordRuleSet(row[0]).compared(to: PasswordRuleSet(row[1]))
      #expect(comparison.relation == .equal, "\(row) \(comparison)")
    }
  }

  @Test(arguments: [RequirementMatchingMode.distinct, .any])
  func relationsMatchExhaustiveSearch(mode: RequirementMatchingMode) throws {
    var random = RandomRules(seed: 7)
    for _ in 0..<Campaign.size(sample: 4, full: 60) {
      let limits: [PasswordRule] = [.maxLength(.random(in: 1...3, using: &random.generator))]
      let one = PasswordRuleSet(random.next().rules + limits)
      let other = PasswordRuleSet(random.next().rules + limits + [.minLength(1)])
      let comparison = try one.compared(to: other, matching: mode)
      let passwords = (0...3).flatMap { RandomRules.all($0) }
      let first = passwords.filter { one.isSatisfied(by: $0, matching: mode) }
      let second = passwords.filter { other.isSatisfied(by: $0, matching: mode) }
      let onlyFirst = first.filter { !second.contains($0) }
      let onlySecond = second.filter { !first.contains($0) }
      #expect((comparison.onlyFirst == nil) == onlyFirst.isEmpty, "\(one) | \(other)")
      #expect((comparison.onlySecond == nil) == onlySecond.isEmpty, "\(one) | \(other)")
      if let witness = comparison.onlyFirst {
        #expect(witness.count == onlyFirst[0].count && onlyFirst.contains(witness))
      }
      if let witness = comparison.onlySecond { #expect(onlySecond.contains(witness)) }
    }
  }
}
