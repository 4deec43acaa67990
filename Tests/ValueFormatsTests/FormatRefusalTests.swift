import Testing

@testable import KeyValueStorage
@testable import ValueFormats

/// The reasons and offsets of parsing errors that formats share.
struct FormatRefusalTests {
  @Test(arguments: KeyValueFormat.allCases)
  func invalidFileIsRefused(_ format: KeyValueFormat) throws {
    for refusal in try Refusal.all("file", in: "\(format)-refusals") {
      #expect(throws: refusal.error, "\(refusal.text)") {
        try format.coding.parse(Array(refusal.text.utf8))
      }
    }
  }

  @Test(
    arguments: ["{}", "{\"a\": 1}", "\n{\"é\": 1}", "{\"\u{1F600}\": 1}", "<p/>"], [true, false])
  func otherEncodingIsNamed(_ text: String, _ hasMark: Bool) {
    let mark = hasMark ? "\u{FEFF}" : ""
    let short = (mark + text).utf16.map { $0 }
    let long = (mark + text).unicodeScalars.map(\.value)
    func bytes<Unit: FixedWidthInteger>(_ unit: Unit, _ isLittle: Bool) -> [UInt8] {
      let shifts = stride(from: 0, to: Unit.bitWidth, by: 8)
      let bytes = shifts.map { UInt8(truncatingIfNeeded: unit >> $0) }
      return isLittle ? bytes : bytes.reversed()
    }
    let reason = "the file is encoded in UTF-16 or UTF-32; convert it to UTF-8"
    for isLittle in [true, false] {
      for file in [short.flatMap { bytes($0, isLittle) }, long.flatMap { bytes($0, isLittle) }] {
        for format in [JSONFormat(), XMLPropertyListFormat()] as [any StoredFormat] {
          #expect(throws: FormatError(reason: reason, offset: 0)) { try format.parse(file) }
        }
      }
    }
  }

  @Test(arguments: KeyValueFormat.allCases)
  func numberOfAnotherFormatIsNotEncoded(_ format: KeyValueFormat) throws {
    for refusal in try Refusal.all("number", in: "\(format)-refusals") {
      #expect(throws: refusal.error, "\(refusal.text)") {
        try format.coding.encode(.number(.text(refusal.text)))
      }
    }
  }
}
