import PasswordRules
import TestSupport
import Testing
import Validation

/// Lines of the fixture `strings`, each with a kind.
private struct Row: Decodable {
  let kind, typed, marks: String
  /// The messages of the checks that do not hold, where a test needs them.
  let messages: [String]?
  /// The positions, in code points.
  let places: [[Int]]
}

private func expect(_ kind: String, of validator: Validator<String>) throws {
  let rows = try Fixture.rows("strings", as: Row.self).filter { $0.kind == kind }
  try #require(!rows.isEmpty)
  for row in rows {
    let report = validator.report(for: row.typed)
    #expect(report.marks == row.marks, "\(row)")
    #expect(report.checks.flatMap(\.positions) == row.places.map { $0[0]..<$0[1] }, "\(row)")
    guard let messages = row.messages else { continue }
    let open = report.checks.filter { $0.state != .satisfied }
    #expect(open.map { $0.text(in: .english) } == messages, "\(row)")
  }
}

struct StringValidatorTests {
  @Test func quantitiesAreCounted() throws {
    // The Arabic digit is not one of 0 to 9.
    try expect("quantity", of: .contains(atLeast: 2, of: .digits))
  }

  @Test func classesAreJoined() throws {
    try expect("class", of: .contains(of: .digits, .custom("! ")))
  }

  @Test func runsOfEqualCharactersAreLimited() throws {
    try expect("equal run", of: .maxRepeating(2))
  }

  @Test func sequentialRunsAreLimited() throws {
    try expect("sequential run", of: .maxSequential(2))
  }

  @Test func otherCharactersAreListedWithPositions() throws {
    try expect("other character", of: .characters(in: .lower, .digits, .custom("-")))
  }

  @Test func lengthIsCountedInGraphemeClusters() throws { try expect("length", of: .count(3...5)) }

  @Test(arguments: [(LengthUnit.codePoints, 7), (.graphemeClusters, 1), (.utf16, 11), (.utf8, 25)])
  func lengthIsCountedInTheUnit(unit: LengthUnit, length: Int) {
    let family = "👨‍👩‍👧‍👦"
    let exact: Validator<String> = .count(length...length, unit: unit)
    #expect(exact.report(for: family).isValid)
    let more: Validator<String> = .count((length + 1)..., unit: unit)
    #expect(more.report(for: family).checks[0].advice == .addCharacters(1, unit))
  }

  @Test func partOfPrefixIsIncomplete() {
    let validator: Validator<String> = .prefix("https://")
    #expect(validator.marks("", "ht", "https://", "https://a", "http://") == ". . + + !")
  }

  @Test func missingSuffixIsIncomplete() {
    #expect(Validator<String>.suffix(".png").marks("", "a.pn", "a.png", "a.png ") == ". . + .")
  }

  @Test func leadingAndTrailingWhiteSpaceIsFound() throws {
    try expect("white space", of: .trimmed)
  }

  @Test func lineBreaksHavePositions() throws { try expect("line break", of: .singleLine) }

  @Test func patternMatchesTheWholeText() {
    let postcode: Validator<String> = .matching(.custom("postcode")) { /[0-9]{5}/ }
    #expect(postcode.marks("1234", "12345", "123456", "") == ". + . .")
  }

  @Test func patternCanBeUsedConcurrently() async {
    let digits: Validator<String> = .matching(.custom("digits")) { /[0-9]+/ }
    let valid = await withTaskGroup { group in
      for number in 0..<200 {
        group.addTask { digits.report(for: number.isMultiple(of: 2) ? "\(number)" : "x").isValid }
      }
      return await group.reduce(0) { $1 ? $0 + 1 : $0 }
    }
    #expect(valid == 100)
  }

  @Test func emptyStringIsIncomplete() {
    let validator: Validator<String> = .notEmpty
    #expect(validator.report(for: "").checks.map(\.state) == [.incomplete])
    #expect(validator.report(for: "a").state == .valid)
  }
}

struct EmailTests {
  /// Those that `input type=email` accepts, beginnings of such, and the first errors of others.
  @Test func addressesAreAcceptedIncompleteOrViolated() throws { try expect("email", of: .email) }

  /// Every prefix of an address can still become one.
  @Test func noPrefixOfAddressIsViolated() {
    let address = "peter.o'neil+x@mail-1.example.com"
    for length in 0..<address.count {
      let state = Validator<String>.email.report(for: String(address.prefix(length))).marks
      #expect(state != "!", "\(address.prefix(length))")
    }
  }
}
