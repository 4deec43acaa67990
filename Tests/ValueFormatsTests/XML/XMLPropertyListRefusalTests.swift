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
    ("§", "unexpected end of input"),
    ("§text", "unexpected text between elements"),
    ("<?xml version='1.0'?>\n§", "unexpected end of input"),
    ("§<?xml version='1.1'?><plist/>", "the XML version is not 1.0"),
    ("§<?xml encoding='UTF-8'?><plist/>", "invalid XML declaration"),
    (
      "§<?xml version='1.0' standalone='no' encoding='UTF-8'?>",
      "invalid XML declaration"
    ),
    ("§<?xml version='1.0' standalone='x'?>", "invalid XML declaration"),
    ("<?xml version='1.0'§standalone='no'?>", "expected white space before the attribute"),
    ("§<?xml version='1.0'", "unterminated XML declaration"),
    (
      "§<?xml version='1.0' encoding='UTF-16'?>",
      "the encoding is UTF-16, but must be UTF-8"
    ),
    (
      "§<?xml version='1.0' encoding='ISO-8859-1'?>",
      "the encoding is ISO-8859-1, but must be UTF-8"
    ),
    ("§<?xml version='1.0' encoding='ä'?>", "the encoding must be UTF-8"),
    (
      "<!-- --> §<?xml version='1.0'?>",
      "XML declaration not at the beginning of the file"
    ),
    (
      "<!DOCTYPE plist §[<!ENTITY a 'b'>]><plist/>",
      "internal document type definitions are not supported"
    ),
    (
      "<!DOCTYPE plist SYSTEM 'a' §[]><plist/>",
      "internal document type definitions are not supported"
    ),
    ("<!DOCTYPE plist PUBLIC 'a'§><plist/>", "expected white space"),
    ("<!DOCTYPE plist PUBLIC 'a' §'b><plist/>", "expected a quotation mark"),
    ("<!DOCTYPE plist PUBLIC 'a§&' 'b'><plist/>", "character not allowed in a public identifier"),
    ("§<!DOCTYPE plist", "unterminated DOCTYPE"),
    ("<!DOCTYPE plist><§!DOCTYPE plist><plist/>", "expected a name"),
    ("§<plist/>", "expected <plist>"),
    ("§<dict/>", "expected <plist>"),
    ("§<html/>", "element not allowed in a property list"),
    ("<plist>§</plist>", "expected <dict>"),
    ("<plist>§<array/></plist>", "the root element must be <dict>, not <array>"),
    ("<plist><dict/>§<dict/></plist>", "expected </plist>"),
    ("<plist><dict/></plist>§<plist/>", "unexpected data after the end"),
    ("<plist><dict/></plist>§x", "unexpected data after the end"),
    ("<plist><dict/>§", "expected </plist>"),
    ("<plist><dict>§", "unexpected end of input"),
    ("<plist><dict>§</plist>", "expected </dict>"),
    ("<plist>§x<dict/></plist>", "unexpected text between elements"),
    ("<plist>§&#32;<dict/></plist>", "unexpected text between elements"),
    ("<plist a='1' §a='2'><dict/></plist>", "duplicate attribute"),
    ("<plist §a><dict/></plist>", "attribute without a value"),
    ("<plist a=§1><dict/></plist>", "expected a quotation mark"),
    ("<plist><?§ä?><dict/></plist>", "expected a name"),
    ("<plist a='§<'><dict/></plist>", "unexpected < in an attribute value"),
    ("<plist a='§&x;'><dict/></plist>", "unknown entity"),
    ("<plist a='§", "unterminated attribute value"),
    ("§<plist / ><dict/></plist>", "unterminated tag"),
    ("<plist>§<!-- <dict/></plist>", "unterminated comment"),
    ("<plist><!-- a §-- b --><dict/></plist>", "two consecutive hyphens in a comment"),
    ("<plist>§<?a <dict/></plist>", "unterminated processing instruction"),
    ("<plist>§<?a%?><dict/></plist>", "unterminated processing instruction"),
    ("<plist>\u{0}<dict/></plist>", "character not allowed in XML"),
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
    ("§<true/>", "expected <key>"),
    ("§text", "unexpected text between elements"),
    ("<key>a</key>§", "expected a value"),
    ("<key>a</key>§<key>b</key>", "<key> is not a value"),
    ("<key>a</key>§<plist/>", "<plist> is not a value"),
    ("<key>a</key>§<float>1</float>", "element not allowed in a property list"),
    ("<key>a</key>§<STRING/>", "element not allowed in a property list"),
    ("<key>a</key><true/>§<key>a</key><true/>", "duplicate key"),
    ("<key>a</key><true/><!-- --> §<key>&#97;</key><true/>", "duplicate key"),
    ("<key>a</key><true/>§<key>$base64:YQ==</key><true/>", "duplicate key"),
    ("<key>a</key>§<integer/>", "invalid integer"),
    ("<key>a</key>§<integer> </integer>", "invalid integer"),
    ("<key>a</key>§<integer>1.0</integer>", "invalid integer"),
    ("<key>a</key>§<integer>0x</integer>", "invalid integer"),
    ("<key>a</key>§<integer>1F</integer>", "invalid integer"),
    ("<key>a</key>§<integer>- 1</integer>", "invalid integer"),
    ("<key>a</key>§<integer>--1</integer>", "invalid integer"),
    ("<key>a</key>§<real/>", "invalid number"),
    ("<key>a</key>§<real>1,5</real>", "invalid number"),
    ("<key>a</key>§<real>.</real>", "invalid number"),
    ("<key>a</key>§<real>1e</real>", "invalid number"),
    ("<key>a</key>§<real>0x1p3</real>", "invalid number"),
    ("<key>a</key>§<real>nan(1)</real>", "invalid number"),
    ("<key>a</key>§<data>A</data>", "invalid base64"),
    ("<key>a</key>§<data>A-==</data>", "invalid base64"),
    ("<key>a</key>§<data>AQ=5</data>", "invalid base64"),
    ("<key>a</key>§<data>A===</data>", "invalid base64"),
    ("<key>a</key>§<data>====</data>", "invalid base64"),
    ("<key>a</key>§<data>AQI</data>", "invalid base64"),
    ("<key>a</key>§<true>x</true>", "<true> must be empty"),
    ("<key>a</key><true>§<false/></true>", "<true> must contain only text"),
    ("<key>a</key><string>§<b/></string>", "<string> must contain only text"),
    ("<key>a</key><string>x§</key>", "expected </string>"),
    ("<key>a</key><string>x§]]></string>", "unexpected ]]> in text"),
    ("<key>a</key><string>§<![CDATA[x]]</string>", "unterminated CDATA section"),
    ("<key>a</key><string>§&nbsp;</string>", "unknown entity"),
    ("<key>a</key><string>§&lt</string>", "invalid character reference"),
    ("<key>a</key><string>§&#0;</string>", "invalid character reference"),
    ("<key>a</key><string>§&#xD800;</string>", "invalid character reference"),
    ("<key>a</key><string>§&#xFFFE;</string>", "invalid character reference"),
    ("<key>a</key><string>§&#x;</string>", "invalid character reference"),
    ("<key>a</key><string>§&#1F;</string>", "invalid character reference"),
    (
      "<key>a</key><string>§&#x100000000000000041;</string>",
      "invalid character reference"
    ),
    ("<key>a</key><string>&§ ;</string>", "expected a name"),
    ("<key>a</key><array><true/>§</dict>", "expected </array>"),
    ("<key>a</key><array>§</string></array>", "expected </array>"),
    ("<key>a</key><dict><key>b</key>§</dict>", "expected a value"),
    ("<key>a</key><dict>§<true/></dict>", "expected <key>"),
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
    try anEntryIsRefused(
      "<key>a</key>\(date)", "invalid date; expected a form such as 2026-11-21T15:46:38Z")
  }

  @Test(arguments: [
    ("bplist00", "the file is a binary property list; open it as one"),
    ("{\"a\": 1}", "the file seems to be JSON; open it as JSON"),
    (" [1]", "the file seems to be JSON; open it as JSON"),
    ("\u{FEFF}{}", "the file seems to be JSON; open it as JSON"),
    (
      "{ \"a:b\" = 1; }",
      "the file seems to be an OpenStep property list; convert it to XML"
    ),
    ("(a, b)", "the file seems to be an OpenStep property list; convert it to XML"),
    (
      "// !$*UTF8*$!\n{}",
      "the file seems to be an OpenStep property list; convert it to XML"
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
    let reason = "the file is encoded in UTF-\(encoding) endian); convert it to UTF-8"
    #expect(failure(file) == FormatError(reason: reason, offset: 0))
  }

  @Test(arguments: [
    ([0xC3, 0x28], "invalid UTF-8"),
    ([0xED, 0xA0, 0x80], "invalid UTF-8"),
    ([0x0B], "character not allowed in XML"),
    ([0xEF, 0xBF, 0xBF], "character not allowed in XML"),
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
      let reason = "arrays and dictionaries are nested more than 512 levels deep"
      #expect(failure(Array(file.utf8)) == FormatError(reason: reason, offset: offset))
    }
  }
}
