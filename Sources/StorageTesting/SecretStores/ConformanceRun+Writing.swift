import SecretStorage

// The checks of updates, removals and revisions, also through another instance.
extension ConformanceRun {
  func updatesChangeOnlyWhatIsGiven() throws {
    var item = try add(Self.fullIdentity)
    var secret = "secret"
    var revisions: Set = [item.revision]
    let other = ItemAttributes(
      label: "", comment: "other", itemDescription: "other", creator: 0, type: .max,
      isInvisible: false)
    let clearings: [(inout ItemAttributes) -> Void] = [
      { $0.label = nil }, { $0.comment = nil }, { $0.itemDescription = nil }, { $0.creator = nil },
      { $0.type = nil }, { $0.isInvisible = nil },
    ]
    var updates: [(attributes: ItemAttributes?, secret: String?)] = [
      (Self.attributes, nil), (nil, "new"), (other, "newest"), (nil, ""), (Self.attributes, nil),
    ]
    var cleared = Self.attributes
    for clear in clearings {
      clear(&cleared)
      updates.append((cleared, nil))
    }
    for (attributes, newSecret) in updates {
      let old = item
      item = try update(old, attributes, secret: newSecret.map { Secret($0) })
      secret = newSecret ?? secret
      expect(item.id == old.id, "update", "an unchanged identifier")
      expect(item.identity == old.identity, "update", "an unchanged identity")
      expect(item.creationDate == old.creationDate, "update", "an unchanged creation date")
      expect(
        item.modificationDate >= old.modificationDate, "update",
        "a modification date that does not decrease")
      expect(
        item.attributes == attributes ?? old.attributes, "update",
        attributes == nil ? "unchanged attributes" : "exactly the given attributes")
      expect(revisions.insert(item.revision).inserted, "update", "a revision that was never used")
      try expectItems([item], matching: .all, "the item that update returned")
      try expectSecret(
        secret, of: item, "update", newSecret == nil ? "an unchanged secret" : "the new secret")
    }
  }

  func staleWritesConflict() throws {
    let old = try add(Self.fullIdentity)
    let new = try update(old, secret: Secret("second"))
    let before = try content()
    expect(
      .conflict, "update that expects an old revision",
      try update(old, Self.attributes, secret: Secret([])))
    expect(.conflict, "remove that expects an old revision", try remove(old))
    expect(try content() == before, "a write that expects an old revision", "no change")
    try remove(new)
    expect(.conflict, "update of a removed item", try update(new, secret: Secret([1])))
    try expectItems([], matching: .all, "no items after an update of a removed one")
  }

  func removedItemIsGone() throws {
    let other = try add(.generic(service: "other"))
    let old = try add(Self.fullIdentity, Secret("old"), attributes: Self.attributes)
    for operation in ["remove", "remove of a removed item"] {
      try remove(old)
      try expectItems([other], matching: .all, "only the other item after remove")
      try expectSecret(nil, of: old, operation, "no secret")
      try expectSecret("secret", of: other, operation, "an unchanged secret of the other item")
    }
    let new = try add(Self.fullIdentity, Secret("new"))
    expect(new.id != old.id, "add after remove", "a new identifier")
    expect(
      new.attributes == ItemAttributes(), "add after remove", "no attributes of the removed item")
    try expectSecret("new", of: new, "add after remove", "the new secret")
    try expectSecret(nil, of: old, "add after remove", "no secret under the old identifier")
  }

  func storeRevisionChangesWithEachWrite() async throws {
    var seen: Set = [try store.revision()]
    try await writeInEachWay { operation throws(SecretStoreError) in
      let isNew = seen.insert(try store.revision()).inserted
      expect(isNew, "revision() after \(operation)", "a revision that was never used")
      _ = try content()
      expect(seen.contains(try store.revision()), "revision() after reads", "the same revision")
    }
  }

  func readingReturnsRevisions() throws {
    var item = try add(Self.fullIdentity)
    for index in 0..<3 {
      let reading = try store.secret(of: item.id)
      expect(reading?.itemRevision == item.revision, "secret(of:)", "the item's revision")
      expect(
        reading?.storeRevision == (try store.revision()), "secret(of:)", "the store's revision")
      if index == 0 { item = try update(item, secret: Secret([1])) }
      if index == 1 { try add(.generic(service: "another item")) }
    }
  }

  func otherInstanceSeesWrites() throws {
    // The other instance may keep this result, which the next write makes obsolete.
    try other.expectItems([], matching: .all, "no items")
    var revision = try otherInstance.revision()
    let item = try add(Self.fullIdentity, Secret("first"), attributes: Self.attributes)
    other.expect(
      try otherInstance.revision() != revision, "revision()", "a new revision after add")
    try other.expectItems([item], matching: .all, "the added item")

    revision = try otherInstance.revision()
    let updated = try update(item, secret: Secret("second"))
    let reading = try otherInstance.secret(of: item.id)
    other.expect(reading?.secret == Secret("second"), "secret(of:)", "the new secret")
    other.expect(reading?.storeRevision != revision, "secret(of:)", "a new store revision")
    other.expect(
      .conflict, "update with an old revision", try other.update(item, secret: Secret([])))
    other.expect(.duplicate, "add of the same identity", try other.add(Self.fullIdentity))

    try other.remove(updated)
    try expectItems([], matching: .all, "no items after remove in the other instance")
    try expectSecret(nil, of: item, "secret(of:)", "nil after remove in the other instance")
  }
}
