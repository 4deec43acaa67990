import Foundation
import PasswordRules
import Testing
import Validation

struct NISTTests {
  private static let blockList = PasswordBlockList(["password", "correct horse battery staple"])

  @Test(arguments: [
    (14, false, ".+"), (15, false, "++"), (7, true, ".+"), (8, true, "++"), (500, false, "++"),
  ])
  func passwordIsLongEnough(length: Int, secondFactor: Bool, states: String) {
    let validator: Validator<String> = .nist(secondFactor: secondFactor, blockList: Self.blockList)
    // Code points outside the basic plane count as one each.
    #expect(validator.report(for: String(repeating: "😀", count: length)).marks == states)
    #expect(validator.report(for: String(repeating: "a", count: length)).marks == states)
  }

  @Test(arguments: [(8, 64), (64, 64), (100, 100)])
  func maximumIsAtLeastSixtyFourCodePoints(asked: Int, maximum: Int) {
    let validator: Validator<String> = .nist(blockList: Self.blockList, maximum: asked)
    #expect(validator.report(for: String(repeating: "ab", count: maximum / 2)).isValid)
    let report = validator.report(for: String(repeating: "ab", count: maximum / 2) + "cd")
    #expect(report.marks == "+!+")
    #expect(report.errors[0].text(in: .english) == "Remove 2 characters")
    #expect(report.errors[0].positions == [maximum..<(maximum + 2)])
  }

  @Test func blockedPasswordIsRejectedWithReason() {
    let validator: Validator<String> = .nist(blockList: Self.blockList)
    let report = validator.report(for: "correct horse battery staple")
    #expect(report.marks == "+.")
    #expect(
      report.errors[0].text(in: .english)
        == "This password is one of the first that attackers try: choose another, "
        + "such as several random words")
    #expect(validator.report(for: "correct horse battery staples").isValid)
    #expect(validator.report(for: "my password is here").isValid)
  }

  @Test func passwordIsNormalizedFirst() {
    let validator: Validator<String> = .nist(
      secondFactor: true, blockList: Self.blockList,
      normalizing: \.precomposedStringWithCompatibilityMapping)
    #expect(validator.report(for: "ｐａｓｓｗｏｒｄ").marks == "+.")
    // The ligature becomes two letters.
    #expect(validator.report(for: "oﬀicers").marks == "++")
    let bare: Validator<String> = .nist(secondFactor: true, blockList: Self.blockList)
    #expect(bare.report(for: "oﬀicers").marks == ".+")
  }

  @Test func comparisonIgnoresCaseOnlyOnRequest() {
    #expect(!Self.blockList.contains("Password"))
    var list = PasswordBlockList(["Password", "ÄRGER"], comparison: .ignoringCase)
    #expect(["password", "PASSWORD", "ÄRGER", "Ärger"].allSatisfy(list.contains))
    #expect(!list.contains("ärger"))
    list.insert(["Locket", "locket"])
    #expect(list.contains("LOCKET"))
    #expect(list.count == 3)
  }

  @Test(
    arguments: [
      ("", false, [.refusesUnicode, .acceptsShort(1, minimum: 15)]),
      ("allowed: unicode; minlength: 15", false, []), ("allowed: unicode; minlength: 8", true, []),
      ("allowed: unicode; minlength: 7", true, [.acceptsShort(7, minimum: 8)]),
      ("required: unicode; minlength: 15; maxlength: 64", false, []),
      ("allowed: unicode; minlength: 15; maxlength: 63", false, [.refusesLong(63)]),
      (
        "required: upper; required: digit; allowed: unicode; minlength: 15", false,
        [.requires([.upper]), .requires([.digits])]
      ),
      (
        "allowed: lower, digit; minlength: 15", false, [.refusesASCII(allowing: [.lower, .digits])]
      ),
      (
        "max-consecutive: 3; max-repeating: 2; max-sequential: 4; allowed: unicode; minlength: 15",
        false,
        [.limitsRuns(.consecutive, 3), .limitsRuns(.repeating, 2), .limitsRuns(.sequential, 4)]
      ),
    ] as [(String, Bool, [NIST.Contradiction])])
  func contradictionsAreFound(
    descriptor: String, secondFactor: Bool, expected: [NIST.Contradiction]
  ) throws {
    let found = try NIST.contradictions(of: PasswordRuleSet(descriptor), secondFactor: secondFactor)
    #expect(found == expected)
  }

  @Test func contradictionsAreExplained() throws {
    let rules = try PasswordRuleSet(
      "required: upper; allowed: lower; max-repeating: 2; minlength: 8; maxlength: 20")
    let found = NIST.contradictions(of: rules)
    #expect(
      found.map(\.description) == [
        "At least 1 uppercase letter A–Z: verifiers shall not impose composition rules.",
        "At most 2 equal characters in a row: verifiers shall not impose composition rules.",
        "At most 20 characters: at least 64 should be accepted.",
        "Only uppercase letters A–Z and lowercase letters a–z: "
          + "all printable ASCII characters and the space should be accepted.",
        "At least 8 characters: the minimum shall be 15.",
      ])
    #expect(found.map(\.isMandatory) == [true, true, false, false, true])
  }
}
