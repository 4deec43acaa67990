import SecretStorage

// The checks that secrets, attributes and strings are returned as they were stored.
extension ConformanceRun {
  static let attributes = ItemAttributes(
    label: "label", comment: "comment", itemDescription: "description", creator: 0x6c6f_636b,
    type: 1, isInvisible: true)

  func secretsRoundTrip() throws {
    let secrets: [[UInt8]] = [
      [], [0], Array(0...255), Array("line\nline\r\n".utf8), [0xff, 0xfe, 0x80], [65, 0, 66],
      Array(repeating: 7, count: 63), Array(repeating: 7, count: 64), Self.bytes(4096),
      Self.bytes(4097), Self.bytes(1024 * 1024), Self.bytes(largestSecret),
    ]
    var item = try add(Self.fullIdentity)
    for (index, bytes) in secrets.enumerated() {
      let secret = Secret(bytes)
      let added = try store.add(
        secret, identity: .generic(account: "\(index)"), attributes: ItemAttributes())
      item = try update(item, secret: secret)
      for (item, operation) in [(added, "add"), (item, "update")] {
        expect(try self.secret(of: item) == secret, operation, "the \(bytes.count) given bytes")
      }
    }
  }

  func oversizedSecretIsRejected() throws {
    let tooLarge = Secret(Self.bytes(largestSecret + 1))
    let item = try add(Self.fullIdentity, attributes: Self.attributes)
    let operation = "write of \(tooLarge.count) bytes"
    let added = try acceptedItem(
      operation,
      try store.add(tooLarge, identity: .generic(), attributes: ItemAttributes()))
    let updated = try acceptedItem(operation, try update(item, ItemAttributes(), secret: tooLarge))
    expect(added == nil && updated == nil, operation, "a rejection")
  }

  func accessibilitiesRoundTripOrAreRejected() throws {
    for accessibility in Accessibility.allCases {
      let isAdded = try roundTripsOrIsRejected(
        ItemAttributes(accessControl: AccessControl(accessibility)), "\(accessibility)")
      expect(
        isAdded || accessibility != .whenUnlocked, "add",
        "no rejection of the default accessibility")
    }
  }

  func longStringsRoundTripOrAreRejected() throws {
    for count in [60_000, 64 * 1024 + 1, 1_000_000] {
      let attributes = ItemAttributes(comment: String(repeating: "x", count: count))
      _ = try roundTripsOrIsRejected(attributes, "a comment of \(count) bytes")
    }
  }

  /// Expects an item with attributes to be stored unchanged or rejected; true if it was added.
  private func roundTripsOrIsRejected(
    _ attributes: ItemAttributes, _ name: String
  ) throws(SecretStoreError) -> Bool {
    let identity = ItemIdentity.generic(service: name)
    let item = try acceptedItem("add with \(name)", try add(identity, attributes: attributes))
    let found = try items(matching: .exactly(identity)).map(\.attributes)
    expect(
      found == (item == nil ? [] : [attributes]), "add with \(name)",
      "the given attributes, unless they were rejected")
    return item != nil
  }

  func guaranteesAreStable() throws {
    let before = store.guarantees
    try remove(try add(.generic(service: "service")))
    expect(store.guarantees == before, "guarantees", "the same guarantees after writes")
    expect(
      otherInstance.guarantees == before, "guarantees", "the same guarantees of another instance")
  }

  func unusualStringsRoundTrip() throws {
    let strings = [
      "", "two\nlines", "a/../b", "nul\0inside", "back\\slash", " spaces ", "👩‍👩‍👧‍👦", "\u{202e}left",
      "\"quoted\"", "%s%n", "[section]", String(repeating: "x", count: 10_000),
    ]
    for string in strings {
      let identity = ItemIdentity.generic(service: string, account: string)
      let attributes = ItemAttributes(label: string, comment: string, itemDescription: string)
      let item = try add(identity, string, attributes: attributes)
      let found = try items(matching: .exactly(identity))
      expect(
        found == [item] && found.first?.identity == identity
          && found.first?.attributes == attributes,
        "items(matching: .exactly)", "unchanged identity and attributes with unusual strings")
      try expectSecret(
        string, of: item, "secret(of:)", "the secret of the item with unusual strings")
    }
    expect(
      try items(matching: .all).count == strings.count, "items(matching: .all)",
      "one item for each string")
  }

  /// Returns bytes whose pattern does not repeat at a power of two.
  private static func bytes(_ count: Int) -> [UInt8] {
    let pattern = (0..<65_521).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 24) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count { bytes += pattern.prefix(count - bytes.count) }
    return bytes
  }
}
