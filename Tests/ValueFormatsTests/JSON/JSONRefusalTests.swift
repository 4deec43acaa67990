import Testing

@testable import ValueFormats

/// The reasons and offsets of parsing errors.
struct JSONRefusalTests {
  private let format = JSONFormat()

  private func expectRefusal(of file: [UInt8], _ reason: String, at offset: Int) {
    #expect(throws: FormatError(reason: reason, offset: offset), "\(file)") {
      try format.parse(file)
    }
  }

  private func expectRefusal(ofValue value: String, _ reason: String, at offset: Int) {
    #expect(throws: FormatError(reason: reason, offset: offset), "\(value)") {
      try format.decode(Array("...\(value)".utf8).dropFirst(3))
    }
  }

  @Test func invalidScalarIsRefused() throws {
    for refusal in try Refusal.all("scalar", in: "json-refusals") {
      let array = "[\(refusal.text)]"
      expectRefusal(of: Array("{\"a\": \(array)}".utf8), refusal.reason, at: refusal.offset + 7)
      expectRefusal(ofValue: array, refusal.reason, at: refusal.offset + 1)
    }
  }

  @Test func fragmentOfAFileIsNoValue() throws {
    for refusal in try Refusal.all("value", in: "json-refusals") {
      _ = try format.parse(Array("{\"key\": \(refusal.text)}".utf8))
      expectRefusal(ofValue: refusal.text, refusal.reason, at: refusal.offset)
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
    expectRefusal(
      of: Array("{\"a\": ".utf8) + value + Array("}".utf8), "invalid UTF-8", at: offset + 7)
    #expect(throws: FormatError(reason: "invalid UTF-8", offset: offset + 1)) {
      try format.decode(([0, 0] + value).dropFirst(2))
    }
  }
}
