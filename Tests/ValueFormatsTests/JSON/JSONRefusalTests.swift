import Testing

@testable import ValueFormats

/// The reasons and offsets of parsing errors.
struct JSONRefusalTests {
  private let format = JSONFormat()

  @Test func fragmentOfAFileIsNoValue() throws {
    for refusal in try Refusal.all("fragment", in: "json-refusals") {
      _ = try format.parse(Array("{\"key\": \(refusal.text)}".utf8))
      #expect(throws: refusal.error, "\(refusal.text)") {
        try format.decode(Array("...\(refusal.text)".utf8).dropFirst(3))
      }
    }
  }

  private static let invalidTexts: [([UInt8], Int)] = [
    ([0x80], 0), ([0x61, 0xC3], 1), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xE0, 0x80, 0x80], 0),
    ([0xF0, 0x80, 0x80, 0x80], 0), ([0x61, 0xED, 0xA0, 0x80], 1), ([0xF4, 0x90, 0x80, 0x80], 0),
    ([0xF5, 0x80, 0x80, 0x80], 0), ([0xFF], 0), ([0xC3, 0xA9, 0xE2, 0x82], 2),
  ]

  @Test(arguments: invalidTexts)
  func invalidUTF8IsRefused(_ text: [UInt8], _ offset: Int) {
    let value = [UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")]
    #expect(throws: FormatError(reason: "invalid UTF-8", offset: offset + 7)) {
      try format.parse(Array("{\"a\": ".utf8) + value + Array("}".utf8))
    }
    #expect(throws: FormatError(reason: "invalid UTF-8", offset: offset + 1)) {
      try format.decode(([0, 0] + value).dropFirst(2))
    }
  }
}
