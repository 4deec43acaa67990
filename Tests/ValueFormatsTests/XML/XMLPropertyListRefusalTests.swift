import Testing

@testable import ValueFormats

struct XMLPropertyListRefusalTests {
  private let format = XMLPropertyListFormat()

  private func failure(_ file: [UInt8]) -> FormatError? {
    do {
      _ = try format.parse(file)
      return nil
    } catch {
      return error
    }
  }

  /// `§` marks the offset.
  @Test(arguments: [
    ("§", "the text ends too early"),
    ("§text", "text stands between elements"),
    ("<?xml version='1.0'?>\n§", "the text ends too early"),
    ("§<?xml version='1.1'?><plist/>", "this is not XML 1.0"),
    ("§<?xml encoding='UTF-8'?><plist/>", "this XML declaration is not as XML has it"),
    (
      "§<?xml version='1.0' standalone='no' encoding='UTF-8'?>",
      "this XML declaration is not as XML has it"
    ),
    ("§<?xml version='1.0' standalone='x'?>", "this XML declaration is not as XML has it"),
    ("<?xml version='1.0'§standalone='no'?>", "white space is missing before an attribute"),
    ("§<?xml version='1.0'", "this XML declaration has no end"),
    (
      "§<?xml version='1.0' encoding='UTF-16'?>",
      "the file is in the encoding UTF-16, not in UTF-8"
    ),
    (
      "§<?xml version='1.0' encoding='ISO-8859-1'?>",
      "the file is in the encoding ISO-8859-1, not in UTF-8"
    ),
    ("§<?xml version='1.0' encoding='ä'?>", "the file is in another encoding, not in UTF-8"),
    (
      "<!-- --> §<?xml version='1.0'?>",
      "an XML declaration is not at the beginning of the file"
    ),
    (
      "<!DOCTYPE plist §[<!ENTITY a 'b'>]><plist/>",
      "a document type with definitions of its own is not read"
    ),
    (
      "<!DOCTYPE plist SYSTEM 'a' §[]><plist/>",
      "a document type with definitions of its own is not read"
    ),
    ("<!DOCTYPE plist PUBLIC 'a'§><plist/>", "white space is missing"),
    ("<!DOCTYPE plist PUBLIC 'a' §'b><plist/>", "a quotation mark is missing"),
    ("<!DOCTYPE plist PUBLIC 'a§&' 'b'><plist/>", "a public identifier has no such character"),
    ("§<!DOCTYPE plist", "this DOCTYPE has no end"),
    ("<!DOCTYPE plist><§!DOCTYPE plist><plist/>", "a name is missing"),
    ("§<plist/>", "a property list begins with <plist>"),
    ("§<dict/>", "a property list begins with <plist>"),
    ("§<html/>", "property lists have no such element"),
    ("<plist>§</plist>", "a <dict> is missing"),
    ("<plist>§<array/></plist>", "the top is <array>, and should be <dict>"),
    ("<plist><dict/>§<dict/></plist>", "</plist> is missing"),
    ("<plist><dict/></plist>§<plist/>", "something follows after the end"),
    ("<plist><dict/></plist>§x", "something follows after the end"),
    ("<plist><dict/>§", "</plist> is missing"),
    ("<plist><dict>§", "the text ends too early"),
    ("<plist><dict>§</plist>", "</dict> is missing"),
    ("<plist>§x<dict/></plist>", "text stands between elements"),
    ("<plist>§&#32;<dict/></plist>", "text stands between elements"),
    ("<plist a='1' §a='2'><dict/></plist>", "an attribute occurs twice"),
    ("<plist §a><dict/></plist>", "an attribute has no value"),
    ("<plist a=§1><dict/></plist>", "a quotation mark is missing"),
    ("<plist><?§ä?><dict/></plist>", "a name is missing"),
    ("<plist a='§<'><dict/></plist>", "an attribute holds a tag, or has no end"),
    ("<plist a='§&x;'><dict/></plist>", "this entity is not one of XML's own"),
    ("<plist a='§", "this attribute has no end"),
    ("§<plist / ><dict/></plist>", "this tag has no end"),
    ("<plist>§<!-- <dict/></plist>", "this comment has no end"),
    ("<plist><!-- a §-- b --><dict/></plist>", "a comment holds two hyphens in a row"),
    ("<plist>§<?a <dict/></plist>", "this processing instruction has no end"),
    ("<plist>§<?a%?><dict/></plist>", "this processing instruction has no end"),
    ("<plist>\u{0}<dict/></plist>", "XML does not allow this character"),
  ])
  func aFileIsRefused(_ file: String, _ reason: String) throws {
    let marked = Array(file.utf8)
    let mark = Array("§".utf8)
    let offset = marked.indices.first { marked[$0...].starts(with: mark) }
    let bytes = Array(file.replacing("§", with: "").utf8)
    let error = try #require(failure(bytes))
    #expect(error.reason == reason)
    // Without a mark, the offset is that of the disallowed character.
    #expect(error.offset == offset ?? bytes.firstIndex(of: 0))
  }

