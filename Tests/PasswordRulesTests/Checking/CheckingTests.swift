import PasswordRules
import Testing

struct CheckingTests {
  @Test func eachRuleHasItsState() throws {
    let rules = try PasswordRuleSet(
      """
      required: upper; required: digit; allowed: lower; max-consecutive: 3; max-repeating: 2; \
      minlength: 8; maxlength: 10;
      """)
    let report = rules.check("abbbC!")
    let states = Dictionary(uniqueKeysWithValues: report.checks.map { ($0.rule, $0) })
    #expect(report.checks.count == 7)
    #expect(states[.required(.upper)]?.state == .satisfied)
    #expect(states[.required(.digits)]?.state == .incomplete)
    #expect(states[.allowed(.upper, .lower, .digits)]?.violations == [5..<6])
    #expect(states[.maxConsecutive(3)]?.state == .satisfied)
    #expect(states[.maxRepeating(2)]?.violations == [1..<4])
    #expect(states[.minLength(8)]?.state == .incomplete)
    #expect(states[.maxLength(10)]?.state == .satisfied)
    #expect(report.shortestCompletion == nil && !report.isSatisfied)
    #expect(rules.check("abC").shortestCompletion == 5)
  }

  @Test func unprintableAndOtherCharactersAreForbidden() throws {
    let rules = try PasswordRuleSet("required: lower; minlength: 5;")
    let report = rules.check("é\u{301}a\u{7F}\r\n👍b")
    #expect(report.length == 8)
    #expect(report.checks[0].state == .satisfied)
    #expect(report.checks[1].violations == [0..<2, 3..<7])
    let unicode = try PasswordRuleSet("required: unicode; required: digit; maxlength: 3;")
    #expect(unicode.isSatisfied(by: "\u{7F}1") && unicode.isSatisfied(by: "11"))
    for password in ["é", "1"] {
      let states = unicode.check(password).checks.map(\.state)
      #expect(states == [.satisfied, .incomplete, .satisfied, .satisfied])
    }
    #expect(unicode.check("1", matching: .any).isSatisfied)
  }

  @Test func maxConsecutiveIsReportedSeparately() throws {
    let report = try PasswordRuleSet("max-consecutive: 2;").check("xabcdyyy")
    let check = try #require(report.checks.first { $0.rule == .maxConsecutive(2) })
    #expect(check.violations == [1..<5, 5..<8])
  }

  /// Parsers before 2026 limit equal characters alone.
  @Test func olderMeaningOfMaxConsecutiveIsSupported() throws {
    let rules = try PasswordRuleSet("allowed: [abc]; max-consecutive: 1; minlength: 3;")
    let older = rules.withOlderMaxConsecutive
    #expect(older == (try PasswordRuleSet("allowed: [abc]; max-repeating: 1; minlength: 3;")))
    #expect(!rules.isSatisfied(by: "abc") && older.isSatisfied(by: "abc"))
    #expect(!older.isSatisfied(by: "aab"))
    #expect(try rules.count(length: 3).description == "2")
    #expect(try older.count(length: 3).description == "12")
    #expect(try rules.compared(to: older).relation == .stricter)
    for _ in 0..<20 {
      #expect(older.isSatisfied(by: try PasswordGenerator(older, length: 3).password()))
    }
    #expect(PasswordRuleSet([.maxRepeating(2)]).withOlderMaxConsecutive == [.maxRepeating(2)])
  }

  @Test(arguments: [
    ("zyx", [0..<3]), ("xyz", [0..<3]), ("a`_", []), ("A@?", []), ("z{|", []), ("9:;", []),
    ("210", [0..<3]), ("abcba", [0..<3, 2..<5]), ("aab", []), ("ZAB", []),
  ])
  func sequencesStayWithinLettersOrDigits(password: String, violations: [Range<Int>]) throws {
    let report = PasswordRuleSet([.maxSequential(2)]).check(password)
    let check = try #require(report.checks.first { $0.rule == .maxSequential(2) })
    #expect(check.violations == violations)
  }

  @Test func limitsOnRunsCanExcludeEveryCompletion() throws {
    let rules = try PasswordRuleSet(
      "allowed: [abc]; max-repeating: 1; max-sequential: 1; minlength: 2;")
    #expect(rules.check("b").shortestCompletion == nil)
    #expect(rules.check("a").shortestCompletion == 1)
  }

  @Test func oneCharacterMeetsOnlyRequirementsThatShareIt() throws {
    let apart = try PasswordRuleSet("required: upper; required: digit;")
    #expect(apart.check("", matching: .any).shortestCompletion == 2)
    let shared = try PasswordRuleSet("required: upper; required: [A1];")
    #expect(shared.check("", matching: .any).shortestCompletion == 1)
    let free = PasswordRuleSet(shared.rules + [.allowed(.unicode)])
    #expect(free.check("é", matching: .any).shortestCompletion == 1)
  }

  @Test func deadEndIsViolated() throws {
    let rules = try PasswordRuleSet(
      "required: upper; required: digit; required: [-]; required: [!]; allowed: lower; maxlength: 6;"
    )
    let open = rules.check("ab")
    #expect(open.shortestCompletion == 4)
    #expect(open.checks.allSatisfy { $0.state != .violated })
    // Four classes are missing, with room for three characters.
    let dead = rules.check("abc")
    #expect(dead.shortestCompletion == nil)
    #expect(dead.checks.prefix(4).allSatisfy { $0.state == .violated })
  }

  @Test func repeatedRequirementNeedsAnotherCharacter() throws {
    let rules = try PasswordRuleSet("required: digit; required: digit; allowed: lower;")
    #expect(!rules.isSatisfied(by: "a1") && rules.isSatisfied(by: "a12"))
    #expect(rules.isSatisfied(by: "a1", matching: .any))
    let overlapping = try PasswordRuleSet("required: [abc]; required: [ab]; required: [a];")
    #expect(overlapping.isSatisfied(by: "abc") && overlapping.isSatisfied(by: "cba"))
    #expect(overlapping.isSatisfied(by: "bbccca"))
    #expect(!overlapping.isSatisfied(by: "bbbccc") && !overlapping.isSatisfied(by: "accc"))
  }

  @Test(
    arguments: [
      (.codePoints, 5, 1..<5), (.graphemeClusters, 1, nil), (.utf16, 8, 0..<5), (.utf8, 18, 0..<5),
    ] as [(LengthUnit, Int, Range<Int>?)])
  func lengthIsCountedInTheUnit(unit: LengthUnit, length: Int, excess: Range<Int>?) {
    let report = PasswordRuleSet([.allowed(.unicode), .maxLength(1)]).check("👩‍👩‍👧", unit: unit)
    #expect(report.length == length)
    #expect(report.checks.last?.violations == (excess.map { [$0] } ?? []))
  }

  @Test func manyEqualRequirementsDoNotOverflowStack() {
    let rules = PasswordRuleSet(
      Array(repeating: .required(.digits), count: 3000) + [.required(.upper)])
    #expect(!rules.isSatisfied(by: String(repeating: "7", count: 3001)))
    #expect(rules.isSatisfied(by: String(repeating: "7", count: 3000) + "A"))
  }
}
