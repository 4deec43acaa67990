import Concurrency
import StorageInternals

// Reading items and secrets, also from a damaged vault.
extension SecretVault {
  /// Returns the revision of the vault's current content, including changes by other processes.
  ///
  /// If nothing has changed, this makes only two system calls, `stat` and a `pread` of 40 bytes.
  public func revision() throws(SecretStoreError) -> StoreRevision {
    try read { contents throws(SecretStoreError) in contents.revision }
  }

  /// Returns the items that match a query, with the oldest first.
  ///
  /// - Complexity: O(*n*), where *n* is the number of items with the query's service or server and,
  ///   if given, its account. For other queries, and in the first searches of this object, *n* is
  ///   the number of all items.
  /// - Throws: ``SecretStoreError/locked(_:)`` or ``SecretStoreError/corrupted(_:)`` if the result
  ///   may be incomplete.
  public func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    try read { contents throws(SecretStoreError) in
      let found = contents.index.items(matching: query)
      for item in found { try contents.checkCertain(item.id) }
      // Identities are unique, so there can be no further match.
      if found.count == 1, query.matchesAtMostOneItem { return found }
      try contents.checkNoneHidden()
      return found
    }
  }

  /// Reads the secret of an item; returns nil if the item does not exist.
  ///
  /// Checking an application password takes as long as its cost requires, once for each context.
  ///
  /// - Throws: ``SecretStoreError/locked(_:)``, ``SecretStoreError/otherDevice(_:)`` or
  ///   ``SecretStoreError/corrupted(_:)`` if the item cannot be opened;
  ///   ``SecretStoreError/denied(_:)`` or ``SecretStoreError/wrongApplicationPassword`` if the
  ///   authorization does not satisfy its access flags.
  public func secret(
    of id: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    let found = try read {
      contents throws(SecretStoreError) -> (VaultItem, Secret, StoreRevision)? in
      try contents.checkCertain(id)
      guard let item = contents.index[id] else {
        try contents.checkNoneHidden()
        return nil
      }
      let payload = try contents.open(item, reading: true, authorizedBy: authorization)
      return (item, payload, contents.revision)
    }
    guard let (item, payload, revision) = found else { return nil }
    return SecretReading(
      secret: try secret(in: payload, of: item, reading: true, authorizedBy: authorization),
      itemRevision: item.revision, storeRevision: revision)
  }

  /// Returns every readable item, even if the rest of the vault is damaged.
  ///
  /// If the newest state of an item is lost, the newest readable state is returned. Items with
  /// access flags are omitted, because reading them requires proofs.
  ///
  /// - Throws: ``SecretStoreError/locked(_:)`` if the vault was never unlocked;
  ///   ``SecretStoreError/rolledBack(_:)`` or ``SecretStoreError/replaced(_:)`` if the file is an
  ///   older copy or another vault, which ``salvageableItems(unlockingWith:)`` can read; or
  ///   ``SecretStoreError/replaced(_:)`` if it is missing.
  public func salvageableItems() throws -> [(item: SecretItem, secret: Secret)] {
    try read { contents throws(SecretStoreError) in try contents.salvage() }
  }

  /// Returns every readable item of the file, even if it is an older copy or another vault.
  ///
  /// The vault is neither unlocked nor locked, and keeps refusing the file. The given keys do not
  /// stay in memory. The items may be outdated or forged. Items with access flags are omitted, and
  /// those that are bound to this device require ``UnlockKey/device``.
  ///
  /// - Parameter keys: The keys to open the file with, at least one of which must open a slot.
  /// - Returns: The items with their secrets, the oldest first.
  /// - Throws: The error of ``unlock(with:)`` for the last key if none opens a slot, or the error
  ///   of reading the file, which is ``SecretStoreError/corrupted(_:)`` if no key table is intact.
  public func salvageableItems(
    unlockingWith keys: [UnlockKey]
  ) throws -> [(item: SecretItem, secret: Secret)] {
    let location = try location
    let changes = try location.log.changes(since: nil)
    guard let table = changes.newestTable(cipher) else { return try salvageableItems() }
    defer { cipher.eraseKeys() }
    // The machine's records of the vault are not used, because the file may be an older copy.
    var contents = VaultContents(cipher: cipher)
    try contents.keys.ring.unlock(
      table, with: keys, location.device, checking: cancellation(after: lockCount))
    try contents.apply(changes, nil)
    guard contents.keys.table != nil else {
      throw SecretStoreError.corrupted("\(location.log.name) has no intact key table")
    }
    return try contents.salvage()
  }

  /// Calls a closure with the current contents, even if they are not trusted.
  func withContents<Result: Sendable>(
    _ body: (inout VaultContents) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    try read(requiringTrust: false, body)
  }

  /// Calls a closure with the contents, after reading the records that other writers appended.
  func read<Result: Sendable>(
    requiringTrust: Bool = true,
    _ body: (inout VaultContents) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    let location = try location
    var isNewlyLocked = false
    // Observers are notified after the lock is released, because they may use the vault.
    defer { if isNewlyLocked { notifyObservers() } }
    return try contents.withLock { contents throws(SecretStoreError) in
      isNewlyLocked = contents.lockIfIdle()
      try contents.refresh(from: location)
      contents.rememberOtherWrites(in: location)
      for error in contents.takeUnreportedErrors() {
        report(SecretStorageFailure(.maintenance, error))
      }
      if requiringTrust, let trustError = contents.trustError { throw trustError }
      return try body(&contents)
    }
  }
}

extension ItemQuery {
  /// Whether the query specifies every part of an identity.
  fileprivate var matchesAtMostOneItem: Bool {
    switch self {
    case .all: false
    case .exactly: true
    case .matching(let pattern):
      pattern.presentParts.count == (pattern.itemClass == .generic ? 2 : 7)
    }
  }
}

extension VaultContents {
  fileprivate mutating func salvage() throws(SecretStoreError) -> [(
    item: SecretItem, secret: Secret
  )] {
    if mayHaveMore { throw keys.lockReason }
    var readable: [(item: SecretItem, secret: Secret)] = []
    for item in index.items where item.accessControl.flags.isEmpty {
      do {
        readable.append((item.decoded, try payload(of: item)))
        session.idle?.recordUse()
      } catch {
        // This item cannot be recovered. `verify()` reports its damage.
      }
    }
    return readable.sorted { SecretItem.isOlder($0.item, $1.item) }
  }

  /// Returns the errors that were not reported yet, of a missing vault or an interrupted write, and
  /// records them as reported.
  fileprivate mutating func takeUnreportedErrors() -> [SecretStoreError] {
    if missingVaultError == nil, interruptedWrite == nil { return [] }
    var errors = [missingVaultError].compactMap(\.self)
    // An incomplete record is what each killed writer leaves, so it is not reported.
    if let interruptedWrite, !interruptedWrite.isTorn {
      errors.append(
        .corrupted(
          """
          \(interruptedWrite.place) remain from a write that was interrupted before it was \
          acknowledged, for example by a power failure; the next write removes them
          """))
    }
    return errors.filter { session.reported.addFailure($0) }
  }
}