  @Test(arguments: [
    ("§<true/>", "a <key> is missing"),
    ("§text", "text stands between elements"),
    ("<key>a</key>§", "a value is missing"),
    ("<key>a</key>§<key>b</key>", "<key> is not a value"),
    ("<key>a</key>§<plist/>", "<plist> is not a value"),
    ("<key>a</key>§<float>1</float>", "property lists have no such element"),
    ("<key>a</key>§<STRING/>", "property lists have no such element"),
    ("<key>a</key><true/>§<key>a</key><true/>", "this key occurs a second time"),
    ("<key>a</key><true/><!-- --> §<key>&#97;</key><true/>", "this key occurs a second time"),
    ("<key>a</key><true/>§<key>$base64:YQ==</key><true/>", "this key occurs a second time"),
    ("<key>a</key>§<integer/>", "this is not an integer"),
    ("<key>a</key>§<integer> </integer>", "this is not an integer"),
    ("<key>a</key>§<integer>1.0</integer>", "this is not an integer"),
    ("<key>a</key>§<integer>0x</integer>", "this is not an integer"),
    ("<key>a</key>§<integer>1F</integer>", "this is not an integer"),
    ("<key>a</key>§<integer>- 1</integer>", "this is not an integer"),
    ("<key>a</key>§<integer>--1</integer>", "this is not an integer"),
    ("<key>a</key>§<real/>", "this is not a number"),
    ("<key>a</key>§<real>1,5</real>", "this is not a number"),
    ("<key>a</key>§<real>.</real>", "this is not a number"),
    ("<key>a</key>§<real>1e</real>", "this is not a number"),
    ("<key>a</key>§<real>0x1p3</real>", "this is not a number"),
    ("<key>a</key>§<real>nan(1)</real>", "this is not a number"),
    ("<key>a</key>§<data>A</data>", "this is not base64"),
    ("<key>a</key>§<data>A-==</data>", "this is not base64"),
    ("<key>a</key>§<data>AQ=5</data>", "this is not base64"),
    ("<key>a</key>§<data>A===</data>", "this is not base64"),
    ("<key>a</key>§<data>====</data>", "this is not base64"),
    ("<key>a</key>§<data>AQI</data>", "this is not base64"),
    ("<key>a</key>§<true>x</true>", "<true> holds something"),
    ("<key>a</key><true>§<false/></true>", "<true> holds something else than text"),
    ("<key>a</key><string>§<b/></string>", "<string> holds something else than text"),
    ("<key>a</key><string>x§</key>", "</string> is missing"),
    ("<key>a</key><string>x§]]></string>", "text holds ]]>"),
    ("<key>a</key><string>§<![CDATA[x]]</string>", "this CDATA section has no end"),
    ("<key>a</key><string>§&nbsp;</string>", "this entity is not one of XML's own"),
    ("<key>a</key><string>§&lt</string>", "this reference means no character that XML allows"),
    ("<key>a</key><string>§&#0;</string>", "this reference means no character that XML allows"),
    ("<key>a</key><string>§&#xD800;</string>", "this reference means no character that XML allows"),
    ("<key>a</key><string>§&#xFFFE;</string>", "this reference means no character that XML allows"),
    ("<key>a</key><string>§&#x;</string>", "this reference means no character that XML allows"),
    ("<key>a</key><string>§&#1F;</string>", "this reference means no character that XML allows"),
    (
      "<key>a</key><string>§&#x100000000000000041;</string>",
      "this reference means no character that XML allows"
    ),
    ("<key>a</key><string>&§ ;</string>", "a name is missing"),
    ("<key>a</key><array><true/>§</dict>", "</array> is missing"),
    ("<key>a</key><array>§</string></array>", "</array> is missing"),
    ("<key>a</key><dict><key>b</key>§</dict>", "a value is missing"),
    ("<key>a</key><dict>§<true/></dict>", "a <key> is missing"),
  ])
  func anEntryIsRefused(_ entry: String, _ reason: String) throws {
    try aFileIsRefused("<plist><dict>\(entry)</dict></plist>", reason)
  }

