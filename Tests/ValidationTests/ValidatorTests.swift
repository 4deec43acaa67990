import Testing
import Validation

@Suite struct ValidatorTests {
  @Test func emptyTextIsNotYetThere() {
    let validator: Validator<String> = .notEmpty
    #expect(validator.report(for: "").checks.map(\.state) == [.incomplete])
    #expect(validator.report(for: "a").state == .valid)
  }
}
