import PasswordRules
import TestSupport
import Testing
import Validation

/// A checklist at every keystroke: not empty, longer than three, a symbol and an uppercase letter.
struct ClassicChecklistTests {
  private static let validator: Validator<String> =
    .notEmpty && .count(4...) && .contains(of: .special) && .contains(of: .upper)

  @Test func checklistFollowsTheText() throws {
    let identities = Self.validator.report(for: "another").checks.map(\.id)
    #expect(Set(identities).count == 4)
    for row in try Fixture.rows("classic-checklist", as: ChecklistRow.self) {
      let report = Self.validator.report(for: row.typed)
      #expect(report.marks == row.marks, "\(row)")
      #expect(report.progress == Double(row.marks.count { $0 == "+" }) / 4, "\(row)")
      #expect(report.errors.map { $0.text(in: .english) } == row.messages, "\(row)")
      #expect(report.state == (row.messages.isEmpty ? .valid : .invalid), "\(row)")
      #expect(report.checks.map(\.id) == identities, "\(row)")
    }
  }
}

/// What a checklist shows of a text: a line of a fixture.
struct ChecklistRow: Decodable {
  let typed: String
  let marks: String
  let messages: [String]
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

extension Validator {
  /// The marks of the reports for several values, with a space between two reports.
  func marks(_ values: Value...) -> String {
    values.map { report(for: $0).marks }.joined(separator: " ")
  }
}
