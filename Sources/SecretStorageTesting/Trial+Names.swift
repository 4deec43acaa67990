import SecretStorage

extension Trial {
  func equivalentSpellingsAreOneName() throws {
    let composed = ItemIdentity.generic(service: "caf\u{e9}")
    let decomposed = ItemIdentity.generic(service: "cafe\u{301}")
    let item = try add(composed)
    expect(
      try found(.exactly(decomposed)) == [item], "items(matching: .exactly)",
      "a name to be found however its accent was typed")
    expect(.duplicate, "add of an equivalent spelling") { () throws(SecretStoreError) in
      try add(decomposed)
    }
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
    let updated = try store.update(
      absent.id, expecting: absent.revision, attributes: ItemAttributes(label: ""), secret: nil)
    expect(updated.attributes.label == "", "update", "an empty label, not an absent one")
  }

  func longTextsAreKeptOrRefused() throws {
    for count in [60_000, 64 * 1024 + 1, 1_000_000] {
      let identity = ItemIdentity.generic(service: "service \(count)")
      let attributes = ItemAttributes(comment: String(repeating: "x", count: count))
      let added = try expectHonest("add of a comment of \(count) bytes") {
        () throws(SecretStoreError) in
        try add(identity, attributes: attributes)
      }
      let found = try found(.exactly(identity))
      expect(
        found.map(\.attributes) == (added == nil ? [] : [attributes]), "items(matching: .exactly)",
        "the comment of \(count) bytes if it was not refused")
    }
  }
}
