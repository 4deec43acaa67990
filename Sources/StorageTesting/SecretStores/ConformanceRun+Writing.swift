import SecretStorage

// The checks of updates and removals.
extension ConformanceRun {
  func attributeUpdateKeepsSecret() throws {
    let item = try add(Self.fullIdentity, "kept")
    try update(item, Self.attributes)
    try expectSecret("kept", of: item, "update of attributes", "an unchanged secret")
  }

  func secretUpdateKeepsAttributes() throws {
    let item = try add(Self.fullIdentity, attributes: Self.attributes)
    let updated = try update(item, secret: Secret("new".utf8))
    expect(updated.attributes == Self.attributes, "update of the secret", "unchanged attributes")
    try expectItems([updated], matching: .all, "the item that update returned")
    try expectSecret("new", of: item, "update of the secret", "the new secret")
  }

  func updateChangesBoth() throws {
    let item = try add(Self.fullIdentity)
    let updated = try update(item, Self.attributes, secret: Secret("new".utf8))
    expect(updated.attributes == Self.attributes, "update of both", "the new attributes")
    try expectItems([updated], matching: .all, "the item that update returned")
    try expectSecret("new", of: item, "update of both", "the new secret")
    let again = try update(updated, secret: Secret("newest".utf8))
    try expectSecret("newest", of: again, "second update", "its secret")
  }

  func updateKeepsIDAndIdentity() throws {
    let item = try add(Self.fullIdentity)
    let updated = try update(item, Self.attributes, secret: Secret([]))
    expect(updated.id == item.id, "update", "an unchanged identifier")
    expect(updated.identity == item.identity, "update", "an unchanged identity")
  }

  func rejectedUpdateChangesNothing() throws {
    let item = try add(Self.fullIdentity, attributes: Self.attributes)
    let operation = "update to \(largestSecret + 1) bytes"
    let tooLarge = Secret(Array(repeating: 1, count: largestSecret + 1))
    let updated = try acceptedItem(operation, try update(item, ItemAttributes(), secret: tooLarge))
    expect(updated == nil, operation, "a rejection")
  }

  func datesAreConsistent() throws {
    var item = try add(Self.fullIdentity)
    let creation = item.creationDate
    expect(item.modificationDate >= creation, "add", "no modification before the creation")
    for (attributes, secret) in [(ItemAttributes(label: "new"), nil), (nil, Secret([1]))] {
      let updated = try update(item, attributes, secret: secret)
      expect(updated.creationDate == creation, "update", "an unchanged creation date")
      expect(
        updated.modificationDate >= item.modificationDate, "update",
        "a modification date that does not decrease")
      try expectItems([updated], matching: .all, "the dates that update returned")
      item = updated
    }
  }

  func staleUpdateConflicts() throws {
    try expectConflict("update that expects an old revision") { item throws(SecretStoreError) in
      try update(item, Self.attributes, secret: Secret([]))
    }
  }

  func staleRemovalConflicts() throws {
    try expectConflict("remove that expects an old revision", of: remove)
  }

  /// Expects a write with an outdated revision to fail with a conflict and to change nothing.
  private func expectConflict<Result>(
    _ operation: String, of write: (SecretItem) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) {
    let item = try add(Self.fullIdentity)
    try update(item, secret: Secret("second".utf8))
    let before = try content()
    expect(.conflict, operation, try write(item))
    expect(try content() == before, operation, "no change")
  }

  func updateOfRemovedItemConflicts() throws {
    let item = try add(Self.fullIdentity)
    try remove(item)
    expect(.conflict, "update of a removed item", try update(item, secret: Secret([1])))
    try expectItems([], matching: .all, "no items after an update of a removed one")
    try expectSecret(nil, of: item, "update of a removed item", "no secret")
  }

  func removedItemIsGone() throws {
    let item = try add(Self.fullIdentity)
    let other = try add(.generic(service: "other"))
    try remove(item)
    try expectItems([other], matching: .all, "only the other item after remove")
    try expectItems([], matching: .exactly(Self.fullIdentity), "no items with the removed identity")
    try expectSecret(nil, of: item, "remove", "no secret")
    try expectSecret("secret", of: other, "remove", "an unchanged secret of the other item")
  }

  func removingAbsentItemSucceeds() throws {
    let item = try add(Self.fullIdentity)
    try remove(item)
    do {
      try remove(item)
    } catch {
      expect(false, "remove of a removed item", "a success, but got the error “\(error)”")
    }
    try expectItems([], matching: .all, "no items after the second remove")
  }

  func removedIdentityCanBeAddedAgain() throws {
    let old = try add(Self.fullIdentity, "old", attributes: Self.attributes)
    try remove(old)
    let new = try add(Self.fullIdentity, "new")
    expect(new.id != old.id, "add after remove", "a new identifier")
    expect(
      new.attributes == ItemAttributes(), "add after remove", "no attributes of the removed item")
    try expectSecret("new", of: new, "add after remove", "the new secret")
    try expectSecret(nil, of: old, "add after remove", "no secret under the old identifier")
  }
}
