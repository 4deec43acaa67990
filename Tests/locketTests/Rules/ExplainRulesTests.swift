import TestSupport
import Testing

struct ExplainRulesTests {
  private let machine: Machine

  init() throws { machine = try Machine() }

  @Test func rulesAreExplained() throws {
    let explanation = try machine.output(
      "rules explain", "max-repeating: 3;allowed: [\"&]; required: digits; max-sequential: 2")
    #expect(
      explanation == """
        canonical   required: digit; allowed: digit, ["&]; max-repeating: 3; max-sequential: 2;
        compatible  required: digit; allowed: digit, ["&]; max-consecutive: 2;
        HTML        passwordrules="required: digit; allowed: digit, [&quot;&amp;]; max-repeating: 3; \
        max-sequential: 2;"
        entropy     71.5 bits at length 20

        warning at character 43: Other parsers do not recognize `digits`. Write `digit` instead.
          max-repeating: 3;allowed: ["&]; required: digits; max-sequential: 2
                                                    ^^^^^^

        """)
  }

  @Test(arguments: [
    ("", "entropy     131.4 bits at length 20\n"), ("", "canonical   (no rules)\n"),
    ("maxlength: 4; allowed: [ab];", "entropy     4.0 bits at length 4\n"),
    (
      "minlength: 5; maxlength: 4;",
      "entropy     No password satisfies these rules: minlength 5 is greater than maxlength 4. "
        + "Relax one of them, or choose another length.\n"
    ),
    (
      "required: digit; minlength: 12",
      """

      warning at character 31: Only characters of the required classes are allowed: digit. \
      Insert `; allowed: ascii-printable;`.
        required: digit; minlength: 12
                                      ^

      """
    ),
    ("minlength: 2000;", "entropy     Passwords of 2000 characters are too long to count."),
  ])
  func entropyIsExplained(descriptor: String, text: String) throws {
    let explanation = try machine.output("rules explain", descriptor)
    #expect(explanation.contains(text), "\(explanation)")
    #expect(!explanation.contains("compatible"))
  }

  @Test(arguments: [
    // Two columns each: Chinese, and an emoji.
    ("allowed: [供😀a-]", "  allowed: [供😀a-]\n           ^^^^^^^^\n"),
    (
      "allowed: [é供]; minlength: 0",
      "  allowed: [é供]; minlength: 0\n                             ^\n"
    ),
    ("required:\t\n[a-]", "  required:\\t\\n[a-]\n               ^^^^\n"),
    ("allowed: [\u{1B}a-]", "  allowed: [\\u{1B}a-]\n            ^^^^^^\n"),
    // What would be joined with its neighbor stands for itself.
    ("allowed: [e\u{301}a-]", "  allowed: [e\\u{301}a-]\n             ^^^^^^^\n"),
    ("allowed: [👩\u{200D}👧]", "  allowed: [👩\\u{200D}👧]\n            ^^^^^^^^^^^^\n"),
    ("allowed: [\u{1F1F3}\u{1F3FD}]", "  allowed: [\\u{1F1F3}\\u{1F3FD}]\n"),
    ("allowed: [\u{1112}\u{1161}]", "  allowed: [\u{1112}\\u{1161}]\n            ^^^^^^^^^^\n"),
  ])
  func caretsAreBelowTheCharacters(descriptor: String, text: String) throws {
    let explanation = try machine.output("rules explain", descriptor)
    #expect(explanation.contains(text), "\(explanation)")
  }

  @Test(arguments: [
    (
      "required: number; minlength: 8", "At character 11: `number` is not a class; expected",
      "Write `digit` instead.\n  required: number; minlength: 8\n            ^^^^^^\n"
    ),
    (
      "required: \u{7F}upper",
      "At character 11: U+007F is not a valid space. Remove it.",
      "\n  required: \\u{7F}upper\n            ^^^^^^\n"
    ),
    (
      "供: 8", "At character 1: Expected the name of a rule", "\n  供: 8\n  ^\n"
    ),
    (
      "minlength: 8 maxlength: 9", "At character 13: Expected `;`",
      "\n  minlength: 8 maxlength: 9\n"
    ),
    ("allowed: [a", "At character 10: This class has no closing `]`", "\n           ^\n"),
  ])
  func syntaxErrorIsShown(descriptor: String, reason: String, end: String) throws {
    let ended = try machine.run("rules explain", descriptor)
    #expect(ended.status == 2 && ended.output == "")
    #expect(ended.errors.hasPrefix("locket: DESCRIPTOR cannot be read. \(reason)"))
    #expect(ended.errors.contains(end), "\(ended.errors)")
    for command in ["check", "generate"] {
      #expect(try machine.run("rules \(command)", descriptor).errors == ended.errors)
    }
  }

  @Test(arguments: [0, 30, 200]) func longDescriptorIsShortened(place: Int) throws {
    let before = String(repeating: "供", count: place)
    let descriptor = "allowed: [a\(before)]; minlength: 0; allowed: [\(before)]; maxlength: 5"
    let explanation = try machine.output("rules explain", descriptor)
    let lines = explanation.split(separator: "\n")
    let index = try #require(lines.firstIndex { $0.contains("A limit of 0") })
    let columns = lines[index + 1].unicodeScalars.map { $0 == "供" ? 2 : 1 }
    #expect(columns.reduce(0, +) <= 78)
    // The caret is below the zero.
    let zero = try #require(lines[index + 1].firstRange(of: "0"))
    let column = lines[index + 1][..<zero.lowerBound].unicodeScalars.reduce(0) {
      $0 + ($1 == "供" ? 2 : 1)
    }
    #expect(lines[index + 2] == String(repeating: " ", count: column) + "^")
  }
}
