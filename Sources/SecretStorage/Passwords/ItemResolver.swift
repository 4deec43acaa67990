import Concurrency

/// The search for the item of a password, whose result is cached in the state of the password.
struct ItemResolver: Sendable {
  let store: any SecretStore
  let query: ItemQuery
  let state: Lock<StoredPassword.State>
  /// The observation of the store, if the refresh policy needs it.
  var observation: ChangeObservation?

  /// Returns the item that currently matches.
  func item() throws(SecretStoreError) -> SecretItem? {
    // The revision is read before the search, because one that is too old only causes another
    // search, whereas one that is too new would hide a change.
    let revision = try store.revision()
    let known = state.withLock { $0.resolution }
    if known.revision == revision { return known.item }
    let item = try store.items(matching: query).first
    state.withLock { $0.resolution = ItemResolution(item: item, revision: revision) }
    return item
  }

  /// Returns the matching item and its secret, with one call of the store if nothing has changed.
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
    return try store.retrying { () throws(SecretStoreError) in
      guard let item = try item() else { return nil }
      if let first, first.id == item.id { return (item, first.reading.secret) }
      if let reading = try store.secret(of: item.id, authorizedBy: authorization) {
        return (item, reading.secret)
      }
      // Another writer removed the item after the search.
      first = nil
      searchAgain()
      throw .conflict
    }
  }

  /// Calls a closure with the matching item, and retries if another writer has changed the item.
  func withItem<Result>(
    _ body: (SecretItem?) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    try store.retrying { () throws(SecretStoreError) in
      do throws(SecretStoreError) {
        return try body(item())
      } catch {
        searchAgain()
        throw error
      }
    }
  }

  /// Caches the item that a write has returned.
  func remember(_ written: SecretItem) {
    state.withLock { $0.resolution = ItemResolution(item: written) }
  }

  private func searchAgain() {
    state.withLock { $0.resolution.revision = nil }
  }
}

/// The result of the last search or write.
struct ItemResolution: Sendable {
  /// The item; nil if there was none, and before the first search.
  var item: SecretItem?
  /// The revision of the store before the search; nil if the next access must search again.
  var revision: StoreRevision?
}

/// The meaning of a part that the identity of a password omits.
public enum ItemMatch: Hashable, Sendable {
  /// The part may have any value. If several items match, the oldest one is used.
  case any
  /// The part must be absent.
  case exact
}
