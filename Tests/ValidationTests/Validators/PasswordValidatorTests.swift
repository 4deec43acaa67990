import FoundationEssentials
import PasswordRules
import TestSupport
import Testing
import Validation

struct PasswordValidatorTests {
  private static let rules: PasswordRuleSet = [
    .required(.upper), .required(.digits), .required(.digits), .allowed(.lower, .custom("-")),
    .maxRepeating(2), .minLength(6), .maxLength(8),
  ]

  @Test(
    arguments: [
      (
        "", "...++.+",
        ["Add 1 uppercase letter A–Z", "Add 1 digit", "Add 1 digit", "Add 6 characters"]
      ),
      ("a1", ".+.++.+", ["Add 1 uppercase letter A–Z", "Add 1 digit", "Add 4 characters"]),
      ("a1B2", "+++++.+", ["Add 2 characters"]),
      (
        "a1B2 ü-", "+++!+++", ["Remove or replace the text at 5–6"]
      ),
      (
        "a1B222", "++++!++", ["At 4–6: At most 2 equal characters in a row"]
      ),
      ("a1B2cdefgh", "++++++!", ["Remove 2 characters"]),
      // Three characters are missing, with room for two.
      (
        "abcdef", "!!!++++",
        Array(repeating: "No room is left for this: delete or replace something first", count: 3)
      ),
      ("a1B2cd", "+++++++", []),
    ] as [(String, String, [String])])
  func checksMatchRules(typed: String, states: String, messages: [String]) {
    let report = Validator<String>.password(Self.rules).report(for: typed)
    #expect(report.marks == states)
    #expect(report.errors.map { $0.text(in: .english) } == messages)
  }

  @Test func requirementsContainCounts() {
    let checks = Validator<String>.password(Self.rules).report(for: "").checks
    #expect(
      checks.map { $0.requirement.text(in: .english) } == [
        "At least 1 uppercase letter A–Z", "At least 1 digit", "At least 2 digits",
        "Only uppercase letters A–Z, lowercase letters a–z, digits and the characters -",
        "At most 2 equal characters in a row", "At least 6 characters", "At most 8 characters",
      ])
    #expect(
      checks.map { "\($0.id.name) \($0.id.ordinal)" } == [
        "required 0", "required 1", "required 2", "allowed 0", "maxRepeating 0", "minLength 0",
        "maxLength 0",
      ])
    let weaker = Validator<String>.password(Self.rules, matching: .any).report(for: "1").checks
    #expect(weaker[2].requirement == .minimumOf(1, [.digits]))
    #expect(weaker[2].state == .satisfied)
  }

  @Test func lengthIsCountedInTheUnit() {
    let rules: PasswordRuleSet = [.allowed(.unicode), .minLength(3), .maxLength(4)]
    let bytes: Validator<String> = .password(rules, unit: .utf8)
    #expect(bytes.report(for: "é").errors.map { $0.text(in: .english) } == ["Add 1 byte"])
    #expect(bytes.report(for: "éaéa").errors.map { $0.text(in: .english) } == ["Remove 2 bytes"])
    #expect(bytes.report(for: "éaéa").errors[0].positions == [2..<4])
  }

  /// The checklist, the generated password and the final acceptance use the same rule set.
  @Test(.enabled(if: SharedData.isAvailable, "the rules of real sites are not on this machine"))
  func checklistMatchesGeneratorAndRuleSet() throws {
    let sites = try JSONDecoder().decode(
      SiteRules.self, from: SharedData.content(of: "quirks.json"))
    #expect(sites.hosts.count == 434)
    var random = SeededGenerator(seed: 6)
    // Counting passwords is slow in debug builds.
    let generated = Set(sites.hosts.sorted().every(Campaign.size(sample: 30, full: 1)))
    for host in sites.hosts {
      let rules = try #require(sites.rules(for: host))
      let list = CheckList(rules)
      var passwords = ["tapqof-Cevru7-xyzmid"]
      if generated.contains(host) {
        let generator = try PasswordGenerator(rules)
        passwords = (0..<5).map { _ in generator.password(using: &random) }
        #expect(passwords.allSatisfy(list.accepts), "\(host)")
      }
      for password in passwords.flatMap({ list.variations(of: $0, using: &random) }) {
        #expect(list.agrees(on: password), "\(host): \(password)")
      }
    }
  }
}

/// The checklist of a rule set, updated as by a field.
private struct CheckList {
  let rules: PasswordRuleSet
  let validator: Validator<String>

  init(_ rules: PasswordRuleSet) {
    self.rules = rules
    validator = .password(rules)
  }

  /// Whether all checks hold, as they do for a generated password.
  func accepts(_ password: String) -> Bool {
    let report = validator.report(for: password)
    return report.isValid && report.progress == 1 && report.errors.isEmpty
      && rules.isSatisfied(by: password)
  }

  /// Whether the list shows exactly the results of the final acceptance.
  func agrees(on password: String) -> Bool {
    let report = validator.report(for: password)
    let accepted = rules.check(password)
    return report.isValid == rules.isSatisfied(by: password)
      && report.errors.isEmpty == report.isValid
      && report.checks.map { "\($0.state)" } == accepted.checks.map { "\($0.state)" }
      && report.checks.map(\.positions) == accepted.checks.map(\.violations)
      && report.checks.allSatisfy { $0.state == .satisfied || $0.advice != nil }
  }

  /// Returns other passwords that a user might type.
  func variations(
    of password: String, using random: inout SeededGenerator
  ) -> [String] {
    let typed = password.prefix(.random(in: 0..<password.count, using: &random))
    let other = ["ü", " ", "aaaa", "abcd", "Zz9!", "👩‍👧"].randomElement(using: &random) ?? ""
    return [
      "", password, String(typed), "\(typed)\(other)", "\(other)\(password)",
      "\(password)\(password)",
    ]
  }
}
