import FoundationEssentials
import TestSupport
import Testing

@testable import ValueFormats

struct JSONFormatTests {
  private let format = JSONFormat()

  private func parse(_ text: String) throws -> [KeyValueEntry] {
    try format.parse(Array(text.utf8)).entries
  }

  private func rejoin(_ text: String) throws -> String {
    let file = try format.parse(Array(text.utf8))
    return String(decoding: format.join([file.entries[...]], file.surroundings), as: UTF8.self)
  }

  private func encode(_ tree: ValueTree) throws -> String {
    String(decoding: try format.encode(tree), as: UTF8.self)
  }

  private func decode(_ text: String) throws -> ValueTree {
    // A slice with a non-zero start index, as in a file.
    try format.decode(Array("  \(text)".utf8).dropFirst(2))
  }

  @Test func fileIsSplitInItsOrder() throws {
    let entries = try parse("\u{FEFF} {\"b\" : 1.0 ,\n\"\"\t:\r\n[ {} ],\"\\u0041\":\"x\"} \n")
    #expect(entries.map(\.key.string) == ["b", "", "A"])
    #expect(
      entries.map { String(decoding: $0.text, as: UTF8.self) }
        == ["\"b\" : 1.0", "\"\"\t:\r\n[ {} ]", "\"\\u0041\":\"x\""])
    #expect(
      entries.map { String(decoding: $0.value, as: UTF8.self) } == ["1.0", "[ {} ]", "\"x\""])
  }

  @Test(arguments: ["{}", " {\n} ", "\u{FEFF}{}", "{}\r\n"])
  func fileWithoutKeysIsRead(_ text: String) throws { #expect(try rejoin(text) == "{}\n") }

  /// The notation of other programs, which is preserved except for white space around the entries.
  @Test func spellingIsKept() throws {
    for value in try Fixture.rows("json-spellings", as: String.self) {
      for key in ["key", "\\u006Bey", "k\u{65}\u{301}y"] {
        for separator in [":", " : ", "\n:\t"] {
          let entry = "\"\(key)\"\(separator)\(value)"
          #expect(throws: Never.self, "\(entry)") {
            let rejoined = try rejoin("{\(entry)}")
            #expect(rejoined == "{\n  \(entry)\n}\n", "\(entry)")
            let file = "{\n  \(entry),\n  \"z\": 1\n}\n"
            #expect(try rejoin(file) == file, "\(entry)")
          }
        }
      }
    }
  }

  @Test func entriesOfSeveralBuffersAreJoined() throws {
    let first = try parse("{\"a\":1,\"b\": 2}")
    let second = format.entry(StoredKey("c\n\"\u{1}é"), ArraySlice("[]".utf8))
    #expect(second.value == ArraySlice("[]".utf8))
    #expect(
      format.join([[first[1], second, first[0]]], FileSurroundings())
        == Array("{\n  \"b\": 2,\n  \"c\\n\\\"\\u0001é\": [],\n  \"a\":1\n}\n".utf8))
  }

  @Test func onlyNecessaryCharactersAreEscaped() throws {
    let text = "\u{0}\u{1}\u{8}\t\n\u{B}\u{C}\r\u{10}\u{1F} !\"#/\\\u{7F}\u{80}\u{2028}\u{1F600}"
    let written = """
      "\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u0010\\u001f !\\"#/\\\\\u{7F}\u{80}\u{2028}\u{1F600}"
      """
    #expect(try encode(.string(text)) == written)
    #expect(try decode(written) == .string(text))
  }

  @Test func valuesAreIndentedForTheirPlaceInTheFile() throws {
    let tree = ValueTree.dictionary([
      "b": .array([.bool(true), .array([]), .dictionary([:])]), "a": .null(depth: 0),
      "A": .dictionary(["x": .string("")]), "\u{1F600}": .bool(false), "\u{FFFD}": .bool(false),
      // As text it sorts after "f".
      "e\u{301}": .bool(true), "f": .bool(true),
    ])
    let entry = format.entry(StoredKey("key"), try format.encode(tree)[...])
    #expect(try format.join([[entry]], FileSurroundings()) == Fixture.bytes("indented.json"))
  }

  @Test(arguments: ["$null", "$null:0", "$null:01", "$null:1x", "$base64:AAAA"])
  func otherTextIsNoNull(_ text: String) throws {
    #expect(try decode("\"\\u0024\(text.dropFirst())\"") == .string(text))
    #expect(try decode(#""$\u006eull:1""#) == .string("$null:1"))
  }

  @Test(arguments: [
    ("\"\\ud83d\\ude00\\u00E9\\uD800\\uDC00\\udbff\\udfff\"", "\u{1F600}é\u{10000}\u{10FFFF}"),
    ("\"\\u0000\\/\\u0022\\u005c\"", "\u{0}/\"\\"),
  ])
  func escapesAreDecoded(_ text: String, _ string: String) throws {
    #expect(try decode(text) == .string(string))
    #expect(try parse("{\(text): 1}").map(\.key.string) == [string])
  }

  @Test func keysOfDifferentBytesAreDistinct() throws {
    let object = "{\"e\u{301}\": 1, \"\u{e9}\": 2}"
    #expect(try parse(object).count == 2)
    let tree = try decode(object)
    #expect(tree == .dictionary(["e\u{301}": .number(.text("1")), "\u{e9}": .number(.text("2"))]))
    #expect(try decode(encode(tree)) == tree)
    #expect(throws: FormatError(reason: "duplicate key", offset: 10, firstOffset: 1)) {
      try decode("{\"\u{e9}\": 1, \"\\u00e9\": 2}")
    }
  }
}
