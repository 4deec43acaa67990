import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// What a file is after a key was set or removed; every other byte stays.
struct JSONLayoutTests {
  /// Returns a file after a change of the key `a`, or of another one.
  private func changed(
    _ file: String, _ key: String = "a", to value: ValueTree?, in format: any StoredFormat
  ) throws -> String {
    var contents = KeyValueContents(try format.parse(Array(file.utf8)), revision: 1)
    var draft = KeyValueDraft(contents, of: MemoryBackend(), format)
    draft[StoredKey(key)] = try value.map { ArraySlice(try format.encode($0)) }
    contents.apply(draft.effectiveChanges, in: format)
    let bytes = format.join(contents.parts, contents.surroundings)
    // Another program reads the same values.
    let again = KeyValueContents(try format.parse(bytes), revision: 2)
    #expect(again.keys == contents.keys)
    #expect(again.keys.allSatisfy { again[$0] == contents[$0] })
    return String(decoding: bytes, as: UTF8.self)
  }

  private func changed(_ file: String, to value: ValueTree?) throws -> String {
    try changed(file, to: value, in: JSONFormat(allowsComments: true))
  }

  @Test(arguments: [
    // An empty object.
    ("{}", "{\n  \"a\": 1\n}"), ("{ }\n", "{\n  \"a\": 1\n}\n"), ("{\n\n}", "{\n  \"a\": 1\n}"),
    ("\u{FEFF}{}\r\n", "\u{FEFF}{\r\n  \"a\": 1\r\n}\r\n"), ("{\r}", "{\r  \"a\": 1\r}"),
    ("// x\n{}", "// x\n{\n  \"a\": 1\n}"), ("{ // x\n}", "{ // x\n  \"a\": 1\n}"),
    ("{\n    // x\n}", "{\n    \"a\": 1\n    // x\n}"), ("{ /* x */ }", "{ /* x */\n  \"a\": 1\n}"),
    // One line.
    ("{\"b\":2}", "{\"b\":2,\"a\": 1}"), ("{\"b\": 2}\n", "{\"b\": 2, \"a\": 1}\n"),
    ("{ \"b\": 2 }", "{ \"b\": 2, \"a\": 1 }"), ("{\"b\": 2,}", "{\"b\": 2, \"a\": 1,}"),
    ("{\"b\": 2 /* x */}", "{\"b\": 2, /* x */ \"a\": 1}"),
    ("{ \"b\": 2 // x\n}", "{ \"b\": 2, // x\n \"a\": 1\n}"),
    // Several lines.
    ("{\n\t\"b\": 2\n}", "{\n\t\"b\": 2,\n\t\"a\": 1\n}"),
    ("{\r\n    \"b\": 2\r\n}\r\n", "{\r\n    \"b\": 2,\r\n    \"a\": 1\r\n}\r\n"),
    ("{\n\"b\": 2\n}", "{\n\"b\": 2,\n\"a\": 1\n}"),
    ("{\n  \"b\": 2,\n}", "{\n  \"b\": 2,\n  \"a\": 1,\n}"),
    ("{\n  \"b\": 2 // x\n}", "{\n  \"b\": 2, // x\n  \"a\": 1\n}"),
    ("{\n  \"b\": 2, // x\n}", "{\n  \"b\": 2, // x\n  \"a\": 1,\n}"),
    ("{\n  \"b\": 2 /* x */,\n}", "{\n  \"b\": 2 /* x */,\n  \"a\": 1,\n}"),
    ("{\n  \"b\": 2\n  // x\n}", "{\n  \"b\": 2,\n  \"a\": 1\n  // x\n}"),
    ("{\n  // x\n\n  /* y */ \"b\": 2\n}", "{\n  // x\n\n  /* y */ \"b\": 2,\n  \"a\": 1\n}"),
    ("{\n  \"b\": 2\n, \"c\": 3\n}", "{\n  \"b\": 2\n, \"c\": 3, \"a\": 1\n}"),
    // An existing key.
    (
      "{ \"a\" /**/ : /**/ 0 /**/ , // x\n \"b\": 2}",
      "{ \"a\" /**/ : /**/ 1 /**/ , // x\n \"b\": 2}"
    ),
    ("{\"b\": [ 2 ,], \"\\u0061\" :  {\n/* x */},}", "{\"b\": [ 2 ,], \"\\u0061\" :  1,}"),
    ("{\"a\":1}", "{\"a\":1}"),
  ])
  func setKeepsEveryOtherByte(_ file: String, _ expected: String) throws {
    #expect(try changed(file, to: .number(.integer(1))) == expected)
  }

