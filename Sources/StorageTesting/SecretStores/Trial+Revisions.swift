import SecretStorage

extension Trial {
  func itemRevisionChangesWithEachWrite() throws {
    var item = try add(Self.full)
    var seen: Set = [item.revision]
    for _ in 0..<3 {
      item = try update(item, item.attributes)
      expect(seen.insert(item.revision).inserted, "update", "a revision that was not there before")
      item = try update(item, secret: Secret([1]))
      expect(seen.insert(item.revision).inserted, "update", "a revision that was not there before")
      expect(try found(.all) == [item], "items(matching:)", "the revision that update returned")
    }
  }

  func storeRevisionChangesWithEachWrite() throws {
    var seen: Set = [try store.revision()]
    func expectNew(_ operation: String) throws {
      let isNew = seen.insert(try store.revision()).inserted
      expect(isNew, "revision() after \(operation)", "one that was not there before")
    }
    var item = try add(Self.full)
    try expectNew("add")
    item = try update(item, ItemAttributes(label: "new"))
    try expectNew("update of attributes")
    item = try update(item, secret: Secret([1]))
    try expectNew("update of the secret")
    try store.remove(item.id, expecting: item.revision)
    try expectNew("remove")
  }

  func storeRevisionStaysThroughReads() throws {
    let item = try add(Self.full)
    let before = try store.revision()
    _ = try found(.all)
    _ = try secret(of: item)
    _ = try content()
    expect(try store.revision() == before, "revision() after reads", "the same as before")
  }

  func readingTellsRevisions() throws {
    var item = try add(Self.full)
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
      "the store's revision after the write of another item")
  }

  func anotherInstanceSeesWrites() throws {
    // Read both instances first, to fill their caches.
    expect(try another.items(matching: .all).isEmpty, "items(matching:) of another", "no item")
    var revision = try another.revision()
    let item = try add(Self.full, "first", attributes: Self.attributes)
    expect(try another.revision() != revision, "revision() of another", "a change by add")
    expect(try another.items(matching: .all) == [item], "items(matching:) of another", "the item")

    revision = try another.revision()
    let updated = try update(item, secret: Secret("second".utf8))
    let reading = try another.secret(of: item.id)
    expect(
      reading?.secret == Secret("second".utf8), "secret(of:) of another", "the updated secret")
    expect(reading?.storeRevision != revision, "secret(of:) of another", "a new store revision")
    expect(
      .conflict, "update of another with an old revision",
      try another.update(
        item.id, expecting: item.revision, attributes: nil, secret: Secret([])))
    expect(
      .duplicate, "add of another with the same identity",
      try another.add(Secret([]), identity: Self.full, attributes: ItemAttributes()))

    try another.remove(item.id, expecting: updated.revision)
    expect(try found(.all).isEmpty, "remove by another", "no item left")
    expect(try secret(of: item) == nil, "remove by another", "no secret left")
  }
}
