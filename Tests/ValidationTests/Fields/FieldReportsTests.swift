import Concurrency
import Observation
import PasswordRules
import Testing
import TestSupport
import Validation

struct FieldReportsTests {
  @Observable final class Model {
    @ObservationIgnored @Validated(.notEmpty) var name = ""
    @ObservationIgnored @Validated(.notEmpty) var note = ""
  }

  private let field = ValidatedField("", .count(2...))

  @Test func reportsBeginWithCurrentReport() async throws {
    let seen = ReportsSeen(field.reports)
    try await suspend { seen.all == [field.report] }
    for (value, count) in [("a", 2), ("ab", 3), ("abc", 3), ("a", 4)] {
      field.value = value
      try await suspend { seen.all.last == field.report }
      #expect(seen.all.count == count)
    }
  }

  @Test func slowConsumerReceivesNewestReport() async {
    var reports = field.reports.makeAsyncIterator()
    #expect(await reports.next()?.state == .pristine)
    field.value = "a"
    field.value = "ab"
    #expect(await reports.next()?.state == .valid)
    field.value = "a"
    field.value = ""
    field.value = "ab"
    field.value = "a"
    #expect(await reports.next()?.state == .invalid)
  }

  @Test func reportsEndWithTheField() async throws {
    var field: ValidatedField? = ValidatedField("", Validator<String>.notEmpty)
    let reports = try #require(field).reports
    let consumers = (0..<3).map { _ in ReportsSeen(reports) }
    try await suspend { consumers.allSatisfy { $0.all.count == 1 } }
    field = nil
    try await suspend { consumers.allSatisfy(\.hasEnded) }
    let late = ReportsSeen(reports)
    try await suspend { late.hasEnded }
    #expect(late.all.isEmpty)
  }

  @Test func reportsEndWithTheConsumersTask() async throws {
    let seen = ReportsSeen(field.reports)
    try await suspend { seen.all.count == 1 }
    seen.cancel()
    try await suspend { seen.hasEnded }
  }

  @Test func observerIsCalledUntilReleased() {
    let heard = Lock([ValidationReport.State]())
    let field = field
    var observation: ValidationObservation? = field.observe { [weak field] in
      if let field { heard.withLock { $0.append(field.report.state) } }
    }
    withExtendedLifetime(observation) {
      field.value = "a"
      field.value = "ab"
      field.value = "abc"
    }
    observation = nil
    field.value = ""
    #expect(heard.withLock { $0 } == [.invalid, .valid])
  }

  @Test func observerIsCalledIfOnlyPositionsChange() {
    let field = ValidatedField("a1", .characters(in: .lower))
    field.touch()
    let heard = Lock([[Range<Int>]?]())
    let observation = field.observe { [weak field] in
      let positions = field?.report.checks.first?.positions
      heard.withLock { $0.append(positions) }
    }
    withExtendedLifetime(observation) {
      field.value = "1a"
      field.value = "1b"
    }
    #expect(heard.withLock { $0 } == [[0..<1]])
  }

  @Test func observerIsCalledIfOnlyEmptinessChanges() {
    let field = ValidatedField(
      Int?.none,
      .custom("any", .present) { _ in true } && .custom("none", .present) { _ in false })
    field.touch()
    let checks = field.report.checks
    let heard = Lock([Double?]())
    let observation = field.observe { [weak field] in
      let progress = field?.report.progress
      heard.withLock { $0.append(progress) }
    }
    withExtendedLifetime(observation) {
      field.value = 1
      field.value = 2
    }
    #expect(heard.withLock { $0 } == [0.5])
    #expect(field.report.checks == checks)
  }

  @Test func observerCanCancelLaterObserver() {
    let later = Lock(ValidationObservation?.none)
    let calls = Lock([String]())
    let first = field.observe {
      calls.withLock { $0.append("first") }
      later.withLock { $0 }?.cancel()
    }
    later.withLock { $0 = field.observe { calls.withLock { $0.append("later") } } }
    field.value = "a"
    #expect(calls.withLock { $0 } == ["first"])
    first.cancel()
  }

  @Test func observerMayChangeFields() {
    let (field, other) = (field, ValidatedField("", Validator<String>.notEmpty))
    let observation = field.observe { [weak field] in
      other.value = field?.value ?? ""
      if field?.value == "a" { field?.value = "ab" }
    }
    field.value = "a"
    #expect(field.value == "ab")
    #expect(other.value == "ab")
    observation.cancel()
  }

  @Test func observationTracksReportsAndValues() {
    let model = Model()
    let form = ValidationForm(model.$name, model.$note)
    let changes = Lock([String]())
    func track(_ name: String, _ read: () -> Void) {
      withObservationTracking(read) { changes.withLock { $0.append(name) } }
    }
    track("report") { _ = model.$name.report }
    track("value") { _ = model.name }
    track("form") { _ = form.progress }
    track("note") { _ = model.note }
    model.name = "Sen"
    #expect(changes.withLock { $0.sorted() } == ["form", "report", "value"])

    changes.withLock { $0 = [] }
    track("report") { _ = model.$name.report }
    track("value") { _ = model.name }
    model.name = "Haku"
    #expect(changes.withLock { $0 } == ["value"])
  }

  @Test func observationTracksAnswers() async throws {
    let (clock, service) = (ManualClock(), SlowService())
    let field = ValidatedField(
      "", Validator<String>.notEmpty, asynchronously: [service.check()], clock: clock)
    field.value = "Sen"
    async let report = field.validate()
    try await suspend { service.asked == ["Sen"] }
    let isHeard = Lock(false)
    withObservationTracking {
      _ = field.report
    } onChange: {
      isHeard.withLock { $0 = true }
    }
    service.answer("Sen", with: .success(.satisfied))
    #expect(await report.isValid)
    try await suspend { isHeard.withLock { $0 } }
  }
}
