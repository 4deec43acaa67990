/// Finds the item that a password means, and remembers it for as long as the store stays the same.
struct ItemResolver: Sendable {
  private struct Resolution {
    /// Nil when the search found nothing.
    var item: SecretItem?
    /// The store's content before the search, or nil when the item comes from a write.
    var revision: StoreRevision?
  }

  let store: any SecretStore
  let query: ItemQuery
  private var known: Resolution?

  init(store: any SecretStore, query: ItemQuery) {
    self.store = store
    self.query = query
  }

  /// The item that is meant now.
  mutating func item() throws(SecretStoreError) -> SecretItem? {
    // Taken before the search: a revision that is too old costs a search, one that is too new would
    // hide a change.
    let revision = try store.revision()
    if let known, known.revision == revision { return known.item }
    let item = try store.items(matching: query).first
    known = Resolution(item: item, revision: revision)
    return item
  }

  /// The item that is meant now and its secret: one call of the store if nothing changed.
  mutating func reading(
    authorizedBy authorization: Authorization = .none
  ) throws(SecretStoreError) -> (item: SecretItem, secret: Secret)? {
    var first: (id: SecretItem.ID, reading: SecretReading)?
    if let known, let item = known.item, let reading = try read(item, authorization) {
      if reading.storeRevision == known.revision { return (item, reading.secret) }
      first = (item.id, reading)
    }
    for _ in 0..<attempts {
      guard let item = try item() else { return nil }
      if let first, first.id == item.id { return (item, first.reading.secret) }
      if let reading = try read(item, authorization) { return (item, reading.secret) }
      // Somebody removed the item between the search and the reading.
      first = nil
      known = nil
    }
    throw .conflict
  }

  /// Does something with the item that is meant now, again if others changed it meanwhile.
  mutating func withItem<Result>(
    _ body: (SecretItem?) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    for _ in 1..<attempts {
      do throws(SecretStoreError) {
        return try body(item())
      } catch {
        if error != .conflict && error != .duplicate { throw error }
        known = nil
      }
    }
    return try body(item())
  }

  /// Takes an item as it is after a write.
  mutating func remember(_ written: SecretItem) {
    known = Resolution(item: written, revision: nil)
  }

  mutating func forget() {
    known = nil
  }

  private func read(
    _ item: SecretItem, _ authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    try store.secret(of: item.id, authorizedBy: authorization)
  }

  /// Each lost race is another's success, so that many in a row mean a store that does not work.
  private var attempts: Int { 100 }
}
