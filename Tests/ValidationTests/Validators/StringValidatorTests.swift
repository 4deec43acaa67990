import PasswordRules
import Testing
import Validation

struct StringValidatorTests {
  struct Row: Sendable {
    let typed: String
    let states: String
    var messages: [String] = []
    var positions: [Range<Int>] = []
  }

  private func expect(_ validator: Validator<String>, _ row: Row) {
    let report = validator.report(for: row.typed)
    #expect(report.marks == row.states)
    let open = report.checks.filter { $0.state != .satisfied }
    #expect(open.map { $0.text(in: .english) } == row.messages)
    #expect(open.flatMap(\.positions) == row.positions)
  }

  @Test(arguments: [
    Row(typed: "a", states: ".", messages: ["Add 2 digits"]),
    Row(typed: "a1", states: ".", messages: ["Add 1 digit"]),
    Row(typed: "a1b1", states: "+"),
    // The Arabic digit is not one of 0 to 9.
    Row(typed: "a1٣", states: ".", messages: ["Add 1 digit"]),
  ])
  func quantitiesAreCounted(row: Row) {
    expect(.contains(atLeast: 2, of: .digits), row)
  }

  @Test(arguments: [
    Row(typed: "1a", states: "+"),
    Row(
      typed: "b", states: ".", messages: ["Add 1 digit or of the characters ! (+ space)"]),
    Row(typed: " ", states: "+"),
  ])
  func classesAreJoined(row: Row) {
    expect(.contains(of: .digits, .custom("! ")), row)
  }

  @Test(arguments: [
    Row(typed: "aab", states: "+"),
    Row(
      typed: "xyzaaa", states: "!",
      messages: ["“aaa” at 4–6: At most 2 equal characters in a row"], positions: [3..<6]),
    Row(
      typed: "ééé-ззз", states: "!",
      messages: ["“ééé” at 1–3: At most 2 equal characters in a row"], positions: [0..<3, 4..<7]),
    Row(
      typed: String(repeating: "q", count: 20), states: "!",
      messages: ["At 1–20: At most 2 equal characters in a row"], positions: [0..<20]),
  ])
  func runsOfEqualCharactersAreLimited(row: Row) {
    expect(.maxRepeating(2), row)
  }

  @Test(arguments: [
    Row(typed: "ab1", states: "+"),
    Row(
      typed: "-cba", states: "!",
      messages: ["“cba” at 2–4: At most 2 sequential characters in a row, such as abc or 321"],
      positions: [1..<4]),
  ])
  func sequentialRunsAreLimited(row: Row) {
    expect(.maxSequential(2), row)
  }

  @Test(arguments: [
    Row(typed: "", states: "+"), Row(typed: "ab-1", states: "+"),
    Row(
      typed: "a b\u{A0}ñ  c", states: "!",
      messages: ["Remove or replace the space, U+00A0 and “ñ”"],
      positions: [1..<2, 3..<7]),
    Row(
      typed: "a\nb\t", states: "!", messages: ["Remove or replace the line break and the tab"],
      positions: [1..<2, 3..<4]),
  ])
  func otherCharactersAreListedWithPositions(row: Row) {
    expect(.characters(in: .lower, .digits, .custom("-")), row)
  }

  @Test(arguments: [
    Row(typed: "ab", states: ".+", messages: ["Add 1 character"]),
    Row(typed: "abc", states: "++"), Row(typed: "👨‍👩‍👧‍👦é́ab", states: "++"),
    Row(
      typed: "abc👨‍👩‍👧‍👦éxy", states: "+!", messages: ["Remove 2 characters"],
      positions: [11..<13]),
  ])
  func lengthIsCountedInGraphemeClusters(row: Row) {
    expect(.count(3...5), row)
  }

  @Test(arguments: [
    (LengthUnit.codePoints, 7), (.graphemeClusters, 1), (.utf16, 11), (.utf8, 25),
  ])
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

  /// A serialized closure got a thunk at each access, until a call overflowed the stack.
  @Test func patternStaysUsableAfterManyChecks() {
    let digits: Validator<String> = .matching(.custom("digits")) { /[0-9]+/ }
    var valid = 0
    for _ in 0..<100_000 where digits.report(for: "1").isValid { valid += 1 }
    #expect(valid == 100_000)
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
