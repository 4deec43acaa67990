import Concurrency
import TestSupport
import Testing
import Validation

struct ValidatedFieldTests {
  private struct SignUp { @Validated(.notEmpty && .count(...5)) var name = "" }

  @Test func invalidValueIsStored() {
    let form = SignUp()
    form.name = "Chihiro"
    #expect(form.name == "Chihiro")
    #expect(!form.$name.isValid)
    form.name = "Sen"
    #expect(form.$name.isValid)
    form.name += "a"
    #expect(form.name == "Sena" && form.$name.report.state == .valid)
  }

  @Test func copiesShareTheField() {
    let form = SignUp()
    let copy = form
    copy.name = "Sen"
    #expect(form.name == "Sen")
    #expect(form.$name === copy.$name)
  }

  /// An object that uses a field while it is released.
  private final class Value: Sendable {
    let released: @Sendable () -> Void

    init(_ released: @escaping @Sendable () -> Void) { self.released = released }

    deinit { released() }
  }

  @Test func replacedValueCanUseFieldInDeinit() {
    let releases = Lock(0)
    let field = ValidatedField(Value {}, Validator<Value>.custom("any", .present) { _ in true })
    func value() -> Value {
      Value { [weak field] in
        if field?.isValid == true { releases.withLock { $0 += 1 } }
      }
    }
    for _ in 0..<3 { field.value = value() }
    #expect(releases.withLock { $0 } == 2)
    for _ in 0..<2 {
      let captured = value()
      field.replaceValidator(
        with: .custom("any", .present) { _ in withExtendedLifetime(captured) { true } })
    }
    #expect(releases.withLock { $0 } == 3)
    field.reset()
    #expect(releases.withLock { $0 } == 4)
  }

  @Test func untouchedFieldIsPristine() {
    let field = ValidatedField("", Validator<String>.notEmpty)
    #expect(field.report.state == .pristine)
    #expect(!field.isValid)
    #expect(field.report.progress == 0)
    field.touch()
    #expect(field.report.state == .invalid)
    field.touch()
    #expect(field.report.state == .invalid)
    let set = ValidatedField("", Validator<String>.notEmpty)
    set.value = ""
    #expect(set.report.state == .invalid)
  }

  @Test func resettingRestoresInitialValue() {
    let field = ValidatedField("Sen", .count(...5))
    field.value = "Chihiro"
    field.reset()
    #expect(field.value == "Sen")
    #expect(field.report.state == .pristine)
    #expect(field.isValid)
  }

  @Test func validatingTouches() async {
    let field = ValidatedField("", Validator<String>.notEmpty)
    let report = await field.validate()
    #expect(report.state == .invalid)
    #expect(report == field.report)
  }

  @Test func checksMayUseTheField() {
    let number = ValidatedField(1, .any)
    let field = ValidatedField(
      "",
      .custom("counted", .custom("counted")) { _ in
        number.value += 1
        return number.isValid
      })
    field.value = "a"
    #expect(field.isValid)
    #expect(number.value == 3)
  }

  @Test func descriptionsDoNotShowTheValue() {
    let field = ValidatedField("Sesame", Validator<String>.notEmpty)
    field.touch()
    var dumped = ""
    dump(field, to: &dumped)
    for text in ["\(field)", String(reflecting: field), dumped, "\(SignUp())"] {
      #expect(!text.contains("Sesame"))
    }
    #expect("\(field)" == "ValidatedField(valid)")
  }

  /// Returns `count` checks, of which only the first depends on the value.
  private static func validator(_ count: Int) -> Validator<Int> {
    let custom = (1..<count).map { number in
      Validator<Int>.custom("\(number)", .custom("a demand of the app's \(number)")) { _ in true }
    }
    return custom.reduce(
      Validator<Int>.custom("even", .custom("even"), advice: .custom("add one")) { $0 % 2 == 0 }
    ) { $0 && $1 }
  }

  @Test func keystrokeWithoutChangesSharesChecks() {
    let field = ValidatedField(2, Self.validator(60))
    field.touch()
    let before = field.report
    field.value = 4
    #expect(field.report.checks.isSameList(as: before.checks))
    field.value = 5
    #expect(!field.report.checks.isSameList(as: before.checks))
  }
}

/// Validators that are replaced while a form is in use.
struct ReplacingValidatorTests {
  private let clock = ManualClock()
  private let service = SlowService()

  @Test func newValidatorEvaluatesCurrentValue() {
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

  @Test func observersAreNotifiedOfNewValidator() async throws {
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

  @Test func crossFieldChecksRemain() {
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

  @Test func asynchronousCheckWaitsForNewValidator() async throws {
    let field = ValidatedField("abc", .count(3...), asynchronously: [service.check()], clock: clock)
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

  @Test func reportMatchesNewestValidatorOnEveryThread() async {
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

extension [ValidationCheck] {
  fileprivate func isSameList(as other: [ValidationCheck]) -> Bool {
    // Only the addresses are compared.
    unsafe withUnsafeBufferPointer { list in
      unsafe other.withUnsafeBufferPointer { unsafe $0.baseAddress == list.baseAddress }
    }
  }
}
