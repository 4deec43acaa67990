import FoundationEssentials
import SecretStorage

extension Trial {
  func attributeUpdateKeepsSecret() throws {
    let item = try add(Self.full, "kept")
    try update(item, Self.attributes)
    expect(try secret(of: item) == Secret("kept".utf8), "update of attributes", "the same secret")
  }

  func secretUpdateKeepsAttributes() throws {
    let item = try add(Self.full, attributes: Self.attributes)
    let updated = try update(item, secret: Secret("new".utf8))
    expect(updated.attributes == Self.attributes, "update of the secret", "the same attributes")
    expect(try found(.all) == [updated], "update of the secret", "the item as update returned it")
    expect(try secret(of: item) == Secret("new".utf8), "update of the secret", "the new secret")
  }

  func updateChangesBoth() throws {
    let item = try add(Self.full)
    let updated = try update(item, Self.attributes, secret: Secret("new".utf8))
    expect(updated.attributes == Self.attributes, "update of both", "the new attributes")
    expect(try found(.all) == [updated], "update of both", "the item as update returned it")
    expect(try secret(of: item) == Secret("new".utf8), "update of both", "the new secret")
    let again = try store.update(
      item.id, expecting: updated.revision, attributes: nil, secret: Secret("newest".utf8))
    expect(
      try secret(of: again) == Secret("newest".utf8), "a second update", "its secret to be kept")
  }

  func updateKeepsNameAndIdentity() throws {
    let item = try add(Self.full)
    let updated = try update(item, Self.attributes, secret: Secret([]))
    expect(updated.id == item.id, "update", "the item to keep its name")
    expect(updated.identity == item.identity, "update", "the item to keep its identity")
  }

  func refusedUpdateChangesNothing() throws {
    let item = try add(Self.full, attributes: Self.attributes)
    let tooLarge = Secret(Array(repeating: 1, count: largestSecret + 1))
    let updated = try expectHonest(
      "update to \(largestSecret + 1) bytes", try update(item, ItemAttributes(), secret: tooLarge))
    expect(updated == nil, "update to \(largestSecret + 1) bytes", "a refusal")
  }

  func datesFollowWrites() throws {
    var item = try add(Self.full)
    let creation = item.creationDate
    expect(item.modificationDate >= creation, "add", "no modification before the creation")
    for (attributes, secret) in [(ItemAttributes(label: "new"), nil), (nil, Secret([1]))] {
      let updated = try update(item, attributes, secret: secret)
      expect(updated.creationDate == creation, "update", "the creation date to stay")
      expect(
        updated.modificationDate >= item.modificationDate, "update",
        "the modification date not to go back")
      expect(try found(.all) == [updated], "items(matching:)", "the dates that update returned")
      item = updated
    }
  }

  func staleUpdateConflicts() throws {
    let item = try add(Self.full)
    try update(item, secret: Secret("second".utf8))
    let before = try content()
    expect(
      .conflict, "update that expects an old revision",
      try update(item, Self.attributes, secret: Secret([])))
    expect(try content() == before, "update that expects an old revision", "nothing changed")
  }

  func staleRemovalConflicts() throws {
    let item = try add(Self.full)
    try update(item, secret: Secret("second".utf8))
    let before = try content()
    expect(
      .conflict, "remove that expects an old revision",
      try store.remove(item.id, expecting: item.revision))
    expect(try content() == before, "remove that expects an old revision", "nothing changed")
  }

  func updateOfRemovedItemConflicts() throws {
    let item = try add(Self.full)
    try store.remove(item.id, expecting: item.revision)
    expect(.conflict, "update of a removed item", try update(item, secret: Secret([1])))
    expect(try found(.all).isEmpty, "update of a removed item", "the item to stay removed")
    expect(try secret(of: item) == nil, "update of a removed item", "no secret to be there")
  }

  func removedItemIsGone() throws {
    let item = try add(Self.full)
    let other = try add(.generic(service: "other"))
    try store.remove(item.id, expecting: item.revision)
    expect(try found(.all) == [other], "remove", "the other items alone to be left")
    expect(try found(.exactly(Self.full)).isEmpty, "remove", "the identity to be absent")
    expect(try secret(of: item) == nil, "remove", "the secret to be gone")
    expect(try secret(of: other) != nil, "remove", "the other secret to be left")
  }

  func removingAbsentItemSucceeds() throws {
    let item = try add(Self.full)
    try store.remove(item.id, expecting: item.revision)
    do {
      try store.remove(item.id, expecting: item.revision)
    } catch {
      expect(false, "remove of a removed item", "a success, not \(error)")
    }
    expect(try found(.all).isEmpty, "remove of a removed item", "nothing changed")
  }

  func identityIsFreeAfterRemoval() throws {
    let old = try add(Self.full, "old", attributes: Self.attributes)
    try store.remove(old.id, expecting: old.revision)
    let new = try add(Self.full, "new")
    expect(new.id != old.id, "add after remove", "a new name for a new item")
    expect(
      new.attributes == ItemAttributes(), "add after remove", "nothing of the removed item's")
    expect(try secret(of: new) == Secret("new".utf8), "add after remove", "the new secret")
    expect(try secret(of: old) == nil, "add after remove", "nothing under the old name")
  }
}
