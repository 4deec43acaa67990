import Testing
import TestSupport
import Validation

struct AsynchronousCheckTests {
  private let clock = ManualClock()
  private let service = SlowService()

  private func makeField(_ value: String = "", cacheLimit: Int = 16) -> ValidatedField<String> {
    ValidatedField(
      value, .count(3...), asynchronously: [service.check(cacheLimit: cacheLimit)], clock: clock)
  }

  /// Types a value and waits until the service is asked about it.
  private func type(_ value: String, into field: ValidatedField<String>) async throws {
    field.value = value
    try await suspend { clock.hasSleeper(for: .milliseconds(300)) }
    let count = service.asked.count
    clock.advance(by: .milliseconds(300))
    try await suspend { service.asked.count == count + 1 }
    #expect(service.asked.last == value)
  }

  /// Returns a field with the value `abc`, about which the service is asked.
  private func typedField() async throws -> ValidatedField<String> {
    let field = makeField()
    try await type("abc", into: field)
    return field
  }

  private func state(of field: ValidatedField<String>) -> ValidationCheck.State? {
    field.report.checks.last?.state
  }

  @Test func checkWaitsForTheLocalRequirements() {
    let field = makeField()
    field.value = "ab"
    #expect(state(of: field) == .waiting)
    #expect(field.report.state == .invalid)
    field.value = "abc"
    #expect(state(of: field) == .pending)
    field.value = "ab"
    #expect(state(of: field) == .waiting)
    // A recommendation delays no check.
    field.replaceValidator(with: Validator<String>.count(3...).recommended)
    #expect(state(of: field) == .pending)
  }

  @Test func checkDoesNotRunBeforeFieldIsTouched() {
    let field = makeField("abc")
    #expect(state(of: field) == .waiting)
    #expect(clock.sleeperCount == 0)
    field.touch()
    #expect(state(of: field) == .pending)
    field.reset()
    #expect(state(of: field) == .waiting)
  }

  @Test func debounceIsPendingAndCallsServiceOnce() async throws {
    let field = makeField()
    for value in ["abc", "abcd"] {
      field.value = value
      #expect(field.report.state == .pending)
      try await suspend { clock.hasSleeper(for: .milliseconds(300)) }
      clock.advance(by: .milliseconds(299))
      #expect(service.asked.isEmpty)
    }
    clock.advance(by: .milliseconds(1))
    try await suspend { service.asked == ["abcd"] }
    #expect(field.report.state == .pending)
    service.answer("abcd", with: .success(.satisfied))
    try await suspend { field.report.state == .valid }
    try await suspend { clock.sleeperCount == 0 }
  }

  @Test func nextKeystrokeRemovesAdviceOfRejection() async throws {
    let field = try await typedField()
    service.answer("abc", with: .success(.rejected(.custom("taken"))))
    try await suspend { state(of: field) == .violated }
    #expect(field.report.errors.map(\.message) == [.custom("taken")])
    field.value = "abcd"
    #expect(state(of: field) == .pending)
    #expect(field.report.checks.last?.advice == nil)
  }

  @Test func answerForEarlierValueIsIgnored() async throws {
    let field = try await typedField()
    try await type("abcd", into: field)
    let seen = ReportsSeen(field.reports)
    try await suspend { seen.all.count == 1 }

    // The closure ignores the cancellation of its task.
    service.answer("abc", with: .success(.rejected(.custom("late"))))
    try await suspend { service.openCount == 1 }
    service.answer("abcd", with: .success(.satisfied))
    try await suspend { field.report.state == .valid }
    try await suspend { seen.all.last?.state == .valid }
    #expect(!seen.all.flatMap(\.checks).contains { $0.advice == .custom("late") })
    // The late answer is not kept either: the value is asked about again.
    try await type("abc", into: field)
  }

