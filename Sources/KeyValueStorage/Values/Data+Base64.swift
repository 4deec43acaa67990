import FoundationEssentials

extension Data {
  /// The bytes that base64 stands for, with padding up to four characters and nothing but base64.
  ///
  /// Foundation alone takes padding for a byte, and passes over what follows after it.
  init?(strictBase64 base64: some Collection<UInt8>) {
    let padding = base64.drop { $0 != UInt8(ascii: "=") }
    guard base64.count % 4 == 0, padding.count <= 2,
      padding.allSatisfy({ $0 == UInt8(ascii: "=") })
    else { return nil }
    self.init(base64Encoded: Data(base64))
  }
}
