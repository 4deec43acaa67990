import FoundationEssentials

@testable import ValueFormats

/// The value of which `foundation-xml.plist` and `foundation-binary.plist` are the encoded forms.
enum FoundationFixture {
  /// The XML has one nested dictionary less, and no `Float`.
  static func expected(isBinary: Bool) -> [String: ValueTree] {
    let inner: ValueTree = .dictionary([
      "list": .array([1, 2, 3].map { .number(.integer($0)) }),
      "name": .string("a & b <c>"),
      "none": .array([.string("$null"), .number(.integer(4))]),
    ])
    return [
      "text": .string("Grüße \u{1F600}\r\n"),
      "yes": .bool(true),
      "small": .number(.integer(-1)),
      "large": .number(.integer(Int128(UInt64.max))),
      "ratio": .number(isBinary ? .real(0.8) : .text("0.8")),
      "float": .number(isBinary ? .float(0.1) : .text("0.10000000149011612")),
      "infinite": .number(.real(-.infinity)),
      "day": .date(Date(timeIntervalSinceReferenceDate: 816_968_798)),
      "bytes": .data(Data((0..<60).map { UInt8($0) })),
      "inner": .dictionary(isBinary ? ["x": inner, "y": inner] : ["x": inner]),
      "empty": .array([]),
    ]
  }
}
