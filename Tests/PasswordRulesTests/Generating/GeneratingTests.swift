import TestSupport
import Testing

@testable import PasswordRules

struct GeneratingTests {
  @Test(arguments: [
    "", "required: upper; required: lower; required: digit; required: special; minlength: 20;",
    "required: digit; required: digit; allowed: [ab]; maxlength: 4;",
    "allowed: [ab]; max-repeating: 1; minlength: 12;", "allowed: lower; max-sequential: 1;",
    "required: [-]; allowed: ascii-printable; max-consecutive: 2; minlength: 40;",
    "allowed: unicode;",
  ])
  func generatedPasswordsSatisfyTheRules(descriptor: String) throws {
    let rules = try PasswordRuleSet(descriptor)
    let generator = try PasswordGenerator(rules)
    var random = SeededGenerator(seed: 1)
    for _ in 0..<Campaign.size(sample: 20, full: 200) {
      let password = generator.password(using: &random)
      #expect(password.count == generator.length)
      #expect(rules.isSatisfied(by: password), "\(password)")
    }
  }

  @Test func defaultLengthIsTwentyOrNearest() throws {
    #expect(try PasswordGenerator([]).length == 20)
    #expect(try PasswordGenerator([.minLength(8), .maxLength(12)]).length == 12)
    #expect(try PasswordGenerator([.minLength(30)]).length == 30)
  }

