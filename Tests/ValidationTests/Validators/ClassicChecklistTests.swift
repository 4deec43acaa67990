import PasswordRules
import Testing
import Validation

/// A checklist at every keystroke: not empty, longer than three, a symbol and an uppercase letter.
struct ClassicChecklistTests {
  private static let validator: Validator<String> =
    .notEmpty && .count(4...) && .contains(of: .special) && .contains(of: .upper)

  @Test(
    arguments: [
      (
        "", "....", ["Not empty", "Add 4 characters", "Add 1 symbol", "Add 1 uppercase letter A–Z"]
      ),
      ("ab!", "+.+.", ["Add 1 character", "Add 1 uppercase letter A–Z"]),
      ("ab!4", "+++.", ["Add 1 uppercase letter A–Z"]), ("ab!4Zé", "++++", []),
      // Pasted over the text.
      ("Größe\u{2009}ß", "++.+", ["Add 1 symbol"]), ("👨‍👩‍👧‍👦!A", "+.++", ["Add 1 character"]),
    ] as [(String, String, [String])])
  func checklistFollowsTheText(typed: String, states: String, messages: [String]) {
    let report = Self.validator.report(for: typed)
    #expect(report.marks == states)
    #expect(report.progress == Double(states.count { $0 == "+" }) / 4)
    #expect(report.errors.map { $0.text(in: .english) } == messages)
    #expect(report.state == (messages.isEmpty ? .valid : .invalid))
    let identities = report.checks.map(\.id)
    #expect(Set(identities).count == 4)
    #expect(identities == Self.validator.report(for: "another").checks.map(\.id))
  }
}

extension ValidationReport {
  /// One mark for each check.
  var marks: String {
    String(
      checks.map { check in
        switch check.state {
        case .satisfied: "+"
        case .incomplete: "."
        case .violated: "!"
        case .waiting: "w"
        case .pending: "p"
        case .unavailable: "u"
        }
      })
  }
}
