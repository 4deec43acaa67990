import TestSupport
import Testing

@testable import ValueFormats

/// JSON with comments and commas after the last elements, and the same files without the option.
struct JSONCommentTests {
  private let format = JSONFormat(allowsComments: true)

  @Test func commentsAndTrailingCommasAreRead() throws {
    let file = """
      // "a": 0,
      /* { */ { // }
        /**/ "a" /* : */ : // 1
          [ /* [ */ 1, // 2
            2, /* 3 */ ], /* , */ // "b"
        "b": "// /* \\" */", // /*
        "c": {"d": /**/ null,}, // */
      } /* ***/ // end
      """
    let parsed = try format.parse(Array(file.utf8))
    #expect(parsed.entries.map(\.key.string) == ["a", "b", "c"])
    #expect(
      try parsed.entries.map { try format.decode($0.value) } == [
        .array([.number(.text("1")), .number(.text("2"))]), .string("// /* \" */"),
        .dictionary(["d": .null(depth: 0)]),
      ])
    #expect(format.join([parsed.entries[...]], parsed.surroundings) == Array(file.utf8))
    let error = FormatError(reason: JSONFormat.commentsReason, offset: 0)
    #expect(throws: error) { try JSONFormat().parse(Array(file.utf8)) }
    #expect(throws: FormatError.self) { try JSONFormat().decode(parsed.entries[0].value) }
  }

  @Test(arguments: [
    ("{\"a\": 1} /* x", "unterminated comment", 9), ("/*/ {}", "unterminated comment", 0),
    ("{/* \n*\n/ }", "unterminated comment", 1), ("{\"a\": [1, /*", "unterminated comment", 10),
    ("{\"a\": 1 # x\n}", "a comment must begin with // or /*", 8),
    ("{ / }", "expected a key in double quotation marks", 2),
    ("{,}", "expected a key in double quotation marks", 1), ("{\"a\": [,]}", "expected a value", 7),
    ("{\"a\": 1,,}", "expected a key in double quotation marks", 8),
    ("{\"a\": 1 // ,\n \"b\": 2}", "expected a comma or a closing brace", 14),
    ("{\"a\": 1, /* */ \"a\": 2}", "duplicate key", 15),
    ("// {}", "unexpected end of input: expected an opening brace", 5),
  ])
  func mistakeBesideCommentsIsFound(_ file: String, _ reason: String, _ offset: Int) {
    let error = #expect(throws: FormatError.self) { try format.parse(Array(file.utf8)) }
    #expect(error?.reason == reason && error?.offset == offset, "\(String(describing: error))")
  }

  @Test func partIsFoundAfterComments() throws {
    let value = #"{ /* "a": 0 */ "a" /**/ : /**/ [ /**/ 1, /* 2, */ 3, ] }"#
    let bytes = ArraySlice(value.utf8)
    func rest(_ path: [ValueStep]) -> String {
      String(decoding: bytes.dropFirst(format.offset(of: path, in: bytes)), as: UTF8.self)
    }
    #expect(rest([.key("a"), .index(1)]) == "3, ] }")
    #expect(rest([.key("a"), .index(2)]) == rest([.key("a")]))
    let file = try format.parse(Array("{ /* 1 */ // 2\n  \"a\": 1, /* 3 */ \"b\": 2}".utf8))
    let entries = file.entries
    #expect(
      entries.map { $0.text.startIndex + format.offsetOfKey(in: $0) } == [17, 33])
  }

  /// At the size of the campaign, reading a comment again for each other one would take days.
  @Test func hostileCommentsTakeLinearTime() throws {
    let size = Campaign.size(sample: 50_000, full: 16 << 20)
    func repeated(_ text: String) -> String {
      String(repeating: text, count: size / text.utf8.count)
    }
    for comment in ["/**/", "// x\n", "/*\n*/\n", " /* // */\t", "/* * / */"] {
      let comments = repeated(comment)
      for file in [
        "{\(comments)}", "\(comments){}\(comments)", "{\"a\": 1\(comments)}",
        "{\"a\": 1,\(comments)\"b\": [1,\(comments)]}", "{\"a\"\(comments):\(comments)1}",
      ] {
        let parsed = try format.parse(Array(file.utf8))
        #expect(format.join([parsed.entries[...]], parsed.surroundings) == Array(file.utf8))
      }
    }
    let many = "{\(repeated("\n/**/ /**/ // x"))\n\(repeated("\"\": 1 /**/ , // x\n"))"
    for file in [
      many, "{/*\(repeated("*"))", "{/*\(repeated("/*"))", "{//\(repeated("/"))",
      "{\(repeated("/"))", "{\(repeated("/**/"))/", "{\(repeated("/**/"))/*",
      "{\"a\": 1\(repeated("/**/,"))}", "{\"a\": \(repeated("/**/["))",
    ] { #expect(throws: FormatError.self) { try format.parse(Array(file.utf8)) } }
  }
}