  @Test func answerOfEarlierRunForSameValueIsIgnored() async throws {
    let field = try await typedField()
    field.value = "ab"
    try await type("abc", into: field)
    service.answer("abc", with: .success(.rejected(.custom("late"))))
    try await suspend { service.openCount == 1 }
    #expect(state(of: field) == .pending)
    service.answer("abc", with: .success(.satisfied))
    try await suspend { field.report.state == .valid }
  }

  @Test func keystrokeCancelsTheTask() async throws {
    let clock = clock
    let field = ValidatedField(
      "", .count(3...),
      asynchronously: [
        AsynchronousCheck("slow", .custom("slow"), debounce: .zero) { _ in
          try await clock.sleep(for: .seconds(5))
          return .satisfied
        }
      ], clock: clock)
    field.value = "abc"
    try await suspend { clock.hasSleeper(for: .seconds(5)) }
    field.value = "ab"
    try await suspend { clock.sleeperCount == 0 }
    #expect(state(of: field) == .waiting)
  }

  @Test func timeoutMakesCheckUnavailable() async throws {
    let field = try await typedField()
    try await suspend { clock.hasSleeper(for: .seconds(10)) }
    clock.advance(by: .seconds(10))
    try await suspend { state(of: field) == .unavailable(.timedOut) }
    #expect(field.report.state == .undetermined)
    #expect(!field.isValid)
    #expect(field.report.errors.isEmpty)
    service.answer("abc", with: .success(.satisfied))
    try await suspend { service.openCount == 0 && clock.sleeperCount == 0 }
    #expect(state(of: field) == .unavailable(.timedOut))
  }

  @Test func failureContainsOnlyTypeOfError() async throws {
    let field = try await typedField()
    service.answer("abc", with: .failure(SlowService.Failure()))
    try await suspend { field.report.state == .undetermined }
    #expect(state(of: field) == .unavailable(.failed("ValidationTests.SlowService.Failure")))
  }

  @Test func validatingRetries() async throws {
    let field = try await typedField()
    service.answer("abc", with: .failure(SlowService.Failure()))
    try await suspend { field.report.state == .undetermined }
    async let report = field.validate()
    try await suspend { service.asked == ["abc", "abc"] }
    #expect(state(of: field) == .pending)
    service.answer("abc", with: .success(.satisfied))
    #expect(await report.state == .valid)
  }

  @Test func validatingDoesNotRestartRunningCheck() async throws {
    let field = try await typedField()
    async let report = field.validate()
    service.answer("abc", with: .success(.satisfied))
    #expect(await report.state == .valid)
    #expect(service.asked == ["abc"])
  }

  @Test func validatingEndsWhenItsTaskIsCancelled() async throws {
    let field = try await typedField()
    let task = Task { await field.validate() }
    task.cancel()
    #expect(await task.value.state == .pending)
  }

  @Test func answersAreCached() async throws {
    let field = makeField(cacheLimit: 2)
    for value in ["abc", "abcd", "abcde"] {
      try await type(value, into: field)
      service.answer(value, with: .success(.rejected(.custom(value))))
      try await suspend { state(of: field) == .violated }
    }
    for value in ["abcd", "abcde"] {
      field.value = value
      #expect(field.report.checks.last?.advice == .custom(value))
    }
    #expect(service.asked.count == 3)
    field.value = "abc"
    #expect(state(of: field) == .pending)
  }

  @Test func nothingIsCachedWithLimitOfZero() async throws {
    let field = makeField(cacheLimit: 0)
    try await type("abc", into: field)
    service.answer("abc", with: .success(.satisfied))
    try await suspend { field.report.state == .valid }
    field.value = "abc"
    #expect(state(of: field) == .pending)
  }

  @Test func releasingFieldEndsTasks() async throws {
    var field: ValidatedField? = makeField()
    field?.value = "abc"
    try await suspend { clock.sleeperCount == 1 }
    weak let gone = field
    field = nil
    try await suspend { clock.sleeperCount == 0 }
    #expect(gone == nil)
    #expect(service.asked.isEmpty)
  }
}
