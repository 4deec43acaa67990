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

  @Test func invalidFileIsRefused() throws {
    for refusal in try Refusal.all("file", in: "xml-refusals") {
      #expect(
        failure(Array(refusal.text.utf8))
          == FormatError(reason: refusal.reason, offset: refusal.offset), "\(refusal.text)")
    }
  }

  @Test func invalidEntryIsRefused() throws {
    let start = "<plist><dict>"
    for refusal in try Refusal.all("entry", in: "xml-refusals") {
      let file = start + refusal.text + "</dict></plist>"
      let offset = start.utf8.count + refusal.offset
      #expect(
        failure(Array(file.utf8)) == FormatError(reason: refusal.reason, offset: offset), "\(file)")
    }
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
  func fileOfAnotherFormatIsNamed(_ file: String, _ reason: String) {
    #expect(failure(Array(file.utf8)) == FormatError(reason: reason, offset: 0))
  }

  @Test(arguments: [
    ([0xFF, 0xFE, 0x3C, 0], "16 (little"), ([0xFE, 0xFF, 0, 0x3C], "16 (big"),
    ([0x3C, 0, 0x3F, 0], "16 (little"), ([0, 0x3C, 0, 0x3F], "16 (big"),
    ([0xFF, 0xFE, 0, 0, 0x3C, 0, 0, 0], "32 (little"), ([0, 0, 0xFE, 0xFF], "32 (big"),
    ([0x3C, 0, 0, 0], "32 (little"), ([0, 0, 0, 0x3C], "32 (big"),
  ])
  func otherEncodingIsNamed(_ file: [UInt8], _ encoding: String) {
    let reason = "the file is encoded in UTF-\(encoding) endian); convert it to UTF-8"
    #expect(failure(file) == FormatError(reason: reason, offset: 0))
  }

  @Test(arguments: [
    ([0xC3, 0x28], "invalid UTF-8"),
    ([0xED, 0xA0, 0x80], "invalid UTF-8"),
    ([0x0B], "character not allowed in XML"),
    ([0xEF, 0xBF, 0xBF], "character not allowed in XML"),
  ])
  func invalidCharactersAreRefused(_ bytes: [UInt8], _ reason: String) {
    let start = Array("<plist><dict><key>a</key><string>".utf8)
    let file = start + bytes + "</string></dict></plist>".utf8
    #expect(failure(file) == FormatError(reason: reason, offset: start.count))
  }

  @Test(arguments: [511, 512, 10_000, 1_000_000])
  func nestingIsLimited(_ depth: Int) throws {
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
