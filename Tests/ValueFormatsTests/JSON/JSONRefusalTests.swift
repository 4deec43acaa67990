import Testing

@testable import ValueFormats

/// The reasons and offsets of refusals.
struct JSONRefusalTests {
  private let format = JSONFormat()

  private func expectRefusal(
    of file: [UInt8], _ reason: String, at offset: Int, sourceLocation: SourceLocation
  ) {
    let error = FormatError(reason: reason, offset: offset)
    #expect(throws: error, sourceLocation: sourceLocation) { try format.parse(file) }
  }

  private static let noDigit = "a digit is missing"
  private static let noKey = "a key in double quotation marks is missing"
  private static let noValue = "a value is missing"
  private static let noBrace = "a comma or a closing brace is missing"
  private static let noBracket = "a comma or a closing bracket is missing"
  private static let noComments = "JSON has no comments"
  private static let more = "there is more after the end"
  private static let word =
    "a word is neither true, false or null, nor in double quotation marks"
  private static let noEscape = "JSON has no such escape"
  private static let noHexadecimal = "an escape with u has not four hexadecimal digits"
  private static let control = "a control character is not written as an escape"
  private static let line = "a closing quotation mark is missing before the end of the line"
  private static let early = "it ends too early: "

  @Test(arguments: [
    ("", early + "an opening brace is missing", 0),
    (" \n", early + "an opening brace is missing", 2),
    ("\u{FEFF}", early + "an opening brace is missing", 3),
    ("[]", "an opening brace is missing", 0), ("\"a\"", "an opening brace is missing", 0),
    ("\u{FEFF}\u{FEFF}{}", "an opening brace is missing", 3),
    ("// x\n{}", noComments, 0), ("# x\n{}", noComments, 0),
    ("{}}", more, 2), ("{} x", more, 3), ("{},", more, 2), ("{}{}", more, 2),
    ("{} // x", noComments, 3), ("{} / x", more, 3), ("{}\u{A0}", more, 2),
    ("{}\u{0}", "there is a NUL byte", 2), ("\u{0}\u{0}\u{0}\u{0}", "there is a NUL byte", 0),
    ("{\"a\": 1}\u{0}\u{0}", "there is a NUL byte", 8),
    ("{\u{0}", "there is a NUL byte", 1),
    ("{", early + noKey, 1), ("{,}", noKey, 1), ("{1: 2}", noKey, 1), ("{'a': 1}", noKey, 1),
    ("{a: 1}", noKey, 1), ("{null: 1}", noKey, 1), ("{\u{201C}a\u{201D}: 1}", noKey, 1),
    ("{/* x */}", noComments, 1),
    ("{\"a\"}", "a colon is missing", 4), ("{\"a\" = 1}", "a colon is missing", 5),
    ("{\"a\", 1}", "a colon is missing", 4), ("{\"a\"", early + "a colon is missing", 4),
    ("{\"a\":}", noValue, 5), ("{\"a\":", early + noValue, 5), ("{\"a\"::1}", noValue, 5),
    ("{\"a\": , \"b\": 1}", noValue, 6), ("{\"a\": // x\n1}", noComments, 6),
    ("{\"a\": 1", early + noBrace, 7), ("{\"a\": 1 \"b\": 2}", noBrace, 8),
    ("{\"a\": 1 2}", noBrace, 8), ("{\"a\": 1; }", noBrace, 7), ("{\"a\": 1]", noBrace, 7),
    ("{\"a\": 1 /* x */}", noComments, 8), ("{\"a\": 1 # x\n}", noComments, 8),
    ("{\"a\": 1,}", "a comma is before the closing brace", 8),
    ("{\"a\": 1,\n}", "a comma is before the closing brace", 9),
    ("{\"a\": 1,,\"b\": 2}", noKey, 8), ("{\"a\": 1,", early + noKey, 8),
    ("{\"a\": [1,]}", "a comma is before the closing bracket", 9),
    ("{\"a\": [,1]}", noValue, 7), ("{\"a\": [1,,2]}", noValue, 9),
    ("{\"a\": [1 2]}", noBracket, 9),
    ("{\"a\": [1}", noBracket, 8), ("{\"a\": [1:2]}", noBracket, 8),
    ("{\"a\": [", early + noValue, 7),
    ("{\"a\": [1", early + noBracket, 8), ("{\"a\": {\"b\": 1]}", noBrace, 13),
    ("{\"a\": tru}", word, 6), ("{\"a\": True}", word, 6), ("{\"a\": nul", word, 6),
    ("{\"a\": truely}", noBrace, 10), ("{\"a\": undefined}", word, 6), ("{\"a\": NaN}", word, 6),
    ("{\"a\": Infinity}", word, 6), ("{\"a\": 'x'}", "text is not in double quotation marks", 6),
    ("{\"a\": \u{FEFF}1}", noValue, 6), ("{\"a\":\u{B}1}", noValue, 5),
  ])
  func structure(_ text: String, _ reason: String, _ offset: Int) {
    expectRefusal(of: Array(text.utf8), reason, at: offset, sourceLocation: #_sourceLocation)
  }

  @Test(arguments: [
    ("<plist/>", "this is XML, such as a property list in XML: open it as one"),
    (
      "\u{FEFF}\n<?xml version=\"1.0\"?>",
      "this is XML, such as a property list in XML: open it as one"
    ),
    ("bplist00", "this is a binary property list: open it as one"),
  ])
  func fileOfAnotherFormatIsNamed(_ text: String, _ reason: String) {
    expectRefusal(of: Array(text.utf8), reason, at: 0, sourceLocation: #_sourceLocation)
  }

  @Test(arguments: [
    ("-", noDigit, 1), ("-a", noDigit, 1), ("--1", noDigit, 1), ("-Infinity", noDigit, 1),
    ("01", "a number begins with a needless zero", 0),
    ("-00", "a number begins with a needless zero", 1), ("1.", noDigit, 2),
    ("1.e1", noDigit, 2), (".5", "a digit is missing before the point", 0), ("-.5", noDigit, 1),
    ("1e", noDigit, 2), ("1e+", noDigit, 3), ("1E-x", noDigit, 3), ("1e+-1", noDigit, 3),
    ("+1", "a number has a plus sign", 0), ("1e1.5", noBracket, 3), ("0x10", noBracket, 1),
    ("1_000", noBracket, 1), ("1,000", "a number begins with a needless zero", 2),
    ("1.5.5", noBracket, 3), ("- 1", noDigit, 1), ("\u{661}", noValue, 0),
    ("\"\\x\"", noEscape, 1), ("\"\\'\"", noEscape, 1), ("\"\\U0041\"", noEscape, 1),
    ("\"a\\\n\"", noEscape, 2), ("\"\\u\"", noHexadecimal, 1), ("\"\\u004\"", noHexadecimal, 1),
    ("\"\\u00G0\"", noHexadecimal, 1), ("\"\\u+041\"", noHexadecimal, 1),
    ("\"\\u{41}\"", noHexadecimal, 1), ("\"\\u 041\"", noHexadecimal, 1),
    ("\"\t\"", control, 1), ("\"a\u{1F}\"", control, 2), ("\"\u{0}\"", "there is a NUL byte", 1),
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
    ("{\"a", early + "a closing quotation mark is missing", 3),
    ("{\"a\\", early + "a closing quotation mark is missing", 4),
    ("{\"a\\\"", early + "a closing quotation mark is missing", 5),
    ("{\"\\u12", noHexadecimal, 2), ("{\"a\\u00zz\": 1}", noHexadecimal, 3),
    ("{\"a\nb\": 1}", line, 3),
    ("{\"\\ud83d\": 1}", "an escape is one half of a surrogate pair, without the other", 2),
    ("{\"x\\ude00\": 1}", "an escape is one half of a surrogate pair, without the other", 3),
    ("{\"\\ud83d\\u0041\": 1}", "an escape is one half of a surrogate pair, without the other", 2),
    ("{\"\\ud83dx\": 1}", "an escape is one half of a surrogate pair, without the other", 2),
    ("{\"a\": 1, \"a\": 2}", "a key is there twice", 9),
    ("{\"a\": 1, \"\\u0061\": 2}", "a key is there twice", 9),
    ("{\"\": 1, \"\": 1}", "a key is there twice", 8),
    ("{\"c\":1,\"b\":1,\"a\":1,\"b\":1,\"c\":1}", "a key is there twice", 19),
  ])
  func key(_ text: String, _ reason: String, _ offset: Int) {
    expectRefusal(of: Array(text.utf8), reason, at: offset, sourceLocation: #_sourceLocation)
  }

  @Test(arguments: [
    ("\"x\\ud83d\"", "an escape is one half of a surrogate pair, without the other", 2),
    ("[\"\\udc00\"]", "an escape is one half of a surrogate pair, without the other", 2),
    ("{\"\\ud83d\\ud83d\": 1}", "an escape is one half of a surrogate pair, without the other", 2),
    ("{\"a\": 1, \"b\": 2, \"\\u0061\": 3}", "a key is there twice", 17),
    ("[{\"a\": 1, \"a\": 1}]", "a key is there twice", 10),
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
      of: Array("{\"a\": ".utf8) + value + Array("}".utf8), "this is not UTF-8", at: offset + 7,
      sourceLocation: #_sourceLocation)
    #expect(throws: FormatError(reason: "this is not UTF-8", offset: offset + 1)) {
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
          of: file, "this is text in UTF-\(width) (\(name) endian): convert it to UTF-8", at: 0,
          sourceLocation: #_sourceLocation)
      }
    }
  }
}
