import FoundationEssentials
import TestSupport
import Testing

@testable import KeyValueStorage
@testable import ValueFormats

struct XMLPropertyListFormatTests {
  private let format = XMLPropertyListFormat()

  private func text(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: Array(bytes), as: UTF8.self)
  }

  @Test func newFileMatchesAppleTools() throws {
    let trees: [(String, ValueTree)] = [
      ("<>", .array([.bool(true), .dictionary(["b": .null(depth: 0), "a": .array([])])])),
      ("ratio", .number(.real(0.8))),
    ]
    let entries = try trees.map { key, tree in
      format.entry(StoredKey(key), try format.encode(tree)[...])
    }
    #expect(try text(format.join([entries[...]], FileSurroundings())) == Fixture.text("new.plist"))
    #expect(text(format.join([], FileSurroundings())).hasSuffix("<dict>\n</dict>\n</plist>\n"))
  }

  @Test func handwrittenFileIsKept() throws {
    let file = try Fixture.bytes("handwritten.plist")
    let parsed = try format.parse(file)
    #expect(parsed.entries.map(\.key.string) == ["a<&\u{1F600}", "b", ""])
    #expect(
      parsed.entries.map { text($0.text.prefix($0.valueOffset)) } == [
        "\n<!-- of a, --><?and?>  <!-- too -->\n  <key>a<![CDATA[<&]]>&#x1F600;</key>"
          + "  <!-- of its value -->\n  ",
        "\n  <key><!-- inside -->b</key>", "\n  <key/>",
      ])
    #expect(
      parsed.entries.map { text($0.text.suffix($0.trailCount)) } == [" <!-- of a, too -->", "", ""])
    #expect(
      parsed.entries.map { text($0.value) } == [
        "<integer>  +0x1F </integer>", "<data>\n    AQ\n    I= </data>", "<true></true>",
      ])
    #expect(text(parsed.surroundings.header).hasSuffix(" <!-- of the top --> <dict class=\"x\">"))
    #expect(
      text(parsed.surroundings.footer)
        == "\n  <!-- of none -->\n  </dict >\r\n<!-- late --></plist >\n")
    try format.requireSameAfterJoining(parsed)
    #expect(file.starts(with: parsed.surroundings.header))
    let values = try parsed.entries.map { try format.decode($0.value) }
    #expect(values == [.number(.integer(31)), .data(Data([1, 2])), .bool(true)])
  }

  @Test func newValueKeepsCommentsOfItsKey() throws {
    let parsed = try format.parse(
      Array("<plist><dict><!-- loud --><key><![CDATA[a]]></key> <true/></dict></plist>".utf8))
    for count in [1, 10] {
      var contents = KeyValueContents(parsed, revision: 1)
      var changes = KeyValueChanges()
      for number in 1..<count { changes.set("b\(number)", to: nil) }
      changes.set("a", to: ArraySlice("<false/>".utf8))
      contents.apply(changes, in: format)
      #expect(
        contents.entries.map { text($0.text) }
          == ["<!-- loud --><key><![CDATA[a]]></key> <false/>"])
      #expect(contents["a"].map { text($0) } == "<false/>")
    }
  }

  @Test(arguments: ["<dict/>", "<dict />", "<dict></dict>", "<dict> \n<!-- none --> </dict>"])
  func fileWithoutEntriesIsRead(_ dictionary: String) throws {
    let parsed = try format.parse(Array("<plist>\(dictionary)<!-- x --></plist>".utf8))
    #expect(parsed.entries.isEmpty)
    try format.requireSameAfterJoining(parsed)
    let entry = format.entry(StoredKey("a"), ArraySlice("<true/>".utf8))
    let file = format.join([[entry]], parsed.surroundings)
    #expect(try format.parse(file).entries.map(\.text) == [entry.text])
    #expect(text(file).contains("<!-- x --></plist>"))
  }
}
