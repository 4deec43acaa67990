import Testing

@testable import PasswordRules

struct RankingTests {
  @Test(arguments: [RequirementReading.distinct, .any])
  func countsAndRanksAgreeWithTryingAll(reading: RequirementReading) throws {
    var random = RandomRules(seed: 5)
    for _ in 0..<250 {
      let rules = random.next()
      for length in 0...4 {
        let satisfying = all(length).filter { rules.isSatisfied(by: text($0), reading: reading) }
        let ranking = PasswordRanking(try rules.space(reading: reading), length: length)
        #expect(ranking.count == Natural(UInt64(satisfying.count)), "\(rules) \(length)")
        guard ranking.count == Natural(UInt64(satisfying.count)) else { return }
        let listed = (0..<satisfying.count).map { ranking.password(Natural(UInt64($0))) }
        #expect(Set(listed) == Set(satisfying), "\(rules) \(length)")
        #expect(listed.enumerated().allSatisfy { ranking.rank(of: $1) == Natural(UInt64($0)) })
      }
    }
  }

  @Test(arguments: [RequirementReading.distinct, .any])
  func shortestCompletionIsThatFoundByTryingAll(reading: RequirementReading) throws {
    var random = RandomRules(seed: 6)
    for _ in 0..<60 {
      let rules = PasswordRuleSet(random.next().rules + [.minLength(2), .maxLength(5)])
      for begun in (0...2).flatMap({ all($0) }) {
        let found = (0...(5 - begun.count)).first { more in
          all(more).contains { rules.isSatisfied(by: text(begun + $0), reading: reading) }
        }
        let report = rules.check(text(begun), reading: reading)
        #expect(report.shortestCompletion == found, "\(rules) \(text(begun))")
      }
    }
  }

  private func all(_ length: Int) -> [[Unicode.Scalar]] {
    (0..<length).reduce([[]]) { words, _ in
      words.flatMap { word in RandomRules.characters.map { word + [$0] } }
    }
  }

  private func text(_ scalars: [Unicode.Scalar]) -> String {
    String(String.UnicodeScalarView(scalars))
  }
}
