import PasswordRules
import Testing
import Validation

/// A checklist at every keystroke: not empty, longer than three, a symbol and an uppercase letter.
struct ClassicChecklistTests {
  private static let validator: Validator<String> =
    .notEmpty && .count(4...) && .contains(of: .special) && .contains(of: .upper)

  struct Row: Sendable {
    let typed: String
    /// One mark for each check.
    let states: String
    let progress: Double
    let messages: [String]
  }

  private static let rows = [
    Row(
      typed: "", states: "....", progress: 0,
      messages: ["Not empty", "Add 4 characters", "Add 1 symbol", "Add 1 uppercase letter A–Z"]),
    Row(
      typed: "a", states: "+...", progress: 0.25,
      messages: ["Add 3 characters", "Add 1 symbol", "Add 1 uppercase letter A–Z"]),
    Row(
      typed: "ab", states: "+...", progress: 0.25,
      messages: ["Add 2 characters", "Add 1 symbol", "Add 1 uppercase letter A–Z"]),
    Row(
      typed: "ab!", states: "+.+.", progress: 0.5,
      messages: ["Add 1 character", "Add 1 uppercase letter A–Z"]),
    Row(typed: "ab!4", states: "+++.", progress: 0.75, messages: ["Add 1 uppercase letter A–Z"]),
    Row(typed: "ab!4Z", states: "++++", progress: 1, messages: []),
    Row(typed: "ab!4Zé", states: "++++", progress: 1, messages: []),
    // Pasted over the text.
    Row(
      typed: "Größe\u{2009}ß", states: "++.+", progress: 0.75, messages: ["Add 1 symbol"]),
    Row(typed: "👨‍👩‍👧‍👦!A", states: "+.++", progress: 0.75, messages: ["Add 1 character"]),
  ]

  @Test(arguments: rows)
  func prefixIsReportedAsExpected(row: Row) {
    expect(Self.validator.report(for: row.typed), row)
  }

  @Test func checksKeepTheirIdentity() {
    let identities = Self.rows.map { Self.validator.report(for: $0.typed).checks.map(\.id) }
    #expect(Set(identities).count == 1)
    #expect(Set(identities[0]).count == 4)
  }

  private func expect(_ report: ValidationReport, _ row: Row) {
    #expect(report.marks == row.states)
    #expect(report.progress == row.progress)
    #expect(report.errors.map { $0.text(in: .english) } == row.messages)
    #expect(report.isValid == row.messages.isEmpty)
    #expect(report.state == (row.messages.isEmpty ? .valid : .invalid))
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