  @Test(arguments: [
    ("{}", "{}"), ("{\"a\": 1}", "{}"), ("{\n  \"a\": 1\n}\n", "{}\n"), ("{\"a\": 1,}", "{}"),
    ("{\n  \"a\": 1,\n  \"b\": 2\n}", "{\n  \"b\": 2\n}"),
    ("{\n  \"b\": 2,\n  \"a\": 1\n}", "{\n  \"b\": 2\n}"),
    ("{\n  \"b\": 2,\n  \"a\": 1,\n}", "{\n  \"b\": 2,\n}"),
    ("{ \"b\": 2, \"a\": 1, \"c\": 3 }", "{ \"b\": 2, \"c\": 3 }"),
    ("{\r\n\t\"a\": 1, \r\n\t\"b\": 2\r\n}", "{\r\n\t\"b\": 2\r\n}"),
    // Comments above the key and at the end of its line belong to it.
    ("{\n  // x\n  \"a\": 1, // y\n  // z\n  \"b\": 2\n}", "{\n  // z\n  \"b\": 2\n}"),
    (
      "{\n  \"b\": 2, // x\n  /* y */ \"a\": 1 // z\n  // end\n}", "{\n  \"b\": 2 // x\n  // end\n}"
    ),
    ("{ // x\n  \"a\": 1\n}", "{ // x\n}"), ("{\n  \"a\": 1\n  // x\n}", "{\n  // x\n}"),
    // So do those before the key on its line.
    ("{ \"b\": 2, /* x */ \"a\": 1, \"c\": 3 }", "{ \"b\": 2, \"c\": 3 }"),
    ("{\n  \"b\": 2, /* x */ \"a\": 1 }", "{\n  \"b\": 2 }"),
    // An empty line separates the others from the key.
    (
      "{\n  // x\n\n  // y\n  /* z */\n  \"a\": 1,\n  \"b\": 2\n}",
      "{\n  // x\n\n  \"b\": 2\n}"
    ),
    ("{\n  // x\n \t\n  \"a\": 1, \"b\": 2\n}", "{\n  // x\n\n \"b\": 2\n}"),
    ("{\r\n// x\r\n\r\n\"a\": 1,\r\n\"b\": 2}", "{\r\n// x\r\n\r\n\"b\": 2}"),
    ("{\r\n// x\r\n\"a\": 1,\r\n\"b\": 2}", "{\r\n\"b\": 2}"),
    ("{\n  \"b\": 2,\n\n  // x\n\n  \"a\": 1\n}", "{\n  \"b\": 2\n\n  // x\n}"),
    ("{\n  // x\n\n  \"a\": 1\n}\n", "{\n  // x\n}\n"), ("{\n// x\n\n\"a\": 1}", "{\n// x\n}"),
    ("{\n\n  \"a\": 1,\n\n  \"b\": 2\n}", "{\n\n  \"b\": 2\n}"),
    // A comment must not reach what follows.
    ("{ \"b\": 2, // x\n \"a\": 1 }", "{ \"b\": 2 // x\n }"),
    ("{ // x\n \"a\": 1, \"b\": 2 }", "{ // x\n \"b\": 2 }"), ("{ // x\n \"a\": 1 }", "{ // x\n}"),
    ("{\"b\": 2 // x\n, \"a\": 1}", "{\"b\": 2 // x\n}"),
    ("{ \"b\": 2, // x\n \"a\": 1, \"c\": 3 }", "{ \"b\": 2, // x\n \"c\": 3 }"),
  ])
  func removalLeavesTheOtherLines(_ file: String, _ expected: String) throws {
    #expect(try changed(file, to: nil) == expected)
  }

