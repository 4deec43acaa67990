import Testing
import TestSupport
import Validation

struct CrossFieldCheckTests {
  private let userName = ValidatedField("", .notEmpty)
  private let password = ValidatedField("", .count(3...))
  private let repeated = ValidatedField("", .any)

  init() {
    repeated.require(.equal(to: password))
    password.require(.notContaining(userName))
  }

  private func state(of field: ValidatedField<String>) -> ValidationCheck.State? {
    field.report.checks.last?.state
  }

  @Test func crossFieldErrorNeedsATouchedField() {
    password.value = "Sesame"
    #expect(repeated.report.state == .pristine)
    #expect(state(of: repeated) == .incomplete)
    repeated.value = "S"
    #expect(repeated.report.state == .invalid)
  }

  @Test func crossFieldCheckDoesNotWaitForOthers() {
    password.value = "S"
    repeated.value = "S"
    #expect(password.report.state == .invalid)
    #expect(repeated.report.state == .valid)
  }

  @Test(arguments: [
    ("", ValidationCheck.State.incomplete), ("Ses", .incomplete), ("Sesame", .satisfied),
    ("Sesame!", .violated), ("ses", .violated),
  ])
  func prefixOfOtherFieldIsIncomplete(text: String, expected: ValidationCheck.State) {
    password.value = "Sesame"
    repeated.value = text
    #expect(state(of: repeated) == expected)
  }

  @Test func crossFieldCheckFollowsBothFields() {
    password.value = "Sesame"
    repeated.value = "Sesame"
    #expect(repeated.report.state == .valid)
    password.value = "Sesame!"
    #expect(state(of: repeated) == .incomplete)
    repeated.value = ""
    #expect(state(of: repeated) == .incomplete)
    password.value = ""
    #expect(repeated.report.state == .valid)
    password.value = "Sesame"
    #expect(repeated.report.state == .invalid)
    password.reset()
    #expect(repeated.report.state == .valid)
  }

  @Test(arguments: [
    ("Chihiro", "Chihiro1", [0..<7]), ("chihiro", "xxCHIHIROxChihiro", [2..<9, 10..<17]),
    ("ÄRGER", "kein ärger", [5..<10]), ("İzmir", "xi\u{307}zmirx", [1..<7]),
    ("ano", "pian\u{303}o", []), ("Se", "Sesame", []), ("", "Sesame", []), ("Haku", "Sesame", []),
  ])
  func userNameInPasswordIsFoundIgnoringCase(name: String, text: String, positions: [Range<Int>]) {
    userName.value = name
    password.value = text
    #expect(state(of: password) == (positions.isEmpty ? .satisfied : .violated))
    #expect(password.report.checks.last?.positions == positions)
    userName.value = "nothing of the kind"
    #expect(state(of: password) == .satisfied)
  }

  @Test func otherFieldDoesNotRestartAsynchronousCheck() async throws {
    let (clock, service) = (ManualClock(), SlowService())
    let field = ValidatedField(
      "", Validator<String>.notEmpty, asynchronously: [service.check()], clock: clock)
    field.require(.notContaining(userName))
    field.value = "Sesame"
    async let report = field.validate()
    try await suspend { service.asked == ["Sesame"] }
    userName.value = "Sesame"
    #expect(field.report.checks.map(\.state) == [.satisfied, .pending, .violated])
    service.answer("Sesame", with: .success(.satisfied))
    #expect(await report.checks.map(\.state) == [.satisfied, .satisfied, .violated])
    #expect(service.asked == ["Sesame"])
  }

  @Test func customCheckCanReadFieldOfOtherType() {
    let isAdult = ValidatedField(false, .any)
    userName.require(
      CrossFieldCheck(
        "adult", .custom("adults only"), advice: .custom("grow up"), failure: .incomplete,
        with: isAdult
      ) { $1 || $0.isEmpty })
    userName.value = "Sen"
    #expect(userName.report.errors.map(\.message) == [.custom("grow up")])
    isAdult.value = true
    #expect(userName.report.state == .valid)
    #expect(userName.report.checks.last?.message == .custom("adults only"))
  }

  @Test func lastValueOfReleasedFieldIsUsed() {
    var other: ValidatedField? = ValidatedField("Sesame", Validator<String>.notEmpty)
    let field = ValidatedField("", Validator<String>.notEmpty)
    if let other { field.require(.equal(to: other)) }
    weak let gone = other
    other = nil
    #expect(gone == nil)
    field.value = "Sesame"
    #expect(field.report.state == .valid)
    field.value = "Tulip"
    #expect(field.report.state == .invalid)
  }

  @Test func checksWithSameNameHaveDistinctIdentities() {
    repeated.require(.equal(to: userName))
    let identities = repeated.report.checks.map(\.id)
    #expect(Set(identities).count == 3)
    userName.value = "Sen"
    #expect(repeated.report.checks.map(\.id) == identities)
  }

  @Test func fieldsThatReadEachOtherReleaseValues() {
    final class Token: Sendable {}
    func fill() -> () -> Token? {
      let token = Token()
      let fields = (0..<2).map { _ in ValidatedField(token, .any) }
      for (field, other) in [(fields[0], fields[1]), (fields[1], fields[0])] {
        field.require(CrossFieldCheck("same", .equalToOther, with: other) { $0 === $1 })
      }
      return { [weak token] in token }
    }
    let token = fill()
    #expect(token() == nil)
  }
}
