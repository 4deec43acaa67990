import Concurrency

/// The search for the item of a password, with a result that is cached in the password's state.
struct ItemResolver: Sendable {
  let store: any SecretStore
  let query: ItemQuery
  let state: Lock<StoredPassword.State>
  /// The observation of the store, if the refresh policy needs it.
  var observation: ChangeObservation?

  /// Returns the item that currently matches.
  func item() throws(SecretStoreError) -> SecretItem? {
    // The revision is read before the search: a revision that is too old only causes another
    // search, but one that is too new would hide a change.
    let revision = try store.revision()
    let cached = state.withLock { $0.resolution }
    if cached.revision == revision { return cached.item }
    let item = try store.findFirstItem(matching: query)
    state.withLock { $0.resolution = ItemResolution(item: item, revision: revision) }
    return item
  }

  /// Returns the matching item and a reading of its secret.
  ///
  /// This takes one call to the store if nothing has changed.
  func reading(
    authorizedBy authorization: Authorization = .none
  ) throws(SecretStoreError) -> (item: SecretItem, reading: SecretReading)? {
    var first: (id: SecretItem.ID, reading: SecretReading)?
    let cached = state.withLock { $0.resolution }
    if let item = cached.item,
      let reading = try store.secret(of: item.id, authorizedBy: authorization)
    {
      if reading.storeRevision == cached.revision { return (item, reading) }
      first = (item.id, reading)
    }
    return try store.retrying { () throws(SecretStoreError) in
      guard let item = try item() else { return nil }
      if let first, first.id == item.id { return (item, first.reading) }
      if let reading = try store.secret(of: item.id, authorizedBy: authorization) {
        return (item, reading)
      }
      // Another writer removed the item after the search.
      first = nil
      invalidate()
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
        invalidate()
        throw error
      }
    }
  }

  /// Caches the item that a write has returned.
  func cache(_ written: SecretItem) {
    state.withLock { $0.resolution = ItemResolution(item: written) }
  }

  /// Makes the next access search again.
  private func invalidate() { state.withLock { $0.resolution.revision = nil } }
}

/// The result of the last search or write.
struct ItemResolution: Sendable {
  /// The item; nil if there was none, and before the first search.
  var item: SecretItem?
  /// The revision of the store before the search; nil if the next access must search again.
  var revision: StoreRevision?
}
