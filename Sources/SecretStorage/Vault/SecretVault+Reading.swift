import Concurrency

extension SecretVault {
  /// Returns the revision of the vault's current content, including changes of other processes.
  ///
  /// If nothing changed, the cost is one `stat`.
  ///
  /// - Throws: ``SecretStoreError`` when the vault cannot be read.
  public func revision() throws(SecretStoreError) -> StoreRevision {
    try read { contents throws(SecretStoreError) in contents.revision }
  }

  /// Returns the items that match a query, the oldest first.
  ///
  /// - Complexity: Linear in the number of items that have the query's service or server and, if it
  ///   names one, its account; linear in all items when it names neither service nor server, and
  ///   for the first searches of this object.
  /// - Throws: ``SecretStoreError/locked`` or ``SecretStoreError/corrupted(_:)`` when the result
  ///   may be incomplete.
  public func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    try read { contents throws(SecretStoreError) in
      let found = contents.index.items(matching: query)
      for item in found {
        if let place = contents.damage[item.id] { throw .doubt(of: item.id, place) }
      }
      // Identities are unique, so one match of a complete identity is the whole result.
      if found.count == 1, query.namesOneItem { return found }
      if contents.sealedRecords > 0 || contents.isCandidate { throw contents.keys.lockReason }
      if let place = contents.damage.hiding {
        throw .corrupted("The vault may have had more items: it is damaged at \(place)")
      }
      return found
    }
  }

  /// Reads the secret of an item.
  ///
  /// An application password takes as long to check as its item's cost states, once for each
  /// context.
  ///
  /// - Throws: ``SecretStoreError/locked``, ``SecretStoreError/otherDevice(_:)`` or
  ///   ``SecretStoreError/corrupted(_:)`` when the item exists but cannot be opened;
  ///   ``SecretStoreError/denied(_:)`` or ``SecretStoreError/wrongApplicationPassword`` when the
  ///   authorisation does not satisfy the item's access flags.
  public func secret(
    of id: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    try open(id, for: .reading, authorizedBy: authorization)
  }

  /// Returns every readable item, even if the rest of the vault is damaged.
  ///
  /// An item whose newest state may be lost is returned in the newest state that is left. Use this
  /// to recover data. To look up an item, use ``items(matching:)``, which never returns an old
  /// state. Items with access flags are left out, because each needs its proof.
  ///
  /// - Throws: ``SecretStoreError/locked`` when the vault was never unlocked, or
  ///   ``SecretStoreError/replaced(_:)`` when it was removed.
  public func salvageableItems() throws -> [(item: SecretItem, secret: Secret)] {
    return try withContents { contents throws(SecretStoreError) in
      _ = try contents.knownTable()
      if contents.sealedRecords > 0 { throw contents.keys.lockReason }
      var readable: [(item: SecretItem, secret: Secret)] = []
      let items = Array(contents.index.items) + contents.overwritten.values
      for item in items where item.accessControl.flags.isEmpty {
        do {
          readable.append((item.decoded, try contents.open(item)))
          contents.idle?.noteUse()
        } catch {
          // This item cannot be recovered; `verify()` names it.
        }
      }
      return readable.sorted { SecretItem.isOlder($0.item, $1.item) }
    }
  }

  /// Calls a closure with the newest contents, unless they are not trusted.
  func read<Result: Sendable>(
    _ body: (inout VaultContents) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    try withContents { contents throws(SecretStoreError) in
      if let distrust = contents.distrust { throw distrust }
      return try body(&contents)
    }
  }

  /// Calls a closure with the contents, after reading records that other writers appended.
  func withContents<Result: Sendable>(
    _ body: (inout VaultContents) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    let parts = try parts
    var isNewlyLocked = false
    // After the lock is released, because observers may use the vault.
    defer { if isNewlyLocked { announce() } }
    return try contents.withLock { contents throws(SecretStoreError) in
      isNewlyLocked = contents.lockIfIdle()
      try contents.refresh(from: parts)
      contents.rememberOthers(in: parts)
      for error in contents.newDiscoveries() { report(SecretStorageFailure(.upkeep, error)) }
      return try body(&contents)
    }
  }
}

extension ItemQuery {
  /// Whether at most one item can match, because every part of its identity is given.
  fileprivate var namesOneItem: Bool {
    switch self {
    case .all: false
    case .exactly: true
    case .matching(let pattern):
      pattern.presentParts.count == (pattern.itemClass == .generic ? 2 : 7)
    }
  }
}
