import Testing
import Validation

struct ValidatedFieldTests {
  private struct SignUp {
    @Validated(.notEmpty && .count(...5)) var name = ""
  }

  private final class Constants: Sendable {
    let name = ValidatedField("", .notEmpty)
  }

  @Test func everyValueIsKept() {
    let form = SignUp()
    form.name = "Chihiro"
    #expect(form.name == "Chihiro")
    #expect(!form.$name.isValid)
    form.name = "Sen"
    #expect(form.$name.isValid)
  }

  @Test func copiesShareTheField() {
    let form = SignUp()
    let copy = form
    copy.name = "Sen"
    #expect(form.name == "Sen")
    #expect(form.$name === copy.$name)
  }

  @Test func changeInPlaceIsReportedOn() {
    let form = SignUp()
    form.name += "a"
    #expect(form.$name.report.state == .valid)
  }

  @Test func untouchedFieldSaysNothing() {
    let field = Constants().name
    #expect(field.report.state == .pristine)
    #expect(!field.isValid)
    #expect(field.report.progress == 0)
  }

  @Test func touchingSaysWhatIsWrong() {
    let field = Constants().name
    field.touch()
    #expect(field.report.state == .invalid)
    field.touch()
    #expect(field.report.state == .invalid)
  }

  @Test func settingTouches() {
    let field = Constants().name
    field.value = ""
    #expect(field.report.state == .invalid)
  }

  @Test func resettingPutsTheInitialValueBack() {
    let field = ValidatedField("Sen", .count(...5))
    field.value = "Chihiro"
    field.reset()
    #expect(field.value == "Sen")
    #expect(field.report.state == .pristine)
    #expect(field.isValid)
  }

  @Test func validatingTouches() async {
    let field = Constants().name
    let report = await field.validate()
    #expect(report.state == .invalid)
    #expect(report == field.report)
  }

  @Test func checksMayUseTheField() {
    let number = ValidatedField(1, .custom("any", .custom("any")) { _ in true })
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
}
