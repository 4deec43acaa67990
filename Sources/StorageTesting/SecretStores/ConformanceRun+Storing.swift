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
      Self.bytes(4097), Self.bytes(1024 * 1024),
    ]
    for (index, bytes) in secrets.enumerated() {
      let item = try store.add(
        Secret(bytes), identity: .generic(account: "\(index)"), attributes: ItemAttributes())
      expect(
        try secret(of: item) == Secret(bytes), "secret(of:)", "the \(bytes.count) added bytes")
    }
  }

  func largestSecretRoundTrips() throws {
    let large = Secret(Self.bytes(largestSecret))
    let item = try store.add(
      large, identity: .generic(account: "large"), attributes: ItemAttributes())
    expect(try secret(of: item) == large, "secret(of:)", "the \(largestSecret) added bytes")
    let updated = try update(item, secret: Secret([1]))
    expect(
      try secret(of: updated) == Secret([1]), "update", "a small secret in place of the large one")
  }

  func oversizedSecretIsRejected() throws {
    let operation = "add of \(largestSecret + 1) bytes"
    let secret = Secret(Self.bytes(largestSecret + 1))
    let item = try acceptedItem(
      operation,
      try store.add(
        secret, identity: .generic(account: "too large"), attributes: ItemAttributes()))
    expect(item == nil, operation, "a rejection")
  }

  func attributesRoundTrip() throws {
    let item = try add(Self.fullIdentity, attributes: Self.attributes)
    try expectAttributes(Self.attributes, "add", "the added attributes")
    let other = ItemAttributes(
      label: "other", comment: "other", itemDescription: "other", creator: 0, type: .max,
      isInvisible: false)
    try update(item, other)
    try expectAttributes(other, "update", "the updated attributes")
  }

  func nilClearsAttribute() throws {
    var item = try add(Self.fullIdentity, attributes: Self.attributes)
    let clearings: [@Sendable (inout ItemAttributes) -> Void] = [
      { $0.label = nil }, { $0.comment = nil }, { $0.itemDescription = nil }, { $0.creator = nil },
      { $0.type = nil }, { $0.isInvisible = nil },
    ]
    for clear in clearings {
      var attributes = item.attributes
      clear(&attributes)
      item = try update(item, attributes)
      let expectation = "only the attributes set to nil to be cleared"
      expect(item.attributes == attributes, "update", expectation)
      try expectAttributes(attributes, "items(matching:)", expectation)
    }
  }

  private func expectAttributes(
    _ expected: ItemAttributes, _ operation: String, _ expectation: String
  ) throws(SecretStoreError) {
    let found = try items(matching: .exactly(Self.fullIdentity)).first
    expect(found?.attributes == expected, operation, expectation)
  }

  func accessibilitiesRoundTripOrAreRejected() throws {
    for accessibility in Accessibility.allCases {
      let identity = ItemIdentity.generic(service: "\(accessibility)")
      let attributes = ItemAttributes(accessControl: AccessControl(accessibility))
      let operation = "add with \(accessibility)"
      let added = try acceptedItem(operation, try add(identity, attributes: attributes))
      expect(
        try items(matching: .exactly(identity)).map(\.attributes)
          == (added == nil ? [] : [attributes]),
        operation, "the accessibility, unless it was rejected")
      expect(
        added != nil || accessibility != .whenUnlocked, operation,
        "no rejection of the default accessibility")
    }
  }

  func guaranteesAreStable() throws {
    let before = store.guarantees
    try remove(try add(.generic(service: "service")))
    expect(store.guarantees == before, "guarantees", "the same guarantees after writes")
    expect(
      otherInstance.guarantees == before, "guarantees", "the same guarantees of another instance")
  }

  func equivalentStringsIdentifyOneItem() throws {
    let composed = ItemIdentity.generic(service: "caf\u{e9}")
    let decomposed = ItemIdentity.generic(service: "cafe\u{301}")
    let item = try add(composed)
    try expectItems(
      [item], matching: .exactly(decomposed), "the item with the canonically equivalent identity")
    expect(.duplicate, "add of an equivalent identity", try add(decomposed))
  }

  func unusualStringsRoundTrip() throws {
    let strings = [
      "two\nlines", "a/../b", "nul\0inside", "back\\slash", " spaces ", "👩‍👩‍👧‍👦", "\u{202e}left",
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

  func emptyStringIsNotNil() throws {
    let empty = try add(.generic(service: "service", account: ""))
    let absent = try add(.generic(service: "service"))
    try expectItems([empty], matching: .exactly(empty.identity), "the item with an empty account")
    try expectItems([absent], matching: .exactly(absent.identity), "the item without an account")
    let updated = try update(absent, ItemAttributes(label: ""))
    expect(updated.attributes.label == "", "update", "an empty label, not nil")
  }

  func longStringsRoundTripOrAreRejected() throws {
    for count in [60_000, 64 * 1024 + 1, 1_000_000] {
      let identity = ItemIdentity.generic(service: "service \(count)")
      let attributes = ItemAttributes(comment: String(repeating: "x", count: count))
      let added = try acceptedItem(
        "add of a comment of \(count) bytes", try add(identity, attributes: attributes))
      expect(
        try items(matching: .exactly(identity)).map(\.attributes)
          == (added == nil ? [] : [attributes]),
        "items(matching: .exactly)", "the comment of \(count) bytes, unless it was rejected")
    }
  }

  /// Returns bytes whose pattern does not repeat at a power of two.
  private static func bytes(_ count: Int) -> [UInt8] {
    var state: UInt32 = 1
    let pattern = (0..<65_521).map { _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(truncatingIfNeeded: state >> 24)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count { bytes += pattern.prefix(count - bytes.count) }
    return bytes
  }
}
