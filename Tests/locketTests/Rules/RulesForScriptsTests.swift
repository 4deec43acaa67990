import FoundationEssentials
import TestSupport
import Testing

struct RulesForScriptsTests {
  private struct Count: Decodable {
    let length: Int
    let rules: String
    let any: String
    let distinct: String
  }

  private let machine: Machine

  init() throws { machine = try Machine() }

  /// The lines that a command answers with; the last of the input has no newline.
  private func answers(to lines: [String], _ words: String) throws -> [String] {
    try machine.output("rules \(words)", input: lines.joined(separator: "\n"))
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  @Test(.enabled(if: SharedData.isAvailable, "the exact counts are not on this machine"))
  func countsEqualThoseOfAnotherCounter() throws {
    let rows: [Count] = try SharedData.lines(of: "counts.jsonl")
    for (length, rows) in Dictionary(grouping: rows, by: \.length) {
      let inputs = try rows.map {
        String(decoding: try JSONEncoder().encode($0.rules), as: UTF8.self)
      }
      let distinct = try answers(to: inputs, "count --length \(length)")
      #expect(distinct == rows.map(\.distinct))
      let any = try answers(to: inputs, "count --any --length \(length)")
      #expect(any == rows.map(\.any))
    }
  }

  private static let texts = [
    (#""allowed: [\ud83d\ude00a]""#, #""allowed: [a];""#),
    (#""\u0000minlength: 8""#, #""allowed: ascii-printable;""#),
    (#""minlength:\n\t\r\f8""#, #""allowed: ascii-printable; minlength: 8;""#),
    (#""minlength:\b8""#, #""allowed: ascii-printable;""#),
    (#""allowed: [\"\\\/\u005D]""#, #""allowed: [\"/\\]];""#),
    (#""""#, #""allowed: ascii-printable;""#),
    (" \t\"maxlength: 7\" \r", #""allowed: ascii-printable; maxlength: 7;""#),
    ("\"allowed: [供é😀A]\"", #""allowed: [A];""#),
  ]

  @Test func jsonStringsAreDecoded() throws {
    #expect(try answers(to: Self.texts.map(\.0), "canonical --reference") == Self.texts.map(\.1))
  }

  @Test func canonicalFormMayBeThatOfTheReferenceParser() throws {
    let lines = [#""required: digit; allowed: [b-]""#, #""required: digits""#]
    let strict = [#""required: digit; allowed: digit, [b];""#, #""required: digit;""#]
    #expect(try answers(to: lines, "canonical") == strict)
    #expect(try answers(to: lines, "canonical --minified") == strict)
    let reference = [#""required: digit; allowed: [b];""#, #""""#]
    #expect(try answers(to: lines, "canonical --reference --minified") == reference)
  }

  @Test func syntaxErrorGivesAnEmptyLineAndStatusOne() throws {
    let input = "\"minlength: 8;\"\n\"required: foo\"\n\"maxlength: 9;\"\n"
    let texts = try machine.run("rules canonical", input: input)
    #expect(texts.status == 1)
    #expect(texts.output == "\"minlength: 8;\"\n\n\"maxlength: 9;\"\n")
    #expect(texts.errors.hasPrefix("locket: Line 2: At character 11: `foo` is not a class; "))
    let counts = try machine.run("rules count --length 8", input: input)
    #expect(counts.status == 1 && counts.errors == texts.errors)
    #expect(counts.output == "6634204312890625\n\n6634204312890625\n")
  }

  private static let otherLines = [
    "{}", "minlength: 8", "", "\"", "\"a", "a\"", "\"a\"b\"", "\"a\" \"b\"", "\"\\x\"", "\"\\\"",
    "\"\\u12\"", "\"\\u12g4\"", "\"\\u１234\"", "\"\\ud800-a\"", "\"\\ude00\\ud83d\"", "\"a\tb\"",
    "\"a\\nb\tc\"", "[\"a\"]",
    "\u{FEFF}\"\"",
  ]

  @Test func lineThatIsNoJSONStringGivesAnEmptyLine() throws {
    let input = (Self.otherLines + ["\"required: upper\""]).map { "\($0)\n" }.joined()
    let ended = try machine.run("rules canonical", input: input)
    #expect(ended.status == 2)
    let blanks = String(repeating: "\n", count: Self.otherLines.count)
    #expect(ended.output == "\(blanks)\"required: upper;\"\n")
    let errors = ended.errors.split(separator: "\n")
    #expect(errors.count == Self.otherLines.count)
    for (number, error) in errors.enumerated() {
      #expect(error.hasPrefix("locket: Line \(number + 1): Expected a JSON string, such as "))
    }
  }

  @Test func invalidUTF8IsNoJSONString() throws {
    let ended = try machine.shell(
      #"printf '"\377"\n"\355\240\200"\n""' | "$0" rules canonical --reference"#)
    #expect(ended.status == 2)
    #expect(ended.output == "\n\n\"allowed: ascii-printable;\"\n")
  }

  @Test func uncountableLengthGivesAnEmptyLineAndStatusTwo() throws {
    let ended = try machine.run(
      "rules count --length 1025", input: "\"\"\n\"maxlength: 8;\"\n\"required: foo\"\n")
    #expect(ended.status == 2 && ended.output == "\n0\n\n")
    #expect(ended.errors.hasPrefix("locket: Line 1: Passwords of 1025 characters are too long"))
  }

  @Test func linesMayBeLong() throws {
    let rules = String(repeating: "required: [a\\u0062]; ", count: 10_000)
    let spaces = String(repeating: " ", count: 1_000_000)
    let lines = try answers(
      to: ["\"\(rules)\"", "\"minlength:\(spaces)8\"", "\"\""], "canonical")
    #expect(lines.map(\.utf8.count) == [160_001, 15, 2])
    #expect(try answers(to: [], "canonical") == [])
  }

  @Test func answerPrecedesTheNextQuestion() throws {
    let ended = try machine.shell(
      #"""
      mkfifo questions answers
      "$0" rules count --length 3 <questions >answers & exec 3>questions 4<answers
      for letters in ab abc; do
        echo "\"allowed: [$letters];\"" >&3
        read answer <&4; echo "$letters $answer"
      done
      exec 3>&-; wait
      """#)
    #expect(ended.output == "ab 8\nabc 27\n" && ended.errors == "")
  }

  @Test func closedInputIsAnError() throws {
    let ended = try machine.shell("\"$0\" rules canonical <&-")
    #expect(ended.status == 2)
    #expect(ended.errors.hasPrefix("locket: Standard input cannot be read: "))
  }
}
