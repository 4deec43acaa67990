import PasswordRules
import Testing

/// The reference parser's observed results, especially its quirks.
struct ReferenceQuirksTests {
  @Test(arguments: [
    ("", "allowed: ascii-printable;", ""),
    (
      "required: upper; required: lower; required: digit; allowed: ascii-printable; max-consecutive: 2; minlength: 8;",
      "required: upper; required: lower; required: digit; allowed: ascii-printable; max-consecutive: 2; minlength: 8;",
      "required: upper; required: lower; required: digit; allowed: ascii-printable; max-consecutive: 2; minlength: 8;"
    ),
    ("    required: upper", "required: upper; allowed: upper;", "required: upper;"),
    ("required: uPPeR", "required: upper; allowed: upper;", "required: upper;"),
    ("maxLENGTH: 7", "allowed: ascii-printable;", ""),
    ("REQUIRED: upper", "allowed: ascii-printable;", ""),
    ("required : upper", "allowed: ascii-printable;", ""),
    ("required: digits", "allowed: ascii-printable;", ""),
    ("required: upper, [AZ];", "required: upper; allowed: upper;", "required: upper;"),
    (
      "required: [*&^ABC]; allowed: upper",
      "required: [ABC&*^]; allowed: upper, [&*^];",
      "required: [ABC&*^]; allowed: upper;"
    ),
    (
      "required: unicode; required: digit",
      "required: unicode; required: digit; allowed: unicode;",
      "required: unicode; required: digit;"
    ),
    ("required: ; required: upper", "required: upper; allowed: upper;", "required: upper;"),
    ("allowed: [供应A商B责任C进展]", "allowed: [ABC];", "allowed: [ABC];"),
    ("allowed: [供应商责任进展]", "allowed: ascii-printable;", ""),
    (
      "required: [供]; required: digit",
      "required: ; required: digit; allowed: digit;",
      "required: ; required: digit;"
    ),
    (
      "minlength: 12; minlength: 7; minlength: 23",
      "allowed: ascii-printable; minlength: 23;",
      "minlength: 23;"
    ),
    (
      "maxlength: 10; maxlength: 7; maxlength: 12",
      "allowed: ascii-printable; maxlength: 7;",
      "maxlength: 7;"
    ),
    ("max-consecutive: 0", "allowed: ascii-printable;", ""),
    (
      "minlength: 20; maxlength: 10",
      "allowed: ascii-printable; minlength: 20; maxlength: 10;",
      "minlength: 20; maxlength: 10;"
    ),
    (
      "required:   digit   ;   required: [a-];",
      "required: digit; required: [a]; allowed: digit, [a];",
      "required: digit; required: [a];"
    ),
    ("required: digit; required: []-];", "allowed: ascii-printable;", ""),
    (
      "required: digit; required: [-a--------];",
      "required: digit; required: [a-]; allowed: digit, [a-];",
      "required: digit; required: [a-];"
    ),
    (
      "allowed: lower, upper, digit, special",
      "allowed: ascii-printable;",
      "allowed: ascii-printable;"
    ),
    ("allowed: ascii-printable, unicode", "allowed: ascii-printable;", "allowed: ascii-printable;"),
    ("allowed: unicode, ascii-printable", "allowed: unicode;", "allowed: unicode;"),
    (
      "required: special; allowed: [-]",
      "required: special; allowed: special;",
      "required: special; allowed: [-];"
    ),
    ("allowed: [☃-a]", "allowed: [a];", "allowed: [a];"),
    ("required: upper,; minlength: 8", "allowed: ascii-printable; minlength: 8;", "minlength: 8;"),
    ("minlength: 8 ; maxlength: 12", "allowed: ascii-printable; maxlength: 12;", "maxlength: 12;"),
    ("required: digit; allowed: [a", "required: digit; allowed: digit;", "required: digit;"),
    ("minlength: 8;; maxlength: 12", "allowed: ascii-printable; minlength: 8;", "minlength: 8;"),
    (";minlength: 8", "allowed: ascii-printable;", ""),
    ("minlength: 8; required: foo; maxlength: 10", "allowed: ascii-printable;", ""),
    ("max-consecutive: 1+1", "allowed: ascii-printable;", ""),
    (
      "minlength: 8; required: lower, upper; required: digit; allowed: [-_./\\@$*&!#]; maxlength: 32; max-consecutive: 2",
      "required: upper, lower; required: digit; allowed: upper, lower, digit, [!#$&*-./@\\_]; max-consecutive: 2; minlength: 8; maxlength: 32;",
      "required: upper, lower; required: digit; allowed: [-!#$&*./@\\_]; max-consecutive: 2; minlength: 8; maxlength: 32;"
    ),
    (
      "max-repeating: 3; max-repeating: 2; max-sequential: 4; max-sequential: 5; max-consecutive: 6",
      "allowed: ascii-printable; max-consecutive: 6; max-repeating: 2; max-sequential: 4;",
      "max-consecutive: 6; max-repeating: 2; max-sequential: 4;"
    ),
  ])
  func outputMatchesReferenceParser(
    descriptor: String, canonical: String, minified: String
  ) throws {
    #expect(ReferenceFormat.canonical.text(for: descriptor) == canonical)
    #expect(ReferenceFormat.minified.text(for: descriptor) == minified)
    // Reading the result again yields the same rules.
    let rules = try PasswordRuleSet(descriptor, mode: .lenient)
    #expect(try PasswordRuleSet(minified.isEmpty ? canonical : rules.descriptor) == rules)
  }

  @Test(arguments: [
    ("123456789012345678901", "123456789012345680000"),
    ("1234567890123456789012", "1.2345678901234568e+21"), ("1e5", nil),
    (String(repeating: "9", count: 400), "Infinity"),
  ])
  func numbersHaveJavaScriptFormat(digits: String, printed: String?) {
    let text = ReferenceFormat.minified.text(for: "minlength: \(digits)")
    #expect(text == (printed.map { "minlength: \($0);" } ?? ""))
  }

  @Test func numbersAboveIntMaxAreClamped() throws {
    let rules = try PasswordRuleSet("maxlength: 99999999999999999999999", mode: .lenient)
    #expect(rules.maxLength == .max)
  }
}
