import Testing

@testable import ValueFormats

/// The reasons and offsets of parsing errors.
struct JSONRefusalTests {
  private let format = JSONFormat()

  private func expectRefusal(
    of file: [UInt8], _ reason: String, at offset: Int, sourceLocation: SourceLocation
  ) {
    let error = FormatError(reason: reason, offset: offset)
    #expect(throws: error, sourceLocation: sourceLocation) { try format.parse(file) }
  }

  private static let noDigit = "expected a digit"
  private static let noKey = "expected a key in double quotation marks"
  private static let noValue = "expected a value"
  private static let noBrace = "expected a comma or a closing brace"
  private static let noBracket = "expected a comma or a closing bracket"
  private static let noComments = "comments are not allowed in JSON"
  private static let more = "unexpected data after the end"
  private static let word =
    "expected true, false, null, or a string in double quotation marks"
  private static let noEscape = "invalid escape"
  private static let noHexadecimal = "a \\u escape must have four hexadecimal digits"
  private static let control = "unescaped control character"
  private static let line = "expected a closing quotation mark before the end of the line"
  private static let early = "unexpected end of input: "

  @Test(arguments: [
    ("", early + "expected an opening brace", 0),
    (" \n", early + "expected an opening brace", 2),
    ("\u{FEFF}", early + "expected an opening brace", 3),
    ("[]", "expected an opening brace", 0), ("\"a\"", "expected an opening brace", 0),
    ("\u{FEFF}\u{FEFF}{}", "expected an opening brace", 3),
    ("// x\n{}", noComments, 0), ("# x\n{}", noComments, 0),
    ("{}}", more, 2), ("{} x", more, 3), ("{},", more, 2), ("{}{}", more, 2),
    ("{} // x", noComments, 3), ("{} / x", more, 3), ("{}\u{A0}", more, 2),
    ("{}\u{0}", "unexpected NUL byte", 2), ("\u{0}\u{0}\u{0}\u{0}", "unexpected NUL byte", 0),
    ("{\"a\": 1}\u{0}\u{0}", "unexpected NUL byte", 8),
    ("{\u{0}", "unexpected NUL byte", 1),
    ("{", early + noKey, 1), ("{,}", noKey, 1), ("{1: 2}", noKey, 1), ("{'a': 1}", noKey, 1),
    ("{a: 1}", noKey, 1), ("{null: 1}", noKey, 1), ("{\u{201C}a\u{201D}: 1}", noKey, 1),
    ("{/* x */}", noComments, 1),
    ("{\"a\"}", "expected a colon", 4), ("{\"a\" = 1}", "expected a colon", 5),
    ("{\"a\", 1}", "expected a colon", 4), ("{\"a\"", early + "expected a colon", 4),
    ("{\"a\":}", noValue, 5), ("{\"a\":", early + noValue, 5), ("{\"a\"::1}", noValue, 5),
    ("{\"a\": , \"b\": 1}", noValue, 6), ("{\"a\": // x\n1}", noComments, 6),
    ("{\"a\": 1", early + noBrace, 7), ("{\"a\": 1 \"b\": 2}", noBrace, 8),
    ("{\"a\": 1 2}", noBrace, 8), ("{\"a\": 1; }", noBrace, 7), ("{\"a\": 1]", noBrace, 7),
    ("{\"a\": 1 /* x */}", noComments, 8), ("{\"a\": 1 # x\n}", noComments, 8),
    ("{\"a\": 1,}", "trailing comma before the closing brace", 8),
    ("{\"a\": 1,\n}", "trailing comma before the closing brace", 9),
    ("{\"a\": 1,,\"b\": 2}", noKey, 8), ("{\"a\": 1,", early + noKey, 8),
    ("{\"a\": [1,]}", "trailing comma before the closing bracket", 9),
    ("{\"a\": [,1]}", noValue, 7), ("{\"a\": [1,,2]}", noValue, 9),
    ("{\"a\": [1 2]}", noBracket, 9),
    ("{\"a\": [1}", noBracket, 8), ("{\"a\": [1:2]}", noBracket, 8),
    ("{\"a\": [", early + noValue, 7),
    ("{\"a\": [1", early + noBracket, 8), ("{\"a\": {\"b\": 1]}", noBrace, 13),
    ("{\"a\": tru}", word, 6), ("{\"a\": True}", word, 6), ("{\"a\": nul", word, 6),
    ("{\"a\": truely}", noBrace, 10), ("{\"a\": undefined}", word, 6), ("{\"a\": NaN}", word, 6),
    ("{\"a\": Infinity}", word, 6),
    ("{\"a\": 'x'}", "a string must be in double quotation marks", 6),
    ("{\"a\": \u{FEFF}1}", noValue, 6), ("{\"a\":\u{B}1}", noValue, 5),
  ])
  func structure(_ text: String, _ reason: String, _ offset: Int) {
    expectRefusal(of: Array(text.utf8), reason, at: offset, sourceLocation: #_sourceLocation)
  }

  @Test(arguments: [
    ("<plist/>", "the file is in XML; open it as an XML property list"),
    (
      "\u{FEFF}\n<?xml version=\"1.0\"?>",
      "the file is in XML; open it as an XML property list"
    ),
    ("bplist00", "the file is a binary property list; open it as one"),
  ])
  func fileOfAnotherFormatIsNamed(_ text: String, _ reason: String) {
    expectRefusal(of: Array(text.utf8), reason, at: 0, sourceLocation: #_sourceLocation)
  }

  @Test(arguments: [
    ("-", noDigit, 1), ("-a", noDigit, 1), ("--1", noDigit, 1), ("-Infinity", noDigit, 1),
    ("01", "leading zero in a number", 0),
    ("-00", "leading zero in a number", 1), ("1.", noDigit, 2),
    ("1.e1", noDigit, 2), (".5", "expected a digit before the decimal point", 0),
    ("-.5", noDigit, 1),
    ("1e", noDigit, 2), ("1e+", noDigit, 3), ("1E-x", noDigit, 3), ("1e+-1", noDigit, 3),
    ("+1", "a number must not begin with a plus sign", 0), ("1e1.5", noBracket, 3),
    ("0x10", noBracket, 1),
    ("1_000", noBracket, 1), ("1,000", "leading zero in a number", 2),
    ("1.5.5", noBracket, 3), ("- 1", noDigit, 1), ("\u{661}", noValue, 0),
    ("\"\\x\"", noEscape, 1), ("\"\\'\"", noEscape, 1), ("\"\\U0041\"", noEscape, 1),
    ("\"a\\\n\"", noEscape, 2), ("\"\\u\"", noHexadecimal, 1), ("\"\\u004\"", noHexadecimal, 1),
    ("\"\\u00G0\"", noHexadecimal, 1), ("\"\\u+041\"", noHexadecimal, 1),
    ("\"\\u{41}\"", noHexadecimal, 1), ("\"\\u 041\"", noHexadecimal, 1),
    ("\"\t\"", control, 1), ("\"a\u{1F}\"", control, 2), ("\"\u{0}\"", "unexpected NUL byte", 1),
    ("\"a\n\"", line, 2), ("\"a\r\n\"", line, 2),
  ])
  func scalar(_ text: String, _ reason: String, _ offset: Int) {
    let file = Array("{\"a\": [\(text)]}".utf8)
    expectRefusal(of: file, reason, at: offset + 7, sourceLocation: #_sourceLocation)
    #expect(throws: FormatError(reason: reason, offset: offset + 1)) {
      try format.decode(Array("...[\(text)]".utf8).dropFirst(3))
    }
  }

  @Test(arguments: [
    ("{\"a", early + "expected a closing quotation mark", 3),
    ("{\"a\\", early + "expected a closing quotation mark", 4),
    ("{\"a\\\"", early + "expected a closing quotation mark", 5),
    ("{\"\\u12", noHexadecimal, 2), ("{\"a\\u00zz\": 1}", noHexadecimal, 3),
    ("{\"a\nb\": 1}", line, 3),
    ("{\"\\ud83d\": 1}", "unpaired surrogate in an escape", 2),
    ("{\"x\\ude00\": 1}", "unpaired surrogate in an escape", 3),
    ("{\"\\ud83d\\u0041\": 1}", "unpaired surrogate in an escape", 2),
    ("{\"\\ud83dx\": 1}", "unpaired surrogate in an escape", 2),
    ("{\"a\": 1, \"a\": 2}", "duplicate key", 9),
    ("{\"a\": 1, \"\\u0061\": 2}", "duplicate key", 9),
    ("{\"\": 1, \"\": 1}", "duplicate key", 8),
    ("{\"c\":1,\"b\":1,\"a\":1,\"b\":1,\"c\":1}", "duplicate key", 19),
  ])
  func key(_ text: String, _ reason: String, _ offset: Int) {
    expectRefusal(of: Array(text.utf8), reason, at: offset, sourceLocation: #_sourceLocation)
  }

  @Test(arguments: [
    ("\"x\\ud83d\"", "unpaired surrogate in an escape", 2),
    ("[\"\\udc00\"]", "unpaired surrogate in an escape", 2),
    ("{\"\\ud83d\\ud83d\": 1}", "unpaired surrogate in an escape", 2),
    ("{\"a\": 1, \"b\": 2, \"\\u0061\": 3}", "duplicate key", 17),
    ("[{\"a\": 1, \"a\": 1}]", "duplicate key", 10),
  ])
  func fragmentThatAFileMayHaveIsNoValue(_ text: String, _ reason: String, _ offset: Int) throws {
    _ = try format.parse(Array("{\"key\": \(text)}".utf8))
    #expect(throws: FormatError(reason: reason, offset: offset)) {
      try format.decode(Array("...\(text)".utf8).dropFirst(3))
    }
  }

  private static let invalidTexts: [([UInt8], Int)] = [
    ([0x80], 0), ([0x61, 0xC3], 1), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xE0, 0x80, 0x80], 0),
    ([0xF0, 0x80, 0x80, 0x80], 0), ([0x61, 0xED, 0xA0, 0x80], 1), ([0xF4, 0x90, 0x80, 0x80], 0),
    ([0xF5, 0x80, 0x80, 0x80], 0), ([0xFF], 0), ([0xC3, 0xA9, 0xE2, 0x82], 2),
  ]

