import PasswordRules
import Testing

/// Input that strict reading accepts, but whose meaning is misleading.
struct StrictWarningTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let descriptor: String
    let ranges: [Range<Int>]
    let replacement: String?
    let canonical: String

    var testDescription: String { descriptor }

    init(
      _ descriptor: String, _ ranges: [Range<Int>], _ replacement: String?, _ canonical: String
    ) {
      (self.descriptor, self.ranges) = (descriptor, ranges)
      (self.replacement, self.canonical) = (replacement, canonical)
    }
  }

  @Test(arguments: [
    Vector("required: digits;", [10..<16], "digit", "required: digit;"),
    Vector("minlength: 0;", [11..<12], nil, ""),
    Vector("max-repeating: 000;", [15..<18], nil, ""),
    Vector("required: ; required: upper", [0..<10], nil, "required: upper;"),
    Vector("maxlength:", [0..<10], nil, ""),
    Vector("required: [];", [10..<12], nil, ""),
    Vector(
      "required: upper; allowed: upper, lower;", [26..<31], nil,
      "required: upper; allowed: upper, lower;"),
    Vector("required: special; allowed: [!];", [28..<31], nil, "required: special;"),
    Vector("allowed: unicode, ascii-printable;", [18..<33], nil, "allowed: unicode;"),
    Vector("allowed: ascii-printable, unicode;", [26..<33], nil, ""),
    Vector("allowed: [a-z];", [9..<14], "lower", "allowed: [az];"),
    Vector("allowed: [A-Za-z0-9_];", [9..<21], "upper, lower, digit, [_]", "allowed: [09AZ_az];"),
    Vector("allowed: [a-f];", [9..<14], "[-af]", "allowed: [af];"),
    Vector("allowed: [a-];", [9..<13], "[-a]", "allowed: [a];"),
    Vector("allowed: [--];", [9..<13], "[-]", "allowed: [-];"),
    Vector("allowed: [é-a];", [10..<11, 9..<14], "", "allowed: [a];"),
    Vector("allowed: [aéüb👩];", [11..<13, 14..<15], "", "allowed: [ab];"),
  ])
  func warningHasRangeAndReplacement(_ vector: Vector) throws {
    let (rules, warnings) = try PasswordRuleSet.parse(vector.descriptor)
    #expect(rules.descriptor == vector.canonical)
    #expect(
      warnings.map(\.range).sorted { $0.lowerBound < $1.lowerBound }
        == vector.ranges.sorted { $0.lowerBound < $1.lowerBound })
    #expect(warnings.contains { $0.replacement == vector.replacement })
  }

  @Test(arguments: [
    "", "   ", "required: upper; allowed: lower;", "allowed: [-a];", "allowed: [a]];",
    "allowed: []];",
    "allowed: [-]];", "allowed: [[]];", "allowed: [;,:];", "required: uPPeR;", "minlength: 008",
    "required: unicode; required: digit;", "required: digit; required: digit;",
  ])
  func unambiguousRulesHaveNoWarning(descriptor: String) throws {
    #expect(try PasswordRuleSet.parse(descriptor).warnings.isEmpty)
  }

  @Test func appliedSuggestionsCauseNoWarning() throws {
    for (text, meant) in [
      ("allowed: [a-z];", "allowed: lower;"), ("allowed: [a-]];", "allowed: [-a]];"),
      ("required: digits;", "required: digit;"),
    ] {
      let warning = try #require(try PasswordRuleSet.parse(text).warnings.first)
      var scalars = Array(text.unicodeScalars)
      scalars.replaceSubrange(warning.range, with: (warning.replacement ?? "").unicodeScalars)
      let mended = String(String.UnicodeScalarView(scalars))
      #expect(mended == meant)
      #expect(try PasswordRuleSet.parse(mended).warnings.isEmpty)
    }
  }

  @Test func descriptionContainsSolution() throws {
    let warning = try #require(try PasswordRuleSet.parse("required: digits").warnings.first)
    #expect(
      warning.description == "Other parsers do not recognize `digits`. Write `digit` instead.")
    let error = #expect(throws: DescriptorSyntaxError.self) {
      try PasswordRuleSet("minlength: 8 ;")
    }
    #expect(
      error?.description == "At character 13: Unexpected space after the number. Remove it.")
  }
}
