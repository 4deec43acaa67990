import CipherSupport
import Testing

@testable import SecretStorage

/// A reader of a vault with one item, written against the format's page only; it needs the file and
/// the device key, and shares only the cryptographic primitives with Locket.
struct RawVault {
  private static let headerCount = 32
  private static let frameCount = 44
  private static let recordCount = 41

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
    var rest = file[Self.headerCount...]
    var payloads: [ArraySlice<UInt8>] = []
    while rest.count > Self.frameCount {
      var frame = Bytes(rest.dropFirst(4))
      let count = Int(frame.number(4))
      payloads.append(rest.dropFirst(Self.frameCount).prefix(count))
      rest = rest.dropFirst(Self.frameCount + count)
    }
    let device = try cipher.deriveKey(
      from: Secret(deviceKey), salt: machine[...], purpose: "locket device")
    var record = Bytes(payloads[0].dropFirst(Self.recordCount + 32 + 16 + 8))
    var table = Bytes(record.counted())
    identifier = table.take(16)
    var sections: [(tag: UInt8, body: ArraySlice<UInt8>)] = []
    while !table.isEmpty { sections.append((UInt8(table.number(1)), table.counted())) }
    var slot = Bytes(try #require(sections.first { $0.tag == 1 }).body.dropFirst(4))
    _ = slot.counted()
    #expect(slot.number(1) == 1)
    let salt = slot.counted()
    userKey = try cipher.open(
      slot.counted(),
      with: cipher.deriveKey(from: device, salt: salt, purpose: "locket device slot"),
      authenticating: identifier)
    for section in sections where section.tag == 2 {
      var key = Bytes(section.body)
      let head = key.take(5)
      let wrapping = key.take(1)
      guard wrapping == [1] else { continue }
      let outer = try cipher.deriveKey(from: userKey, salt: key.counted(), purpose: "locket key")
      var number = Bytes(head[...])
      keys[UInt32(number.number(4))] = try cipher.open(
        key.counted(), with: outer, authenticating: identifier + head + wrapping)
    }
    try openItem(in: try #require(payloads.last { $0.first == 2 }))
  }

  private mutating func openItem(in payload: ArraySlice<UInt8>) throws {
    var record = Bytes(payload.dropFirst(Self.recordCount))
    let salt = record.take(32)
    let number = UInt32(record.number(4))
    let count = Int(record.number(4))
    let sealed = record.take(count + 16)
    let attributes = try cipher.open(
      sealed[...],
      with: cipher.deriveKey(
        from: try #require(keys[number]), salt: salt[...], purpose: "locket attributes"),
      authenticating: identifier + payload.prefix(Self.recordCount + 32 + 8))
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
      let content = fields.countedWithCount()
      if (1...8).contains(tag[0]) { identityFields += tag + content }
    }
    let secret = record.take(secretCount)
    var keyNumber = Bytes(sealing[8...])
    let secretKey = try #require(keys[UInt32(keyNumber.number(4))])
    let padded = try cipher.open(
      secret[...],
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

/// A cursor over bytes.
struct Bytes {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

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

  mutating func countedWithCount() -> [UInt8] {
    let count = take(4)
    var number = Bytes(count[...])
    return count + take(Int(number.number(4)))
  }
}