  /// Returns a file after removals, and after a new key if one is given.
  private func changed(
    _ file: String, removing keys: [StoredKey], setting new: StoredKey? = nil,
    in format: any StoredFormat
  ) throws -> String {
    var contents = KeyValueContents(try format.parse(Array(file.utf8)), revision: 1)
    var draft = KeyValueDraft(contents, of: MemoryBackend(), format)
    for key in keys { draft[key] = nil }
    if let new { draft[new] = ArraySlice(try format.encode(.bool(true))) }
    contents.apply(draft.effectiveChanges, in: format)
    return String(decoding: format.join(contents.parts, contents.surroundings), as: UTF8.self)
  }

  @Test func separateCommentsOfNeighborsStay() throws {
    let file =
      "{\n  // 1\n\n  \"a\": 1,\n\n  // 2\n\n  // of b\n  \"b\": 2,\n  \"c\": 3\n}"
    let format = JSONFormat(allowsComments: true)
    #expect(
      try changed(file, removing: ["a", "b"], in: format)
        == "{\n  // 1\n\n  // 2\n\n  \"c\": 3\n}")
    #expect(
      try changed(file, removing: ["c", "b", "a"], in: format) == "{\n  // 1\n\n  // 2\n}")
  }

  @Test(arguments: [
    ("{\"a\": 1}", "{\"b\": true}"), ("{ \"a\": 1, \"c\": 2 }", "{ \"b\": true }"),
    ("{\"a\":1,\"c\":2,}", "{\"b\": true,}"), ("{\n\t\"a\": 1\n}", "{\n\t\"b\": true\n}"),
  ])
  func keyInPlaceOfAllOthersHasTheirLayout(_ file: String, _ expected: String) throws {
    let format = JSONFormat(allowsComments: true)
    #expect(try changed(file, removing: ["a", "c"], setting: "b", in: format) == expected)
  }

  private static let nested = ValueTree.dictionary([
    "x": .array([.number(.integer(1)), .dictionary(["y": .string("\n[")])]), "z": .array([]),
  ])

  @Test(arguments: [
    (
      "{\n\t\"b\": 2\n}",
      "{\n\t\"b\": 2,\n\t\"a\": {\n\t\t\"x\": [\n\t\t\t1,\n\t\t\t{\n\t\t\t\t\"y\": \"\\n[\"\n\t\t\t}\n"
        + "\t\t],\n\t\t\"z\": []\n\t}\n}"
    ),
    (
      "{\r\n \"a\": [\r\n 2 // old\r\n]\r\n}",
      "{\r\n \"a\": {\r\n  \"x\": [\r\n   1,\r\n   {\r\n    \"y\": \"\\n[\"\r\n   }\r\n  ],\r\n"
        + "  \"z\": []\r\n }\r\n}"
    ),
    ("{\"b\":2}", #"{"b":2,"a": {"x": [1, {"y": "\n["}], "z": []}}"#),
    (
      "{ // x\n}",
      "{ // x\n  \"a\": {\n    \"x\": [\n      1,\n      {\n        \"y\": \"\\n[\"\n      }\n    ],\n"
        + "    \"z\": []\n  }\n}"
    ),
  ])
  func structureHasTheIndentationOfTheFile(_ file: String, _ expected: String) throws {
    let new = try changed(file, to: Self.nested)
    #expect(new == expected)
    // The same value is the same bytes, so that nothing is written.
    #expect(try changed(new, to: Self.nested) == new)
    let format = JSONFormat(allowsComments: true)
    let contents = KeyValueContents(try format.parse(Array(new.utf8)), revision: 1)
    var draft = KeyValueDraft(contents, of: MemoryBackend(), format)
    draft["a"] = ArraySlice(try format.encode(Self.nested))
    #expect(draft.effectiveChanges.isEmpty)
  }

  /// In the layout of the file, it would be larger than a file may be.
  @Test func hugeValueKeepsItsLayout() throws {
    let format = JSONFormat()
    let indentation = String(repeating: " ", count: 16)
    let surroundings = try format.parse(Array("{\n\(indentation)\"a\": 1\n}".utf8)).surroundings
    func value(lines: Int) -> EncodedValue {
      let brackets = ["[", "]"].map { String(repeating: $0, count: 500) }
      let text = brackets[0] + String(repeating: "1,\n", count: lines) + "1" + brackets[1]
      return ArraySlice(text.utf8)
    }
    // Each line has an indentation of about 8 KB.
    #expect(format.value(value(lines: 10), in: surroundings).count > 10 * 8000)
    let huge = value(lines: 10_000)
    #expect(format.value(huge, in: surroundings) == huge)
  }

  /// A value of this depth would be far larger than its file.
  @Test func hugeIndentationIsNotCopied() throws {
    let indentation = String(repeating: " ", count: 100_000)
    let file = "{\n\(indentation)\"b\": 2\n}"
    let new = try changed(file, to: .array([.array([])]))
    #expect(new == "{\n\(indentation)\"b\": 2,\n  \"a\": [\n    []\n  ]\n}")
    let line = "{\(indentation)\"b\": 2}"
    #expect(try changed(line, to: .bool(true)) == "{\(indentation)\"b\": 2,\n  \"a\": true}")
  }

  @Test(arguments: [
    ("<dict/>", "<dict>\n\t<key>a</key>\n\t<true/>\n</dict>"),
    ("<dict></dict>", "<dict>\n\t<key>a</key>\n\t<true/>\n</dict>"),
    (
      "<dict>\r\n  <key>b</key><false/>\r\n</dict>",
      "<dict>\r\n  <key>b</key><false/>\r\n  <key>a</key>\r\n  <true/>\r\n</dict>"
    ),
    (
      "<dict>\n <key>b</key> <false/> <!-- b -->\n <key>c</key>\n <false/> </dict>",
      "<dict>\n <key>b</key> <false/> <!-- b -->\n <key>c</key>\n <false/>\n <key>a</key>\n"
        + " <true/> </dict>"
    ),
    (
      "<dict><key>b</key><false/><!-- a --><key>a</key> <!-- of it --> <data/></dict>",
      "<dict><key>b</key><false/><!-- a --><key>a</key> <!-- of it --> <true/></dict>"
    ),
  ])
  func newKeyInXMLIsLikeTheLastOne(_ dictionary: String, _ expected: String) throws {
    let (start, end) = ("<plist>", "</plist><!-- end -->\n")
    let file = start + dictionary + end
    let new = try changed(file, to: .bool(true), in: XMLPropertyListFormat())
    #expect(new == start + expected + end)
  }

  @Test(arguments: [
    ("\n <a/> <!-- a -->\n <b/> <!-- b -->\n <c/>\n", "\n <b/> <!-- b -->\n <c/>\n"),
    ("\n <b/> <!-- b -->\n <!-- a --> <a/>\n <c/>\n", "\n <b/> <!-- b -->\n <c/>\n"),
    ("\n <b/>\n <a/> <!-- a --> ", "\n <b/> "), (" <!-- x -->\n <a/>\n", " <!-- x -->"),
    ("<b/><!-- a --><a/><!-- c --><c/>", "<b/><!-- c --><c/>"),
    ("\n<!-- x -->\n\n<!-- a -->\n<a/><?a x?>\n<b/>\n", "\n<!-- x -->\n\n<b/>\n"),
    ("\n<b/>\n\n<!-- x\n\n-->\n\n<a/>\n", "\n<b/>\n\n<!-- x\n\n-->\n"),
  ])
  func removalFromXMLLeavesTheOtherLines(_ entries: String, _ expected: String) throws {
    func file(_ entries: String) -> String {
      let keys = ["a", "b", "c"].reduce(entries) {
        $0.replacing("<\($1)/>", with: "<key>\($1)</key><true/>")
      }
      return "<plist><dict>\(keys)</dict></plist>"
    }
    #expect(
      try changed(file(entries), to: nil, in: XMLPropertyListFormat()) == file(expected))
  }

  @Test func removalFromXMLKeepsTheOrderOfTheOthers() throws {
    let file = "<plist><dict>\n <key>b</key><true/>\n <!-- a -->\n <key>a</key><true/>\n"
    let rest = " <key>A</key><true/>\n</dict></plist>"
    let format = XMLPropertyListFormat()
    #expect(
      try changed(file + rest, to: nil, in: format)
        == "<plist><dict>\n <key>b</key><true/>\n" + rest)
    #expect(
      try changed("<plist><dict> <key>a</key><true/></dict></plist>", to: nil, in: format)
        == "<plist><dict></dict></plist>")
  }
}
