import Observation
import Testing
import Validation

private struct Service: Sendable {
  func isTaken(_ name: String) async throws -> Bool { name == "yubaba" }
}

/// The code of the page on fields and forms.
struct FieldsAndFormsSnippets {
  final class SignUp: Sendable {
    let userName = ValidatedField("", .count(3...20))
    let password = ValidatedField("", .count(8...64))
    let repeated = ValidatedField("", .notEmpty)
  }

  @Observable final class Settings {
    @ObservationIgnored @Validated(.in(1...10)) var volume = 5
  }

  final class Registration: Sendable {
    let name = ValidatedField("", .notEmpty)
    let password = ValidatedField("", .count(8...))
    let form: ValidationForm

    init() { form = ValidationForm(name, password) }
  }

  final class Login {
    @Validated(.notEmpty) var name = ""
    @Validated(.count(8...)) var password = ""
    private(set) lazy var form = ValidationForm($name, $password)
  }

  @Test func typesHaveFormsOfTheirOwnFields() {
    let registration = Registration()
    registration.name.value = "Chihiro"
    registration.password.value = "Zeniba's house"
    #expect(registration.form.isValid)
    let login = Login()
    login.name = "Chihiro"
    #expect(!login.form.isValid && login.form.errors.count == 1)
  }

  @Test func fields() {
    struct Profile {
      @Validated(.notEmpty && .count(...20)) var name = ""
    }

    let profile = Profile()
    print(profile.$name.report.state)  // pristine
    profile.name = "Chihiro"
    print(profile.$name.isValid)  // true
    #expect(profile.$name.isValid)
    #expect(Settings().$volume.isValid)
  }

  @Test func changes() async {
    let signUp = SignUp()
    @Sendable func redraw() {}

    let drawing = Task {
      for await report in signUp.userName.reports {
        print(report.progressText(in: .english))
      }
    }
    let observation = signUp.userName.observe { redraw() }

    observation.cancel()
    drawing.cancel()
    await drawing.value
  }

  @Test func otherRules() {
    let signUp = SignUp()
    signUp.password.value = "Chihiro Ogino"
    #expect(signUp.password.isValid)
    signUp.password.replaceValidator(with: .count(15...64))
    #expect(!signUp.password.isValid)
  }

  @Test func answers() async {
    let service = Service()

    let isFree = AsynchronousCheck<String>("isFree", .custom("name.free")) { name in
      try await service.isTaken(name) ? .rejected(.custom("name.taken")) : .satisfied
    }
    let userName = ValidatedField("", .count(3...20), asynchronously: [isFree])
    userName.value = "chihiro"
    print(userName.report.state)  // pending
    let report = await userName.validate()

    #expect(report.isValid)
  }

  @Test func forms() async {
    let signUp = SignUp()
    func save() { Issue.record("Nothing was typed.") }
    func focus(on id: ObjectIdentifier?) { #expect(id == signUp.userName.id) }

    signUp.repeated.require(.equal(to: signUp.password))
    signUp.password.require(.notContaining(signUp.userName))

    let form = ValidationForm(signUp.userName, signUp.password, signUp.repeated)
    print(form.state, form.progress)
    if await form.validate().isValid {
      save()
    } else {
      focus(on: form.firstNeedingAttention?.id)
    }
  }
}
