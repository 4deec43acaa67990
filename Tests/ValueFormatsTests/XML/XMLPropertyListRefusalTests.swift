import Testing

@testable import ValueFormats

struct XMLPropertyListRefusalTests {
  private let format = XMLPropertyListFormat()

  @Test func invalidEntryIsRefused() throws {
    let start = "<plist><dict>"
    for refusal in try Refusal.all("entry", in: "xml-refusals") {
      let file = start + refusal.text + "</dict></plist>"
      let offset = start.utf8.count + refusal.offset
      #expect(throws: FormatError(reason: refusal.reason, offset: offset), "\(file)") {
        try format.parse(Array(file.utf8))
      }
    }
  }

  @Test(arguments: [([0xC3, 0x28], "invalid UTF-8"), ([0xED, 0xA0, 0x80], "invalid UTF-8")])
  func invalidCharactersAreRefused(_ bytes: [UInt8], _ reason: String) {
    let start = Array("<plist><dict><key>a</key><string>".utf8)
    let file = start + bytes + "</string></dict></plist>".utf8
    #expect(throws: FormatError(reason: reason, offset: start.count)) { try format.parse(file) }
  }
}
