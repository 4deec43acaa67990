import CipherSupport
import Testing

@testable import SecretStorage

/// A reader of a vault with one item, written against the format's page only; it needs the file and
/// the device key, and shares only the cryptographic primitives with Locket.
struct RawVault {
  private let cipher = TestCipher()
  private let identifier: [UInt8]
  private let userKey: Secret
  private var keys: [UInt32: Secret] = [:]
  /// The item's class and identity fields, and the opened contents of its seal.
  private(set) var itemClass: UInt8 = 0
  private(set) var identityFields: [UInt8] = []
  private(set) var opened: [UInt8] = []

  /// Opens all that the vault's own keys open, given the contents of `device.key` and
  /// `/etc/machine-id`.
  init(file: [UInt8], deviceKey: [UInt8], machine: [UInt8]) throws {
    let records = ForgedFile(file).records
    let table = records[0]["table"].parts
    identifier = table["identifier"].encoded
    let sections = table["sections"].parts.map(\.parts)
    let slot = try #require(sections.first { $0[number: "section"] == 1 })["slot"].parts
    #expect(slot[number: "slot type"] == 1)
    let device = try cipher.deriveKey(
      from: Secret(deviceKey), salt: machine[...], purpose: "locket device")
    let slotKey = try cipher.deriveKey(
      from: device, salt: slot["slot salt"].parts.encoded[...], purpose: "locket device slot")
    userKey = try cipher.open(
      slot["sealed user key"].parts.encoded[...], with: slotKey, authenticating: identifier)
    for key in sections.map({ $0["key"].parts }) {
      for copy in key["copies"].parts.map(\.parts) where copy[number: "wrapping"] == 1 {
        let outer = try cipher.deriveKey(
          from: userKey, salt: copy["copy salt"].parts.encoded[...], purpose: "locket key")
        keys[UInt32(key[number: "key number"])] = try cipher.open(
          copy["sealed key"].parts.encoded[...], with: outer,
          authenticating: identifier
            + [key["key number"], key["purpose"], copy["wrapping"]].encoded)
      }
    }
    try openItem(in: try #require(records.last { $0[number: "kind"] == 2 }))
  }

  private mutating func openItem(in record: [Field]) throws {
    let key = try #require(keys[UInt32(record[number: "attributes key"])])
    let attributes = try cipher.open(
      record["attributes"].encoded[...],
      with: cipher.deriveKey(
        from: key, salt: record["salt"].encoded[...], purpose: "locket attributes"),
      authenticating: identifier + Array(record.prefix { $0.name != "attributes" }).encoded)
    var entry = Bytes(Self.bytes(of: attributes)[...])
    _ = entry.take(16)
    #expect(entry.number(4) == 1 && entry.number(1) == 1)
    let name = entry.take(16)
    _ = entry.take(24)
    itemClass = UInt8(entry.number(1))
    _ = entry.take(1)
    let flags = entry.take(4)
    let sealing = entry.take(13)
    let secretSalt = entry.take(32)
    let secretCount = Int(entry.number(4))
    var fields = Bytes(entry.counted())
    while !fields.isEmpty {
      let tag = fields.take(1)
      let content = Field.counted("content", fields.counted()).encoded
      if (1...8).contains(tag[0]) { identityFields += tag + content }
    }
    let secret = record["secrets"].encoded.prefix(secretCount)
    var keyNumber = Bytes(sealing[8...])
    let secretKey = try #require(keys[UInt32(keyNumber.number(4))])
    let padded = try cipher.open(
      secret,
      with: cipher.deriveKey(from: secretKey, salt: secretSalt[...], purpose: "locket secret"),
      authenticating: identifier + name + sealing + (flags == [0, 0, 0, 0] ? [] : flags))
    var content = Bytes(Self.bytes(of: padded)[...])
    opened = Array(content.counted())
  }

  /// Every key found without the password, as candidates.
  var allKeys: [Secret] { [userKey] + keys.values }

  static func bytes(of secret: Secret) -> [UInt8] {
    unsafe secret.withUnsafeBytes { unsafe Array($0) }
  }
}

struct Bytes {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isEmpty: Bool { rest.isEmpty }

  mutating func take(_ count: Int) -> [UInt8] {
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  mutating func number(_ count: Int) -> UInt64 {
    take(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func counted() -> ArraySlice<UInt8> {
    let count = Int(number(4))
    return take(count)[...]
  }
}
