import Concurrency

/// A search for a password's item, with its result cached in the password's state.
struct ItemResolver: Sendable {
  let store: any SecretStore
  let query: ItemQuery
  /// The state of the password, which other threads read.
  let state: Lock<StoredPassword.State>
  /// Counts the changes of the store, if the password follows them.
  var observation: ChangeObservation?

  /// Returns the item that matches now.
  func item() throws(SecretStoreError) -> SecretItem? {
    // Read before the search: a stale revision only costs another search, whereas one that is too
    // new would hide a change.
    let revision = try store.revision()
    let known = state.withLock { $0.resolution }
    if known.revision == revision { return known.item }
    let item = try store.items(matching: query).first
    state.withLock { $0.resolution = ItemResolution(item: item, revision: revision) }
    return item
  }

  /// Returns the matching item and its secret, with one call of the store if it is unchanged.
  func reading(
    authorizedBy authorization: Authorization = .none
  ) throws(SecretStoreError) -> (item: SecretItem, secret: Secret)? {
    var first: (id: SecretItem.ID, reading: SecretReading)?
    let known = state.withLock { $0.resolution }
    if let item = known.item,
      let reading = try store.secret(of: item.id, authorizedBy: authorization)
    {
      if reading.storeRevision == known.revision { return (item, reading.secret) }
      first = (item.id, reading)
    }
    for _ in 0..<Self.attempts {
      guard let item = try item() else { return nil }
      if let first, first.id == item.id { return (item, first.reading.secret) }
      if let reading = try store.secret(of: item.id, authorizedBy: authorization) {
        return (item, reading.secret)
      }
      // Another writer removed the item between the search and the read.
      first = nil
      searchAgain()
    }
    throw .conflict
  }

  /// Runs a closure with the matching item, and retries when another writer changed it.
  func withItem<Result>(
    _ body: (SecretItem?) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    for _ in 1..<Self.attempts {
      do throws(SecretStoreError) {
        return try body(item())
      } catch {
        if error != .conflict && error != .duplicate { throw error }
        searchAgain()
      }
    }
    return try body(item())
  }

  /// Caches the item that a write returned; another one may match by now.
  func remember(_ written: SecretItem) {
    state.withLock { $0.resolution = ItemResolution(item: written) }
  }

  private func searchAgain() {
    state.withLock { $0.resolution.revision = nil }
  }

  /// A lost race means that another writer succeeded, so many in a row indicate a defective store.
  private static let attempts = 100
}

/// The result of the last search for an item, or of the last write.
struct ItemResolution: Sendable {
  /// Nil if there was none, and before the first search.
  var item: SecretItem?
  /// The store's revision before the search; nil if the next access must search again.
  var revision: StoreRevision?
}
