import Testing
import Validation

/// Collections, numbers, optionals and single values.
struct ValueTests {
  @Test(arguments: [
    (0, ".+", "Add 2 elements"), (1, ".+", "Add 1 element"), (2, "++", nil), (4, "++", nil),
    (5, "+!", "Remove 1 element"), (7, "+!", "Remove 3 elements"),
  ])
  func elementsAreCounted(count: Int, states: String, message: String?) {
    let validator: Validator<[Int]> = .count(2...4)
    let report = validator.report(for: Array(0..<count))
    #expect(report.marks == states)
    #expect(report.errors.first?.text(in: .english) == message)
    #expect(report.checks[1].positions == (count > 4 ? [4..<count] : []))
  }

  @Test func everyKindOfRangeIsSupported() {
    func marks(_ validator: Validator<[Int]>) -> [String] {
      (0...3).map { validator.report(for: Array(repeating: 1, count: $0)).marks }
    }
    #expect(marks(.count(1..<3)) == [".+", "++", "++", "+!"])
    #expect(marks(.count(2...)) == [".", ".", "+", "+"])
    #expect(marks(.count(...1)) == ["+", "+", "!", "!"])
    #expect(marks(.count(..<1)) == ["+", "!", "!", "!"])
    #expect(marks(.count(0...)) == ["", "", "", ""])
    #expect(marks(.count(1...Int.max)) == [".", "+", "+", "+"])
    #expect(marks(.count(...Int.max)) == ["", "", "", ""])
    #expect(marks(.count(-3 ... -1)) == ["!", "!", "!", "!"])
    #expect(marks(.notEmpty) == [".", "+", "+", "+"])
  }

  @Test func duplicatesHavePositions() {
    let report = Validator<[String]>.unique.report(for: ["a", "b", "a", "a"])
    #expect(report.marks == "!")
    #expect(report.checks[0].positions == [2..<3, 3..<4])
    #expect(Validator<[String]>.unique.report(for: ["a", "b"]).isValid)
  }

  @Test func invalidElementsHavePositions() {
    let validator: Validator<[String]> = .each(.notEmpty && .count(...2))
    let report = validator.report(for: ["a", "", "bb", "ccc"])
    #expect(report.marks == "!")
    #expect(report.checks[0].positions == [1..<2, 3..<4])
    #expect(
      report.checks[0].text(in: .english) == "Each element: Not empty and At most 2 characters")
    #expect(validator.report(for: [""]).marks == ".")
    #expect(validator.report(for: []).isValid)
  }

  @Test func numberIsInTheRange() {
    let validators: [Validator<Int>] = [
      .in(18...99), .in(18..<100), .in(18...) && .in(...99), .atLeast(18) && .in(..<100),
    ]
    for (number, validator) in validators.enumerated() {
      #expect(validator.marks(17, 18, 99, 100) == ".+ ++ ++ +!", "\(number)")
    }
  }

  @Test func messagesContainNumbers() {
    let validator: Validator<Double> = .in(0.5..<10) && .atMost(3) && .positive && .finite
    let messages = validator.report(for: .nan).checks.map { $0.requirement.text(in: .english) }
    #expect(
      messages == [
        "At least 0.5", "Less than 10.0", "At most 3.0", "More than 0", "A finite number",
      ])
  }

  @Test func kindsOfNumbersAreChecked() {
    #expect([-1, 0, 1].map { Validator<Int>.positive.report(for: $0).marks } == ["!", ".", "+"])
    #expect([0, 5, 9].map { Validator.multiple(of: 5).report(for: $0).marks } == ["+", "+", "."])
    #expect(Validator.multiple(of: 0).report(for: 1).marks == ".")
    #expect(Validator<Double>.finite.marks(1, -.infinity, .nan) == "+ ! !")
  }

  @Test func optionalsAreChecked() {
    let validator: Validator<String?> = .present() && .ifPresent(.notEmpty && .count(...2))
    #expect(validator.marks(nil, "", "abc", "a") == ".++ +.+ ++! +++")
  }

  @Test func prefixOfListedStringIsIncomplete() {
    let color: Validator<String> = .oneOf(["red", "green"])
    #expect(["", "gr", "red", "redd"].map { color.report(for: $0).marks } == [".", ".", "+", "!"])
    #expect(color.report(for: "").checks[0].text(in: .english) == "One of: red, green")
    let confirmed: Validator<String> = .equalTo("DELETE", shownAs: "DELETE")
    #expect(["D", "DELETE", "x"].map { confirmed.report(for: $0).marks } == [".", "+", "!"])
    #expect(confirmed.report(for: "").checks[0].text(in: .english) == "“DELETE”")
    let secret: Validator<String> = .equalTo("hunter2")
    #expect(!"\(secret.report(for: "hunt"))".contains("hunter2"))
  }

  @Test func listedValuesAreFound() {
    #expect([1, 4].map { Validator<Int>.oneOf([1, 2]).report(for: $0).marks } == ["+", "!"])
    #expect([1, 4].map { Validator<Int>.noneOf([1, 2]).report(for: $0).marks } == [".", "+"])
    #expect([1, 4].map { Validator<Int>.equalTo(4).report(for: $0).marks } == ["!", "+"])
    let many = Validator<Int>.oneOf(Array(0..<9)).report(for: 20)
    #expect(many.checks[0].text(in: .english) == "One of the choices")
  }
}
