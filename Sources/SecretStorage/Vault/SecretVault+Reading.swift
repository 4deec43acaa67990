import StorageInternals

extension SecretVault {
  /// Identifies the vault's present content, after looking whether another process changed it.
  ///
  /// The price is one `stat` when nothing changed.
  ///
  /// - Throws: ``SecretStoreError`` when the vault cannot be read.
  public func revision() throws(SecretStoreError) -> StoreRevision {
    try read { contents throws(SecretStoreError) in contents.revision }
  }

  /// Finds the items that a query means, the oldest first.
  ///
  /// - Complexity: Linear in the number of items that have the query's service or server and, if it
  ///   names one, its account; linear in all items when it names neither service nor server, and for
  ///   the first searches of this object.
  /// - Throws: ``SecretStoreError/locked`` or ``SecretStoreError/corrupted(_:)`` when the search could
  ///   not be complete.
  public func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    try read { contents throws(SecretStoreError) in
      let found = contents.index.items(matching: query)
      for item in found {
        if let place = contents.damage[item.id] { throw .doubt(of: item.id, place) }
      }
      // Identities are unique, so who asks for a complete one and finds it has found everything.
      if found.count == 1, query.namesOneItem { return found }
      if contents.sealedRecords > 0 { throw contents.keys.lockReason }
      if let place = contents.damage.hiding {
        throw .corrupted("The vault may have had more items: it is damaged at \(place)")
      }
      return found
    }
  }

  /// Reads the secret of an item.
  ///
  /// An application password takes as long to check as its item's cost says, once for each context.
  ///
  /// - Throws: ``SecretStoreError/locked``, ``SecretStoreError/otherDevice(_:)`` or
  ///   ``SecretStoreError/corrupted(_:)`` when the item is there but cannot be opened;
  ///   ``SecretStoreError/denied(_:)`` or ``SecretStoreError/wrongApplicationPassword`` when the
  ///   authorisation is not what its access flags demand.
  public func secret(
    of id: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    try open(id, for: .reading, authorizedBy: authorization)
  }

  /// Every item that can be read, however damaged the rest of the vault is.
  ///
  /// An item whose newest state may be lost is among them, in the newest state that is left. This
  /// is for saving what can be saved: whoever looks for an item uses ``items(matching:)``, which
  /// never answers with an old state. Items with access flags are left out, as each needs its
  /// proof.
  ///
  /// - Throws: ``SecretStoreError/locked`` when the vault was never unlocked.
  public func salvageableItems() throws(SecretStoreError) -> [(item: SecretItem, secret: Secret)] {
    return try withContents { contents throws(SecretStoreError) in
      if contents.sealedRecords > 0 { throw contents.keys.lockReason }
      var readable: [(item: SecretItem, secret: Secret)] = []
      let entries = Array(contents.index.items) + contents.overwritten.values
      for entry in entries where entry.accessControl.flags.isEmpty {
        do {
          readable.append((entry.item, try contents.open(entry)))
          contents.idle?.noteUse()
        } catch {
          // That one is what cannot be saved; `verify()` names it.
        }
      }
      return readable.sorted { SecretItem.isOlder($0.item, $1.item) }
    }
  }

  /// Gives a closure the newest contents, unless they are not to be trusted.
  func read<Result: Sendable>(
    _ body: (inout VaultContents) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    try withContents { contents throws(SecretStoreError) in
      if let distrust = contents.distrust { throw distrust }
      return try body(&contents)
    }
  }

  /// Gives a closure the contents, after reading what others appended.
  func withContents<Result: Sendable>(
    _ body: (inout VaultContents) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    let parts = try parts
    var isNewlyLocked = false
    // The handlers must find the contents free.
    defer { if isNewlyLocked { announce() } }
    return try contents.withLock { contents throws(SecretStoreError) in
      isNewlyLocked = contents.lockIfIdle()
      try contents.refresh(from: parts)
      if let interruption = contents.newInterruption() {
        reportingFailure { () throws(SecretStoreError) in throw interruption }
      }
      return try body(&contents)
    }
  }
}

extension ItemQuery {
  /// Whether at most one item can fit, because every part of its identity is said.
  fileprivate var namesOneItem: Bool {
    switch self {
    case .all: false
    case .exactly: true
    case .matching(let pattern):
      switch pattern.itemClass {
      case .generic: pattern.service != nil && pattern.account != nil
      case .internet:
        pattern.server != nil && pattern.account != nil && pattern.securityDomain != nil
          && pattern.protocol != nil && pattern.authenticationType != nil && pattern.port != nil
          && pattern.path != nil
      }
    }
  }
}
