import Concurrency
import TestSupport
import Testing
import Validation

/// Rules that change while the form runs.
struct ReplacingRulesTests {
  private let clock = ManualClock()
  private let service = SlowService()

  @Test func currentValueIsEvaluatedByTheNewRules() {
    let field = ValidatedField("abc", .count(...5))
    field.touch()
    #expect(field.report.state == .valid)
    field.replaceValidator(with: .count(4...) && .prefix("x"))
    #expect(field.report.checks.map(\.id.name) == ["minimumCount", "prefix"])
    #expect(field.report.checks.map(\.state) == [.incomplete, .violated])
    #expect(field.value == "abc" && field.report.isTouched)
    field.value = "xabc"
    #expect(field.isValid)
    field.reset()
    #expect(field.report.state == .pristine && field.report.checks.count == 2)
  }

  @Test func observersHearOfTheNewRules() async throws {
    let field = ValidatedField("abc", .count(...5))
    let form = ValidationForm(field)
    let calls = Lock(0)
    let observations = [
      field.observe { calls.withLock { $0 += 1 } }, form.observe { calls.withLock { $0 += 1 } },
    ]
    let seen = ReportsSeen(form.reports)
    try await suspend { seen.all.count == 1 }
    field.replaceValidator(with: .count(...2))
    #expect(calls.withLock { $0 } == 2)
    try await suspend { seen.all.count == 2 }
    #expect(seen.all.last?.isValid == false)
    withExtendedLifetime(observations) {}
  }

  @Test func checksBetweenFieldsStay() {
    let password = ValidatedField("", .count(...5))
    let repeated = ValidatedField("", .notEmpty)
    let form = ValidationForm(password, repeated)
    repeated.require(.equal(to: password))
    repeated.replaceValidator(with: .notEmpty && .custom("equal", .custom("equal")) { _ in true })
    password.replaceValidator(with: .count(2...) && .count(...9))
    let ids = repeated.report.checks.map { "\($0.id.name) \($0.id.ordinal)" }
    #expect(ids == ["notEmpty 0", "equal 0", "equal 1"])
    password.value = "abcdefg"
    repeated.value = "abc"
    #expect(repeated.report.checks.map(\.state) == [.satisfied, .satisfied, .incomplete])
    repeated.value = "abcdefg"
    #expect(form.isValid)
    password.value = "x"
    #expect(!form.isValid && repeated.report.checks.last?.state == .violated)
  }

  @Test func asynchronousCheckWaitsForTheNewRules() async throws {
    let field = ValidatedField(
      "abc", .count(3...), asynchronously: [service.check()], clock: clock)
    field.touch()
    #expect(field.report.checks.last?.state == .pending)
    field.replaceValidator(with: .prefix("x") && .count(3...))
    #expect(field.report.checks.last?.state == .waiting)
    #expect(field.report.checks.count == 3)
    field.replaceValidator(with: .prefix("a"))
    #expect(field.report.checks.map(\.state) == [.satisfied, .pending])
    try await suspend { clock.hasSleeper(for: .milliseconds(300)) }
    clock.advance(by: .milliseconds(300))
    try await suspend { service.openCount == 1 }
    service.answer("abc", with: .success(.satisfied))
    try await suspend { field.isValid }
    // The answer is cached.
    field.replaceValidator(with: .count(2...))
    #expect(field.report.state == .valid)
    #expect(service.asked == ["abc"])
  }

  @Test func reportIsOnTheNewestRulesOnEveryThread() async {
    let field = ValidatedField("abc", .count(...5))
    await withTaskGroup { group in
      for number in 0..<4 {
        group.addTask {
          for round in 0..<100 {
            field.value = "\(number) \(round)"
            field.replaceValidator(
              with: (0...round % 3).reduce(.notEmpty) { rules, _ in rules && .count(1...) })
            let report = field.report
            #expect((2...4).contains(report.checks.count) && report.isValid)
          }
        }
      }
    }
  }
}
