import FoundationEssentials

extension Data {
  /// Decodes base64 with correct padding; nil for any other text.
  ///
  /// Foundation also accepts incorrect padding, and ignores text after the padding.
  init?(strictBase64 base64: some Collection<UInt8>) {
    let padding = base64.drop { $0 != UInt8(ascii: "=") }
    guard base64.count % 4 == 0, padding.count <= 2,
      padding.allSatisfy({ $0 == UInt8(ascii: "=") })
    else { return nil }
    self.init(base64Encoded: Data(base64))
  }
}
