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
    let small = try update(item, secret: Secret([1]))
    expect(try secret(of: small) == Secret([1]), "update", "the small secret after the large one")
  }

  func largerSecretIsRefused() throws {
    let tooLarge = Secret(Self.bytes(largestSecret + 1))
    let added = try expectHonest(
      "add of \(largestSecret + 1) bytes",
      try store.add(
        tooLarge, identity: .generic(account: "too large"), attributes: ItemAttributes()))
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
    try update(item, other)
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
      item = try update(item, attributes)
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
      let added = try expectHonest(
        "add with \(accessibility)", try add(identity, attributes: attributes))
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

  /// Returns bytes that do not repeat at a power of two.
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

extension Trial {
  func equivalentSpellingsAreOneName() throws {
    let composed = ItemIdentity.generic(service: "caf\u{e9}")
    let decomposed = ItemIdentity.generic(service: "cafe\u{301}")
    let item = try add(composed)
    expect(
      try found(.exactly(decomposed)) == [item], "items(matching: .exactly)",
      "a name to be found however its accent was typed")
    expect(.duplicate, "add of an equivalent spelling", try add(decomposed))
  }

  func unusualNamesComeBack() throws {
    let names = [
      "two\nlines", "a/../b", "nul\0inside", "back\\slash", " spaces ", "👩‍👩‍👧‍👦", "\u{202e}left",
      "\"quoted\"", "%s%n", "[section]", String(repeating: "x", count: 10_000),
    ]
    for name in names {
      let identity = ItemIdentity.generic(service: name, account: name)
      let attributes = ItemAttributes(label: name, comment: name, itemDescription: name)
      let item = try add(identity, name, attributes: attributes)
      let found = try found(.exactly(identity))
      expect(
        found == [item] && found.first?.identity == identity
          && found.first?.attributes == attributes,
        "items(matching: .exactly)", "identity and attributes as added, for an unusual text")
      expect(
        try secret(of: item) == Secret(name.utf8), "secret(of:)", "the secret of an unusual name")
    }
    expect(try found(.all).count == names.count, "items(matching: .all)", "one item per name")
  }

  func emptyNameIsNotAbsent() throws {
    let empty = try add(.generic(service: "service", account: ""))
    let absent = try add(.generic(service: "service"))
    expect(
      try found(.exactly(.generic(service: "service", account: ""))) == [empty],
      "items(matching: .exactly)", "the item whose account is empty")
    expect(
      try found(.exactly(.generic(service: "service"))) == [absent], "items(matching: .exactly)",
      "the item without an account")
    let updated = try update(absent, ItemAttributes(label: ""))
    expect(updated.attributes.label == "", "update", "an empty label, not an absent one")
  }

  func longTextsAreKeptOrRefused() throws {
    for count in [60_000, 64 * 1024 + 1, 1_000_000] {
      let identity = ItemIdentity.generic(service: "service \(count)")
      let attributes = ItemAttributes(comment: String(repeating: "x", count: count))
      let added = try expectHonest(
        "add of a comment of \(count) bytes", try add(identity, attributes: attributes))
      let found = try found(.exactly(identity))
      expect(
        found.map(\.attributes) == (added == nil ? [] : [attributes]), "items(matching: .exactly)",
        "the comment of \(count) bytes if it was not refused")
    }
  }
}
