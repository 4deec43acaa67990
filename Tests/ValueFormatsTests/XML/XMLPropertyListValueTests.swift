import Testing

@testable import ValueFormats

struct XMLPropertyListValueTests {
  private let format = XMLPropertyListFormat()

  @Test(arguments: [
    ("", "<key></key>"), ("a&b", "<key>a&amp;b</key>"), ("$null:1", "<key>$null:1</key>"),
    ("$base64:AAAA", "<key>$base64:AAAA</key>"), ("a\r", "<key>a&#13;</key>"),
    ("\u{1}", "<key><![CDATA[$base64:AQ==]]></key>"), ("e\u{301}", "<key>e\u{301}</key>"),
  ])
  func keyIsWrittenAndRead(_ key: String, _ text: String) throws {
    let entry = format.entry(StoredKey(key), ArraySlice("<true/>".utf8))
    #expect(String(decoding: Array(entry.text), as: UTF8.self) == "\n\t\(text)\n\t<true/>")
    #expect(Array(entry.value) == Array("<true/>".utf8))
    let parsed = try format.parse(format.join([[entry]], FileSurroundings()))
    #expect(parsed.entries.map(\.key) == [StoredKey(key)])
  }

  @Test(arguments: ["integer", "real", "date", "data", "true"])
  func invalidTextDoesNotRefuseTheFile(_ element: String) throws {
    let value = "<\(element)>x</\(element)>"
    let file = "<plist><dict><key>a</key>\(value)<key>b</key><true/></dict></plist>"
    let parsed = try format.parse(Array(file.utf8))
    #expect(parsed.entries.map(\.key) == ["a", "b"])
    #expect(throws: FormatError.self) { try format.decode(parsed.entries[0].value) }
    let joined = format.join([parsed.entries[...]], parsed.surroundings)
    #expect(String(decoding: joined, as: UTF8.self).contains(value))
  }
}
