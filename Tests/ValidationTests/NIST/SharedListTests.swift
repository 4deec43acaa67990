import Testing
import Validation

struct SharedListTests {
  /// Returns `count` checks, of which only the first depends on the value.
  private static func validator(_ count: Int) -> Validator<Int> {
    let custom = (1..<count).map { number in
      Validator<Int>.custom("\(number)", .custom("a demand of the app's \(number)")) { _ in true }
    }
    return custom.reduce(
      Validator<Int>.custom("even", .custom("even"), advice: .custom("add one")) { $0 % 2 == 0 }
    ) { $0 && $1 }
  }

  @Test func keystrokeThatChangesNothingKeepsTheList() {
    let field = ValidatedField(2, Self.validator(60))
    field.touch()
    let before = field.report
    field.value = 4
    #expect(field.report.checks.isSameList(as: before.checks))
    field.value = 5
    #expect(!field.report.checks.isSameList(as: before.checks))
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
