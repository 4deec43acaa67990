import SecretStorage

extension Trial {
  func secretsComeBackExactly() throws {
    let secrets: [[UInt8]] = [
      [], [0], Array(0...255), Array("line\nline\r\n".utf8), [0xff, 0xfe, 0x80], [65, 0, 66],
      Array(repeating: 7, count: 63), Array(repeating: 7, count: 64), Self.bytes(4096),
      Self.bytes(4097), Self.bytes(1024 * 1024),
    ]
    for (number, bytes) in secrets.enumerated() {
      let item = try store.add(
        Secret(bytes), identity: .generic(account: "\(number)"), attributes: ItemAttributes())
      expect(
        try secret(of: item) == Secret(bytes), "secret(of:)",
        "the \(bytes.count) bytes that were added")
    }
  }

  func largestSecretComesBack() throws {
    let large = Secret(Self.bytes(largestSecret))
    let item = try store.add(
      large, identity: .generic(account: "large"), attributes: ItemAttributes())
    expect(try secret(of: item) == large, "secret(of:)", "the \(largestSecret) bytes added")
    let small = try store.update(
      item.id, expecting: item.revision, attributes: nil, secret: Secret([1]))
    expect(try secret(of: small) == Secret([1]), "update", "the small secret after the large one")
  }

  func largerSecretIsRefused() throws {
    let tooLarge = Secret(Self.bytes(largestSecret + 1))
    let added = try expectHonest("add of \(largestSecret + 1) bytes") {
      () throws(SecretStoreError) in
      try store.add(
        tooLarge, identity: .generic(account: "too large"), attributes: ItemAttributes())
    }
    expect(added == nil, "add of \(largestSecret + 1) bytes", "a refusal")
  }

  func attributesComeBack() throws {
    let item = try add(Self.full, attributes: Self.attributes)
    expect(
      try found(.exactly(Self.full)).first?.attributes == Self.attributes, "add",
      "every attribute to come back")
    let other = ItemAttributes(
      label: "other", comment: "other", itemDescription: "other", creator: 0, type: .max,
      isInvisible: false)
    _ = try store.update(item.id, expecting: item.revision, attributes: other, secret: nil)
    expect(
      try found(.exactly(Self.full)).first?.attributes == other, "update",
      "every attribute as updated")
  }

  func nilClearsAnAttribute() throws {
    var item = try add(Self.full, attributes: Self.attributes)
    let clearings: [@Sendable (inout ItemAttributes) -> Void] = [
      { $0.label = nil }, { $0.comment = nil }, { $0.itemDescription = nil }, { $0.creator = nil },
      { $0.type = nil }, { $0.isInvisible = nil },
    ]
    for clear in clearings {
      var attributes = item.attributes
      clear(&attributes)
      item = try store.update(
        item.id, expecting: item.revision, attributes: attributes, secret: nil)
      expect(item.attributes == attributes, "update", "an attribute that is nil to be cleared")
      expect(
        try found(.exactly(Self.full)).first?.attributes == attributes, "items(matching: .exactly)",
        "the attribute to stay cleared, and the others to stay")
    }
  }

  func accessibilitiesAreKeptOrRefused() throws {
    for accessibility in Accessibility.allCases {
      let identity = ItemIdentity.generic(service: "\(accessibility)")
      let attributes = ItemAttributes(accessControl: AccessControl(accessibility))
      let added = try expectHonest("add with \(accessibility)") { () throws(SecretStoreError) in
        try add(identity, attributes: attributes)
      }
      expect(
        try found(.exactly(identity)).map(\.attributes) == (added == nil ? [] : [attributes]),
        "add with \(accessibility)", "the accessibility to come back if it was not refused")
      expect(
        added != nil || accessibility != .whenUnlocked, "add with whenUnlocked",
        "that what items have by default is not refused")
    }
  }

  func guaranteesAreStable() throws {
    let before = store.guarantees
    let item = try add(.generic(service: "service"))
    try store.remove(item.id, expecting: item.revision)
    expect(store.guarantees == before, "guarantees", "the same before and after writes")
    expect(another.guarantees == before, "guarantees", "the same of another instance")
  }
}

extension Trial {
  static let attributes = ItemAttributes(
    label: "label", comment: "comment", itemDescription: "description", creator: 0x6c6f_636b,
    type: 1, isInvisible: true)

  /// Bytes that repeat themselves at no power of two.
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
