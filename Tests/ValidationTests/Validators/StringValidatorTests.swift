import PasswordRules
import Testing
import Validation

struct StringValidatorTests {
  /// A text, the states of its checks, and the messages and positions of those that do not hold.
  typealias Row = (String, String, [String], [Range<Int>])

  private func expect(_ validator: Validator<String>, _ row: Row) {
    let report = validator.report(for: row.0)
    #expect(report.marks == row.1)
    let open = report.checks.filter { $0.state != .satisfied }
    #expect(open.map { $0.text(in: .english) } == row.2)
    #expect(open.flatMap(\.positions) == row.3)
  }

  @Test(arguments: [
    ("a", ["Add 2 digits"]), ("a1", ["Add 1 digit"]), ("a1b1", []),
    // The Arabic digit is not one of 0 to 9.
    ("a1٣", ["Add 1 digit"]),
  ])
  func quantitiesAreCounted(typed: String, messages: [String]) {
    expect(.contains(atLeast: 2, of: .digits), (typed, messages.isEmpty ? "+" : ".", messages, []))
  }

  @Test func classesAreJoined() {
    let validator: Validator<String> = .contains(of: .digits, .custom("! "))
    expect(validator, ("1a", "+", [], []))
    expect(validator, ("b", ".", ["Add 1 digit or of the characters ! (+ space)"], []))
    expect(validator, (" ", "+", [], []))
  }

  @Test(
    arguments: [
      ("aab", "+", [], []),
      ("xyzaaa", "!", ["“aaa” at 4–6: At most 2 equal characters in a row"], [3..<6]),
      ("ééé-ззз", "!", ["“ééé” at 1–3: At most 2 equal characters in a row"], [0..<3, 4..<7]),
      ("qqqqqqqqqqqqqqqqqqqq", "!", ["At 1–20: At most 2 equal characters in a row"], [0..<20]),
    ] as [Row])
  func runsOfEqualCharactersAreLimited(row: Row) { expect(.maxRepeating(2), row) }

  @Test func sequentialRunsAreLimited() {
    expect(.maxSequential(2), ("ab1", "+", [], []))
    let message = "“cba” at 2–4: At most 2 sequential characters in a row, such as abc or 321"
    expect(.maxSequential(2), ("-cba", "!", [message], [1..<4]))
  }

  @Test(
    arguments: [
      ("", "+", [], []), ("ab-1", "+", [], []),
      ("a b\u{A0}ñ  c", "!", ["Remove or replace the space, U+00A0 and “ñ”"], [1..<2, 3..<7]),
      ("a\nb\t", "!", ["Remove or replace the line break and the tab"], [1..<2, 3..<4]),
    ] as [Row])
  func otherCharactersAreListedWithPositions(row: Row) {
    expect(.characters(in: .lower, .digits, .custom("-")), row)
  }

  @Test(
    arguments: [
      ("ab", ".+", ["Add 1 character"], []), ("abc", "++", [], []),
      ("👨‍👩‍👧‍👦é́ab", "++", [], []), ("abc👨‍👩‍👧‍👦éxy", "+!", ["Remove 2 characters"], [11..<13]),
    ] as [Row])
  func lengthIsCountedInGraphemeClusters(row: Row) { expect(.count(3...5), row) }

  @Test(arguments: [(LengthUnit.codePoints, 7), (.graphemeClusters, 1), (.utf16, 11), (.utf8, 25)])
  func lengthIsCountedInTheUnit(unit: LengthUnit, length: Int) {
    let family = "👨‍👩‍👧‍👦"
    let exact: Validator<String> = .count(length...length, unit: unit)
    #expect(exact.report(for: family).isValid)
    let more: Validator<String> = .count((length + 1)..., unit: unit)
    #expect(more.report(for: family).checks[0].advice == .addCharacters(1, unit))
  }

  @Test(arguments: [
    ("", "."), ("ht", "."), ("https://", "+"), ("https://a", "+"), ("http://", "!"),
  ])
  func partOfPrefixIsIncomplete(typed: String, states: String) {
    #expect(Validator<String>.prefix("https://").report(for: typed).marks == states)
  }

  @Test(arguments: [("", "."), ("a.pn", "."), ("a.png", "+"), ("a.png ", ".")])
  func missingSuffixIsIncomplete(typed: String, states: String) {
    #expect(Validator<String>.suffix(".png").report(for: typed).marks == states)
  }

  @Test(
    arguments: [
      ("", "+", []), ("a b", "+", []), ("a ", ".", [1..<2]), (" a", "!", [0..<1]),
      ("\t\u{A0}a\n", "!", [0..<2, 3..<4]), ("   ", "!", [0..<3]),
    ] as [(String, String, [Range<Int>])])
  func leadingAndTrailingWhiteSpaceIsFound(typed: String, states: String, positions: [Range<Int>]) {
    let report = Validator<String>.trimmed.report(for: typed)
    #expect(report.marks == states)
    #expect(report.checks[0].positions == positions)
  }

  @Test(
    arguments: [
      ("ab", "+", []), ("a\r\nb", "!", [1..<3]), ("a\u{2028}", "!", [1..<2]),
    ] as [(String, String, [Range<Int>])])
  func lineBreaksHavePositions(typed: String, states: String, positions: [Range<Int>]) {
    let report = Validator<String>.singleLine.report(for: typed)
    #expect(report.marks == states)
    #expect(report.checks[0].positions == positions)
  }

  @Test(arguments: [("1234", "."), ("12345", "+"), ("123456", "."), ("", ".")])
  func patternMatchesTheWholeText(typed: String, states: String) {
    let postcode: Validator<String> = .matching(.custom("postcode")) { /[0-9]{5}/ }
    #expect(postcode.report(for: typed).marks == states)
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

/// The addresses that `input type=email` accepts, and the first errors of others.
struct EmailTests {
  private static let longLabel = String(repeating: "a", count: 63)

  @Test(arguments: [
    "a@b", "a.b@c.de", ".a..b.@c", "!#$%&'*+/=?^_`{|}~-@x-y.z", "a@1.2.3.4", "A@B.C",
    "a@\(longLabel).\(longLabel)", "a@b--c",
  ])
  func addressIsAccepted(address: String) {
    #expect(Validator<String>.email.report(for: address).isValid)
  }

  @Test(arguments: ["", "a", "a.", "a@", "a@b.", "a@b-", "a@b.c-"])
  func prefixOfAddressIsIncomplete(text: String) {
    #expect(Validator<String>.email.report(for: text).marks == ".")
  }

  @Test(arguments: [
    ("@", 0), ("a b@c", 1), ("a@@", 2), ("a@.", 2), ("a@-", 2), ("a@b..", 4), ("a@b-.c", 4),
    ("a@b ", 3), ("ä@b", 0), ("a@ä", 2), ("a@b.c\n", 5), ("\"a\"@b", 0), ("a@b@c", 3),
    ("a@\(longLabel)a", 65), ("a@\(longLabel.dropLast())-", 64), ("a@b_c", 3),
  ])
  func firstInvalidCharacterIsFound(text: String, place: Int) {
    let report = Validator<String>.email.report(for: text)
    #expect(report.marks == "!")
    #expect(report.checks[0].positions == [place..<(place + 1)])
  }

  /// Every prefix of an address can still become one.
  @Test func noPrefixOfAddressIsViolated() {
    let address = "peter.o'neil+x@mail-1.example.com"
    for length in 0..<address.count {
      let state = Validator<String>.email.report(for: String(address.prefix(length))).marks
      #expect(state != "!", "\(address.prefix(length))")
    }
  }
}
