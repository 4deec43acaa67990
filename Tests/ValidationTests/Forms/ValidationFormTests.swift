import Testing
import TestSupport
import Validation

struct ValidationFormTests {
  private let userName = ValidatedField("", .notEmpty && .count(...20))
  private let password = ValidatedField("", .count(4...))
  private let age = ValidatedField(0, .custom("adult", .custom("adult")) { $0 >= 18 })
  private let form: ValidationForm

  init() { form = ValidationForm(userName, password, age) }

  @Test func formIsPristineUntilAFieldIsTouched() {
    #expect(form.state == .pristine)
    userName.value = "Sen"
    #expect(form.state == .invalid)
    password.value = "Haku"
    age.value = 18
    #expect(form.state == .valid)
    #expect(form.isValid)
    form.resetAll()
    #expect(form.state == .pristine)
    form.touchAll()
    #expect(form.fields.map(\.report.state) == [.invalid, .invalid, .invalid])
  }

  @Test func progressIncludesAllRequirements() {
    #expect(form.progress == 0)
    userName.value = "Sen"
    #expect(form.progress == 0.5)
    password.value = "Haku"
    #expect(form.progress == 0.75)
    #expect(form.report.progressText(in: .english) == "3 of 4 requirements met")
    #expect(ValidationForm().progress == 1)
  }

  @Test func emptyValuesAreNoProgress() {
    let (text, list) = (ValidatedField("", .count(...9)), ValidatedField([Int](), .count(...9)))
    let nothing = ValidatedField(String?.none, .ifPresent(.count(2...9)))
    let repeated = ValidatedField("", Validator<String>.notEmpty)
    repeated.require(.equal(to: text))
    let form = ValidationForm(text, list, nothing, repeated)
    #expect(form.progress == 0)
    form.touchAll()
    #expect(form.progress == 0 && repeated.report.progress == 0)
    #expect(form.report.progressText(in: .english) == "0 of 6 requirements met")
    nothing.value = "Sen"
    #expect(form.progress == 2.0 / 6)
    nothing.value = nil
    #expect(form.progress == 0)
    // What may be empty is complete when everything else is.
    text.value = "Haku"
    repeated.value = "Haku"
    #expect(form.isValid && form.progress == 1)
  }

  @Test func errorsContainFields() {
    #expect(form.firstNeedingAttention === userName)
    userName.value = "Sen"
    #expect(form.errors.map(\.field) == [password.id, age.id])
    #expect(form.errors.map(\.check.id.name) == ["minimumCount", "adult"])
    age.value = 20
    #expect(form.firstNeedingAttention === password)
    password.value = "Haku"
    #expect(form.firstNeedingAttention == nil)
  }

  @Test func unavailableFieldNeedsAttention() async throws {
    let (clock, service) = (ManualClock(), SlowService())
    let name = ValidatedField(
      "", Validator<String>.notEmpty, asynchronously: [service.check()], clock: clock)
    let form = ValidationForm(name)
    name.value = "Sen"
    #expect(form.state == .pending)
    #expect(form.firstNeedingAttention == nil)
    async let report = form.validate()
    try await suspend { service.asked == ["Sen"] }
    service.answer("Sen", with: .failure(SlowService.Failure()))
    #expect(await report.state == .undetermined)
    #expect(form.firstNeedingAttention === name)
  }

  @Test func validatingValidatesAllAtOnce() async throws {
    let (clock, service) = (ManualClock(), SlowService())
    let names = ["Sen", "Haku"].map {
      ValidatedField($0, .notEmpty, asynchronously: [service.check()], clock: clock)
    }
    let form = ValidationForm(names)
    async let report = form.validate()
    try await suspend { service.openCount == 2 }
    for name in names { service.answer(name.value, with: .success(.satisfied)) }
    #expect(await report.isValid)
    #expect(form.state == .valid)
  }

  @Test func reportsFollowEveryField() async throws {
    let seen = ReportsSeen(form.reports)
    try await suspend { seen.all.count == 1 }
    #expect(seen.all.first == form.report)
    age.value = 18
    try await suspend { seen.all.last?.fields.last?.report.state == .valid }
    age.value = 19
    userName.value = "Sen"
    try await suspend { seen.all.last?.fields.first?.report.state == .valid }
    #expect(seen.all.count == 3)
  }

  @Test func fieldCanBelongToTwoForms() async throws {
    var second: ValidationForm? = ValidationForm(age)
    weak let gone = second
    let seen = ReportsSeen(try #require(second).reports)
    try await suspend { seen.all.count == 1 }
    age.value = 18
    try await suspend { seen.all.count == 2 }
    second = nil
    try await suspend { seen.hasEnded }
    #expect(gone == nil)
    age.value = 17
    #expect(form.report.fields.last?.report.state == .invalid)
  }

  @Test func fieldsAndFormsAreReleased() {
    var first: ValidatedField? = ValidatedField("", Validator<String>.notEmpty)
    var second: ValidatedField? = ValidatedField("", Validator<String>.notEmpty)
    var form: ValidationForm? = ValidationForm([first, second].compactMap { $0 })
    if let first, let second {
      first.require(.equal(to: second))
      second.require(.equal(to: first))
    }
    weak let (weakFirst, weakSecond, weakForm) = (first, second, form)
    (first, second) = (nil, nil)
    #expect(weakFirst != nil && weakSecond != nil)
    form?.touchAll()
    form = nil
    #expect(weakFirst == nil && weakSecond == nil && weakForm == nil)
  }
}