  @Test func errorExplainsUnsatisfiableRules() throws {
    let four: [PasswordRule] = [
      .required(.upper), .required(.lower), .required(.digits), .required(.special),
    ]
    #expect(
      throws: PasswordRulesError.unsatisfiable("4 required classes do not fit in maxlength 3")
    ) { try PasswordGenerator(PasswordRuleSet(four + [.maxLength(3)])) }
    #expect(throws: PasswordRulesError.unsatisfiable("minlength 9 is greater than maxlength 8")) {
      try PasswordGenerator([.minLength(9), .maxLength(8)])
    }
    let error = #expect(throws: PasswordRulesError.self) {
      try PasswordGenerator([.allowed(.custom("a")), .maxRepeating(2), .minLength(8)])
    }
    #expect(
      error?.description
        == """
        No password satisfies these rules: the limits on runs exclude all passwords of at least 8 characters. \
        Relax one of them, or choose another length.
        """
    )
  }

  @Test(arguments: [
    "", "required: upper; required: lower; required: digit; required: [-]; required: [-];",
    "required: upper; required: digit; allowed: lower; minlength: 18;", "max-consecutive: 1;",
  ])
  func typeablePasswordsSatisfyTheRules(descriptor: String) throws {
    let rules = try PasswordRuleSet(descriptor)
    let style = try TypeablePasswordGenerator(rules)
    var random = SeededGenerator(seed: 2)
    for _ in 0..<20 { #expect(rules.isSatisfied(by: style.password(using: &random))) }
  }

  @Test func excludedTypeableStyleHasReason() throws {
    for row in try Fixture.rows("excluded-styles", as: [String].self) {
      #expect(throws: Never.self, "\(row)") {
        let rules = try PasswordRuleSet(row[0])
        let error = try #require(throws: PasswordRulesError.self, "\(row)") {
          try TypeablePasswordGenerator(rules)
        }
        #expect(error.description.contains(row[1]), "\(row) \(error)")
      }
    }
  }

  @Test(arguments: [
    "", "required: special; minlength: 3; maxlength: 3;", "allowed: [ a]; maxlength: 3;",
    "allowed: [ a]; max-repeating: 1;", "required: [ ]; required: [ ]; allowed: lower;",
    "required: [ ]; required: lower; max-consecutive: 1; maxlength: 4;",
  ])
  func generatedPasswordsHaveNoOuterBlank(descriptor: String) throws {
    let rules = try PasswordRuleSet(descriptor)
    let generator = try PasswordGenerator(rules)
    #expect(try generator.entropy < rules.entropy(length: generator.length))
    var random = SeededGenerator(seed: 5)
    for _ in 0..<300 {
      let password = generator.password(using: &random)
      #expect(password.first != " " && password.last != " ", "\(password)")
      #expect(rules.isSatisfied(by: password))
    }
  }

  @Test func blanksDecideTheDefaultLength() throws {
    // Every other character is a blank.
    let alternating = try PasswordRuleSet("allowed: [ a]; max-repeating: 1;")
    #expect(try alternating.defaultLength() == 20)
    #expect(try PasswordGenerator(alternating).length == 21)
    #expect(
      try PasswordGenerator(PasswordRuleSet(alternating.rules + [.maxLength(20)])).length == 19)
    let blanks = Array(repeating: PasswordRule.required(.custom(" ")), count: 30)
    #expect(try PasswordGenerator(PasswordRuleSet(blanks + [.allowed(.lower)])).length == 32)
    #expect(try PasswordRuleSet("allowed: [a]; max-repeating: 2;").defaultLength() == 2)
  }

  @Test(arguments: [
    "allowed: [ ];", "required: [ ]; allowed: lower; maxlength: 2;",
    "allowed: [ a]; max-repeating: 1; minlength: 2; maxlength: 2;",
  ])
  func rulesThatAllowOnlyOuterBlanksAreRefused(descriptor: String) throws {
    let rules = try PasswordRuleSet(descriptor)
    let reason = "each one begins or ends with a blank"
    #expect(throws: PasswordRulesError.excluded(reason)) { try PasswordGenerator(rules) }
    #expect(try !rules.count(length: 2).isZero)
    #expect(
      throws: PasswordRulesError.excluded("each one of 2 characters begins or ends with a blank")
    ) { try PasswordGenerator(rules, length: 2) }
  }

  @Test func typeablePasswordConsistsOfSyllables() throws {
    let style = try TypeablePasswordGenerator([])
    var random = SeededGenerator(seed: 4)
    for _ in 0..<50 {
      let password = style.password(using: &random)
      #expect(password.split(separator: "-").map(\.count) == [6, 6, 6])
      #expect(password.count(where: \.isUppercase) == 1 && password.count(where: \.isNumber) == 1)
      let places = Array(password.filter { $0 != "-" }).indices { $0.isNumber }
      #expect([5, 6, 11, 12, 17].contains(places.ranges[0].lowerBound))
      #expect(!password.contains("l") && !password.contains("O"))
    }
    let plain = try TypeablePasswordGenerator([.required(.upper), .required(.lower, .digits)])
    #expect(plain.password(using: &random).count == 18)
  }
}

/// The uniform distribution of passwords, by Pearson's chi-square test with a fixed seed.
struct UniformityTests {
  private static let perPassword = 40

  @Test(arguments: [
    ("required: [ab]; required: [12]; allowed: [ab12]", 3),
    ("required: [ab]; required: [bc]; allowed: [abc]", 3),
    ("allowed: [abc1]; max-repeating: 1; max-sequential: 2", 4), ("allowed: [abcd]", 3),
    ("allowed: [ ab]", 4), ("required: [ ]; allowed: [ab]; max-consecutive: 1", 5),
    ("required: [a]; required: [a]; allowed: [abc]; max-consecutive: 2", 4),
  ])
  func distributionIsUniform(descriptor: String, length: Int) throws {
    let generator = try PasswordGenerator(PasswordRuleSet(descriptor), length: length)
    var random = SeededGenerator(seed: 11)
    let kinds = try #require(Int(generator.count.description))
    let passwords = (0..<kinds * Self.perPassword).map { _ in generator.password(using: &random) }
    #expect(Self.isEven(passwords, kinds: kinds))
  }

  /// The common algorithm: one character of each class, the rest from all, shuffled.
  @Test func shufflingRequiredCharactersIsNotUniform() throws {
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
