import TestSupport
import Testing

@testable import PasswordRules

struct RankingTests {
  @Test(arguments: [RequirementMatchingMode.distinct, .any], [false, true])
  func countsAndRanksMatchExhaustiveSearch(
    mode: RequirementMatchingMode, rejectsOuterBlanks: Bool
  ) throws {
    var random = RandomRules(seed: 5)
    for _ in 0..<Campaign.size(sample: 8, full: 500) {
      let rules = random.next()
      for length in 0...4 {
        let satisfying = RandomRules.all(length).filter {
          rules.isSatisfied(by: $0, matching: mode)
            && (!rejectsOuterBlanks || $0.first != " " && $0.last != " ")
        }
        var counter = PasswordCounter(
          rules: rules, mode: mode, rejectsOuterBlanks: rejectsOuterBlanks)
        let ranking = PasswordRanking(try counter.automaton(), length: length)
        #expect(ranking.count == Natural(UInt64(satisfying.count)), "\(rules) \(length)")
        guard ranking.count == Natural(UInt64(satisfying.count)) else { return }
        let listed = (0..<satisfying.count).map {
          String(String.UnicodeScalarView(ranking.password(Natural(UInt64($0)))))
        }
        #expect(Set(listed) == Set(satisfying), "\(rules) \(length)")
      }
    }
  }

  @Test(arguments: [RequirementMatchingMode.distinct, .any])
  func shortestCompletionMatchesExhaustiveSearch(mode: RequirementMatchingMode) throws {
    var random = RandomRules(seed: 6)
    for _ in 0..<Campaign.size(sample: 2, full: 15) {
      let rules = PasswordRuleSet(random.next().rules + [.minLength(2), .maxLength(4)])
      for begun in (0...2).flatMap({ RandomRules.all($0) }) {
        let found = (0...(4 - begun.count)).first { more in
          RandomRules.all(more).contains { rules.isSatisfied(by: begun + $0, matching: mode) }
        }
        let report = rules.check(begun, matching: mode)
        #expect(report.shortestCompletion == found, "\(rules) \(begun)")
      }
    }
  }
}
