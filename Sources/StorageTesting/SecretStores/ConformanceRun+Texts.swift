import SecretStorage

extension ConformanceRun {
  func equivalentTextsNameOneItem() throws {
    let composed = ItemIdentity.generic(service: "caf\u{e9}")
    let decomposed = ItemIdentity.generic(service: "cafe\u{301}")
    let item = try add(composed)
    try expectItems(
      [item], matching: .exactly(decomposed), "the item with the canonically equivalent name")
    expect(.duplicate, "add of an equivalent name", try add(decomposed))
  }

  func unusualTextsRoundTrip() throws {
    let texts = [
      "two\nlines", "a/../b", "nul\0inside", "back\\slash", " spaces ", "👩‍👩‍👧‍👦", "\u{202e}left",
      "\"quoted\"", "%s%n", "[section]", String(repeating: "x", count: 10_000),
    ]
    for text in texts {
      let identity = ItemIdentity.generic(service: text, account: text)
      let attributes = ItemAttributes(label: text, comment: text, itemDescription: text)
      let item = try add(identity, text, attributes: attributes)
      let found = try found(.exactly(identity))
      expect(
        found == [item] && found.first?.identity == identity
          && found.first?.attributes == attributes,
        "items(matching: .exactly)", "unchanged identity and attributes with unusual texts")
      try expectSecret(text, of: item, "secret(of:)", "the secret of the item with unusual texts")
    }
    expect(try found(.all).count == texts.count, "items(matching: .all)", "one item for each text")
  }

  func emptyTextIsNotNil() throws {
    let empty = try add(.generic(service: "service", account: ""))
    let absent = try add(.generic(service: "service"))
    try expectItems([empty], matching: .exactly(empty.identity), "the item with an empty account")
    try expectItems([absent], matching: .exactly(absent.identity), "the item without an account")
    let updated = try update(absent, ItemAttributes(label: ""))
    expect(updated.attributes.label == "", "update", "an empty label, not nil")
  }

  func longTextsRoundTripOrAreRejected() throws {
    for count in [60_000, 64 * 1024 + 1, 1_000_000] {
      let identity = ItemIdentity.generic(service: "service \(count)")
      let attributes = ItemAttributes(comment: String(repeating: "x", count: count))
      let added = try acceptedItem(
        "add of a comment of \(count) bytes", try add(identity, attributes: attributes))
      expect(
        try found(.exactly(identity)).map(\.attributes) == (added == nil ? [] : [attributes]),
        "items(matching: .exactly)", "the comment of \(count) bytes, unless it was rejected")
    }
  }
}
