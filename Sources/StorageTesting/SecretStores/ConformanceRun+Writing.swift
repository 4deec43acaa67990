import SecretStorage

// The checks of updates, removals and revisions.
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
      item = try update(old, attributes, secret: newSecret.map { Secret($0.utf8) })
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
    let new = try update(old, secret: Secret("second".utf8))
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
    let old = try add(Self.fullIdentity, "old", attributes: Self.attributes)
    for operation in ["remove", "remove of a removed item"] {
      do {
        try remove(old)
      } catch {
        expect(false, operation, "a success, but got the error “\(error)”")
      }
      try expectItems([other], matching: .all, "only the other item after remove")
      try expectSecret(nil, of: old, operation, "no secret")
      try expectSecret("secret", of: other, operation, "an unchanged secret of the other item")
    }
    let new = try add(Self.fullIdentity, "new")
    expect(new.id != old.id, "add after remove", "a new identifier")
    expect(
      new.attributes == ItemAttributes(), "add after remove", "no attributes of the removed item")
    try expectSecret("new", of: new, "add after remove", "the new secret")
    try expectSecret(nil, of: old, "add after remove", "no secret under the old identifier")
  }

  func storeRevisionChangesWithEachWrite() throws {
    var seen: Set = [try store.revision()]
    func expectNewRevision(after operation: String) throws {
      let isNew = seen.insert(try store.revision()).inserted
      expect(isNew, "revision() after \(operation)", "a revision that was never used")
      _ = try content()
      expect(seen.contains(try store.revision()), "revision() after reads", "the same revision")
    }
    var item = try add(Self.fullIdentity)
    try expectNewRevision(after: "add")
    item = try update(item, ItemAttributes(label: "new"))
    try expectNewRevision(after: "update of attributes")
    item = try update(item, secret: Secret([1]))
    try expectNewRevision(after: "update of the secret")
    try remove(item)
    try expectNewRevision(after: "remove")
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
    let other = otherInstance
    // Fills the caches of both instances.
    expect(try other.items(matching: .all).isEmpty, "items(matching:), other instance", "no items")
    var revision = try other.revision()
    let item = try add(Self.fullIdentity, "first", attributes: Self.attributes)
    expect(
      try other.revision() != revision, "revision(), other instance", "a new revision after add")
    expect(
      try other.items(matching: .all) == [item], "items(matching:), other instance",
      "the added item")

    revision = try other.revision()
    let updated = try update(item, secret: Secret("second".utf8))
    let reading = try other.secret(of: item.id)
    expect(
      reading?.secret == Secret("second".utf8), "secret(of:), other instance", "the new secret")
    expect(
      reading?.storeRevision != revision, "secret(of:), other instance", "a new store revision")
    expect(
      .conflict, "update with an old revision, other instance",
      try other.update(item.id, expecting: item.revision, attributes: nil, secret: Secret([])))
    expect(
      .duplicate, "add of the same identity, other instance",
      try other.add(Secret([]), identity: Self.fullIdentity, attributes: ItemAttributes()))

    try other.remove(item.id, expecting: updated.revision)
    try expectItems([], matching: .all, "no items after remove in the other instance")
    try expectSecret(nil, of: item, "secret(of:)", "nil after remove in the other instance")
  }
}
