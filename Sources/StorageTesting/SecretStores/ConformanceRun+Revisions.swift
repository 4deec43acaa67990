import SecretStorage

// The checks of revisions, of items and of the store.
extension ConformanceRun {
  func itemRevisionChangesWithEachWrite() throws {
    var item = try add(Self.fullIdentity)
    var seen: Set = [item.revision]
    for _ in 0..<3 {
      for secret in [nil, Secret([1])] {
        item = try update(item, secret == nil ? item.attributes : nil, secret: secret)
        expect(seen.insert(item.revision).inserted, "update", "a revision that was never used")
      }
      try expectItems([item], matching: .all, "the revision that update returned")
    }
  }

  func storeRevisionChangesWithEachWrite() throws {
    var seen: Set = [try store.revision()]
    func expectNewRevision(after operation: String) throws {
      let isNew = seen.insert(try store.revision()).inserted
      expect(isNew, "revision() after \(operation)", "a revision that was never used")
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

  func readsKeepStoreRevision() throws {
    let item = try add(Self.fullIdentity)
    let before = try store.revision()
    _ = try items(matching: .all)
    _ = try secret(of: item)
    _ = try content()
    expect(try store.revision() == before, "revision() after reads", "the same revision as before")
  }

  func readingReturnsRevisions() throws {
    var item = try add(Self.fullIdentity)
    for _ in 0..<2 {
      let reading = try store.secret(of: item.id)
      expect(reading?.itemRevision == item.revision, "secret(of:)", "the item's revision")
      expect(
        reading?.storeRevision == (try store.revision()), "secret(of:)", "the store's revision")
      item = try update(item, secret: Secret([1]))
    }
    try add(.generic(service: "another item"))
    let reading = try store.secret(of: item.id)
    expect(
      reading?.storeRevision == (try store.revision()), "secret(of:)",
      "the store's revision after another item was added")
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