  @Test(arguments: [
    "§<date>2026-02-29T00:00:00Z</date>",
    "§<date>2026-00-01T00:00:00Z</date>",
    "§<date>2026-01-00T00:00:00Z</date>",
    "§<date>2026-01-01T24:00:00Z</date>",
    "§<date>2026-01-01T00:00:00</date>",
    "§<date>2026-01-01T00:00:00.5Z</date>",
    "§<date/>",
  ])
  func datesHaveOneForm(_ date: String) throws {
    try anEntryIsRefused("<key>a</key>\(date)", "this is not a date such as 2026-11-21T15:46:38Z")
  }

  @Test(arguments: [
    ("bplist00", "this is a binary property list: open it as one"),
    ("{\"a\": 1}", "this looks like JSON: open it as such"),
    (" [1]", "this looks like JSON: open it as such"),
    ("\u{FEFF}{}", "this looks like JSON: open it as such"),
    (
      "{ \"a:b\" = 1; }",
      "this looks like a property list in the old text format: convert it to XML"
    ),
    ("(a, b)", "this looks like a property list in the old text format: convert it to XML"),
    (
      "// !$*UTF8*$!\n{}",
      "this looks like a property list in the old text format: convert it to XML"
    ),
  ])
  func aFileOfAnotherFormatIsToldWhatItIs(_ file: String, _ reason: String) {
    #expect(failure(Array(file.utf8)) == FormatError(reason: reason, offset: 0))
  }

  @Test(arguments: [
    ([0xFF, 0xFE, 0x3C, 0], "16 (little"), ([0xFE, 0xFF, 0, 0x3C], "16 (big"),
    ([0x3C, 0, 0x3F, 0], "16 (little"), ([0, 0x3C, 0, 0x3F], "16 (big"),
    ([0xFF, 0xFE, 0, 0, 0x3C, 0, 0, 0], "32 (little"), ([0, 0, 0xFE, 0xFF], "32 (big"),
    ([0x3C, 0, 0, 0], "32 (little"), ([0, 0, 0, 0x3C], "32 (big"),
  ])
  func otherEncodingsAreRefusedByName(_ file: [UInt8], _ encoding: String) {
    let reason = "this is text in UTF-\(encoding) endian): convert it to UTF-8"
    #expect(failure(file) == FormatError(reason: reason, offset: 0))
  }

  @Test(arguments: [
    ([0xC3, 0x28], "this is not UTF-8"),
    ([0xED, 0xA0, 0x80], "this is not UTF-8"),
    ([0x0B], "XML does not allow this character"),
    ([0xEF, 0xBF, 0xBF], "XML does not allow this character"),
  ])
  func bytesThatAreNoCharactersAreRefused(_ bytes: [UInt8], _ reason: String) {
    let start = Array("<plist><dict><key>a</key><string>".utf8)
    let file = start + bytes + "</string></dict></plist>".utf8
    #expect(failure(file) == FormatError(reason: reason, offset: start.count))
  }

  @Test(arguments: [511, 512, 10_000, 1_000_000])
  func nestingHasALimit(_ depth: Int) throws {
    let start = "<plist><dict><key>a</key>"
    let array = String(repeating: "<array>", count: depth)
    let file = start + array + String(repeating: "</array>", count: depth) + "</dict></plist>"
    if depth < FormatLimits.depth {
      let value = try #require(try format.parse(Array(file.utf8)).entries.first).value
      let encoded = try format.encode(try format.decode(value))
      // The innermost array is written as `<array/>`.
      #expect(encoded.count { $0 > 0x20 } == value.count - 7)
    } else {
      let offset = start.utf8.count + 511 * 7
      let reason = "arrays and dictionaries are nested more than 512 deep"
      #expect(failure(Array(file.utf8)) == FormatError(reason: reason, offset: offset))
    }
  }
}
