import FoundationEssentials
import PasswordRules
import TestSupport
import Testing

struct PrintingTests {
  @Test(arguments: [
    "required: upper, [-a]]", "allowed: unicode", "max-sequential: 2", "minlength: 8",
  ])
  func singleRuleIsPrintedWithoutSemicolon(text: String) throws {
    #expect(try PasswordRuleSet(text).rules.map(\.description) == [text])
  }

  @Test func printedRulesRoundTrip() throws {
    var random = RandomRules(seed: 8)
    for _ in 0..<500 {
      let rules = random.next()
      #expect(try PasswordRuleSet(rules.descriptor) == rules)
      let compatible = try PasswordRuleSet(rules.descriptor(for: .compatible))
      #expect(compatible.descriptor == rules.descriptor(for: .compatible))
      #expect(compatible.maxRepeating == nil && compatible.maxSequential == nil)
    }
  }

  @Test func compatibleDialectUsesStrictestLimitOnRuns() {
    let rules: PasswordRuleSet = [.maxRepeating(3), .maxSequential(2), .maxLength(9)]
    #expect(rules.descriptor(for: .compatible) == "max-consecutive: 2; maxlength: 9;")
    #expect(
      rules.htmlAttribute(for: .compatible)
        == "passwordrules=\"max-consecutive: 2; maxlength: 9;\"")
  }

  @Test func attributeIsEscaped() throws {
    let rules = try PasswordRuleSet("allowed: [\"'&<>];")
    #expect(rules.htmlAttribute == "passwordrules=\"allowed: [&quot;&amp;&#x27;&lt;&gt;];\"")
  }

  /// Every character of a class, and the rules of real sites if they are available.
  @Test(.enabled(if: Python.isAvailable, "python3 is not installed"))
  func attributeSurvivesAnHTMLParser() throws {
    var descriptors = try PrintableCharacters.all.map {
      try PasswordRuleSet([.allowed(.custom(#require(PrintableCharacters("\($0)"))))]).descriptor
    }
    descriptors.append("required: [-&<>'\"]]; allowed: [&amp;];")
    if SharedData.isAvailable {
      let sites = try JSONDecoder().decode(
        SiteRules.self, from: SharedData.content(of: "quirks.json"))
      descriptors += sites.hosts.compactMap { sites.rules(for: $0)?.descriptor }
    }
    let directory = try TemporaryDirectory()
    let page = try descriptors.map { "<input \(try PasswordRuleSet($0).htmlAttribute)>" }
    try page.joined(separator: "\n").write(
      toFile: directory("page.html"), atomically: false, encoding: .utf8)
    let attributes = try Python.run(
      """
      import html.parser, sys
      class Reader(html.parser.HTMLParser):
          def handle_starttag(self, tag, attributes):
              print(dict(attributes)["passwordrules"])
      Reader().feed(open(sys.argv[1]).read())
      """, [directory("page.html")])
    let canonical = try descriptors.map { try PasswordRuleSet($0).descriptor }
    #expect(attributes.split(separator: "\n").map(String.init) == canonical)
  }

  @Test func mergingCombinesAllRequirements() throws {
    let field = try PasswordRuleSet("required: digit; allowed: lower, upper; minlength: 8;")
    let site = try PasswordRuleSet("required: digit; allowed: lower; maxlength: 12;")
    let merged = try PasswordRuleSet(merging: [field, site])
    #expect(
      merged.descriptor == "required: digit; allowed: lower, digit; minlength: 8; maxlength: 12;")
    let twice = try PasswordRuleSet("required: digit; required: digit;")
    let once = try PasswordRuleSet("required: digit;")
    #expect(try PasswordRuleSet(merging: [once, twice, once]) == twice)
    let either = try PasswordRuleSet("required: upper, digit;")
    let noCapitals = try PasswordRuleSet("allowed: lower, digit;")
    #expect(try PasswordRuleSet(merging: [either, noCapitals]).descriptor == "required: digit;")
    #expect(throws: PasswordRulesError.unsatisfiable("they have no character in common")) {
      try PasswordRuleSet(merging: [noCapitals, [.allowed(.upper)]])
    }
    #expect(throws: PasswordRulesError.self) {
      try PasswordRuleSet(merging: [field, [.allowed(.special)]])
    }
  }

  /// Long texts must neither take quadratic time nor trap: 2,000 bytes here, and a million in the
  /// full campaign; a benchmark compares the times.
  @Test(arguments: ["a", "[", "-", ";", "\u{A0}", "é", "required: [é-", "required: upper, ", "9"])
  func longDescriptorsAreParsedOrRejected(piece: String) {
    let size = Campaign.size(sample: 2_000, full: 1_000_000)
    let long = String(repeating: piece, count: size / piece.utf8.count)
    for text in [long, "minlength: \(long)", "allowed: [\(long)];"] {
      _ = try? PasswordRuleSet.parse(text)
      _ = ReferenceFormat.minified.text(for: text)
    }
  }

  @Test func tenThousandRulesAreParsed() throws {
    let text = String(repeating: "required: [a-z]; ", count: 10_000) + "allowed: upper;"
    #expect(try PasswordRuleSet.parse(text).warnings.count == 10_000)
  }
}