  @Test(arguments: invalidTexts)
  func invalidUTF8(_ text: [UInt8], _ offset: Int) {
    let value = [UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")]
    expectRefusal(
      of: Array("{\"a\": ".utf8) + value + Array("}".utf8), "invalid UTF-8", at: offset + 7,
      sourceLocation: #_sourceLocation)
    #expect(throws: FormatError(reason: "invalid UTF-8", offset: offset + 1)) {
      try format.decode(([0, 0] + value).dropFirst(2))
    }
  }

  @Test(arguments: ["{}", "{\"a\": 1}", "\n{\"é\": 1}", "{\"\u{1F600}\": 1}"], [true, false])
  func otherEncodingsAreNamed(_ text: String, _ hasMark: Bool) {
    let mark = hasMark ? "\u{FEFF}" : ""
    let short = (mark + text).utf16.map { $0 }
    let long = (mark + text).unicodeScalars.map(\.value)
    func bytes<Unit: FixedWidthInteger>(_ unit: Unit, _ isLittle: Bool) -> [UInt8] {
      let shifts = stride(from: 0, to: Unit.bitWidth, by: 8)
      let bytes = shifts.map { UInt8(truncatingIfNeeded: unit >> $0) }
      return isLittle ? bytes : bytes.reversed()
    }
    for (name, isLittle) in [("little", true), ("big", false)] {
      for (width, file) in [
        (16, short.flatMap { bytes($0, isLittle) }), (32, long.flatMap { bytes($0, isLittle) }),
      ] {
        expectRefusal(
          of: file, "the file is encoded in UTF-\(width) (\(name) endian); convert it to UTF-8",
          at: 0,
          sourceLocation: #_sourceLocation)
      }
    }
  }
}
