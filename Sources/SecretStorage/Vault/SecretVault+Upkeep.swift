import Concurrency
public import FoundationEssentials

extension SecretVault {
  /// The result of ``verify()``.
  public struct Verification: Hashable, Sendable {
    /// The number of items found.
    public let itemCount: Int
    /// The number of items whose secret could not be checked, because its key is not in memory.
    public let lockedCount: Int
    /// The damaged parts, each by its place or name; empty if the vault is sound.
    public let damage: [String]
    /// The rest of an unacknowledged write that was interrupted, as by a power failure; nil for
    /// none.
    ///
    /// It is not damage: the next write truncates it.
    public let interruptedWrite: String?
    /// Whether a key has proven that the slots are the vault's own.
    ///
    /// It is false only while the vault is locked and no key in memory or of this device can prove
    /// it: on another machine, and for a vault of the first format version.
    public let isKeyTableProven: Bool

    /// Whether nothing is damaged.
    public var isSound: Bool { damage.isEmpty }
  }

  /// Reads the whole vault from the beginning and opens every item.
  ///
  /// No user is asked and no secret is returned, so items with access flags are checked like all
  /// others; content under an application password is authenticated but not opened.
  ///
  /// - Complexity: Linear in the size of the vault.
  /// - Throws: ``SecretStoreError/rolledBack(_:)`` when the vault is older than this machine
  ///   remembers, ``SecretStoreError/replaced(_:)`` when it is another one or missing, or the error
  ///   of reading it. Damage is in the result and not thrown.
  public func verify() throws -> Verification {
    var fresh = try contentsReadAnew()
    if let distrust = fresh.distrust, fresh.damage.isEmpty { throw distrust }
    var damage = fresh.damage.places + fresh.overwrittenDescriptions
    var locked = 0
    for item in fresh.index.items {
      do {
        _ = try fresh.open(item)
      } catch {
        switch error {
        case .locked, .otherDevice: locked += 1
        case .corrupted(let what): damage.append(what)
        default: throw error
        }
      }
    }
    return Verification(
      itemCount: fresh.index.count, lockedCount: locked + fresh.sealedRecords, damage: damage,
      interruptedWrite: fresh.interruptedWrite?.place,
      isKeyTableProven: fresh.keys.unproven == nil)
  }

  /// Returns the contents, read from the beginning of the log with the keys that are in memory.
  func contentsReadAnew() throws(SecretStoreError) -> VaultContents {
    let parts = try parts
    var fresh = VaultContents(cipher: cipher)
    (fresh.keys, fresh.seen) = try withContents { ($0.keys, $0.seen) }
    fresh.startOver()
    try fresh.refresh(from: parts)
    return fresh
  }

  /// Writes the readable items of a damaged vault to a new file, and returns the damage.
  ///
  /// The damaged file stays beside it, its name ending in `.damaged-` and a number, until
  /// ``removeDamagedCopies()``. Items whose newest state was lost come back in the newest state
  /// that is left. Items that others overwrote, as earlier versions allowed, come back beside
  /// those.
  ///
  /// The closure receives the number of written items after each batch, and decides whether the
  /// work continues. It must not write to the vault: its write and the repair would wait for each
  /// other.
  ///
  /// - Throws: ``SecretStoreError/locked`` when the vault was never unlocked,
  ///   ``SecretStoreError/cancelled`` when the closure cancels, or the error of writing the vault.
  ///   On error, nothing changes.
  public func repair(
    reporting report: (UpkeepProgress) -> UpkeepProgress.Decision = { _ in .proceed }
  ) throws -> [String] {
    let damage = try verify().damage
    if !damage.isEmpty { try rewrite(asRepair: true, reporting: report) }
    return damage
  }

  /// Writes the vault to a new file without overwritten or removed items.
  ///
  /// Compaction runs automatically in the background when it pays off; after a failure, it is
  /// retried when the file has grown, by more each time. The closure receives the progress as in
  /// ``repair(reporting:)``, and must not write to the vault either.
  ///
  /// - Complexity: Linear in the size of the vault.
  /// - Throws: ``SecretStoreError/locked`` when the vault was never unlocked,
  ///   ``SecretStoreError/cancelled`` when the closure cancels, or the error of writing the vault.
  ///   On error, nothing changes.
  public func compact(
    reporting report: (UpkeepProgress) -> UpkeepProgress.Decision = { _ in .proceed }
  ) throws {
    try rewrite(reporting: report)
  }

  /// Writes the vault to a new file, after a change of its contents.
  func rewrite(
    asRepair isRepair: Bool = false,
    changing change: (inout VaultContents) throws(SecretStoreError) -> Void = { _ in },
    reporting report: (UpkeepProgress) -> UpkeepProgress.Decision = { _ in .proceed }
  ) throws(SecretStoreError) {
    let parts = try protectedParts
    var written: RememberedVault?
    let doubt = try parts.log.replace(keepingOld: isRepair) { () throws(SecretStoreError) in
      var changed = try withContents { contents throws(SecretStoreError) in contents }
      try changed.renewDevice(parts.device)
      // Content that is not in the new file is lost.
      try changed.restoreOverwritten(isRepair: isRepair)
      try change(&changed)
      let new = try CompactedVault(changed, isRepair: isRepair, reporting: report)
      written = new?.result
      if let vaultID = written?.vaultID, changed.notedVaultID != vaultID {
        _ = try claimPlace(for: vaultID, isNew: changed.chain.first == nil, parts)
      }
      expect(changed.keys)
      return new.map { ($0.records, $0.position) }
    }
    // The new file is in place: an error from here on must not suggest that nothing changed.
    if let doubt { self.report(SecretStorageFailure(.durability, doubt)) }
    reportingFailure { () throws(SecretStoreError) in
      try contents.withLock { contents throws(SecretStoreError) in
        try contents.refresh(from: parts)
        contents.keys.coming = nil
      }
    }
    remember(written, parts)
  }

  /// Stores the keys of a new file before it is in place, so that no thread finds the vault locked
  /// because of keys that this object just made.
  private func expect(_ keys: VaultKeys) {
    contents.withLock { contents in
      // Skipped if the app has locked or unlocked the vault meanwhile.
      guard contents.keys.isLockedByApp == keys.isLockedByApp else { return }
      let known = contents.keys.ring
      if (known.vaultID, known.generation) != (keys.ring.vaultID, keys.ring.generation) {
        contents.keys.coming = keys.ring
      }
    }
  }

  /// Runs maintenance whose failure is reported but does not fail the access.
  func reportingFailure(of upkeep: () throws(SecretStoreError) -> Void) {
    do {
      try upkeep()
    } catch {
      self.report(SecretStorageFailure(.upkeep, error))
    }
  }

  /// Reports a failure of maintenance on another thread: a handler that uses this vault would wait
  /// for the access in progress.
  func report(_ failure: SecretStorageFailure) {
    if Fork.isChild { return SecretStores.reportInForkedChild(failure) }
    background.run { SecretStores.onFailure(failure) }
  }

  /// Compacts in the background if much of the file is dead, if too many items have records of
  /// their own for the vault to open quickly, or if the identity of the machine has changed;
  /// compacts synchronously if the file is of an earlier version of the format.
  func compactIfWasteful() {
    let (isWorthIt, isUrgent) = contents.withLock { contents in
      (
        contents.isWasteful && contents.compaction.begins(atSize: contents.chain.byteCount),
        contents.keys.isOfVersion1
      )
    }
    guard isWorthIt else { return }
    let work = { @Sendable [self] in
      var isDone = false
      reportingFailure { () throws(SecretStoreError) in
        try rewrite()
        isDone = true
      }
      contents.withLock { contents in
        let size = contents.chain.byteCount
        contents.compaction.end(succeeded: isDone, atSize: size)
      }
    }
    // A forked child has no other thread.
    if isUrgent || Fork.isChild { work() } else { background.run(work) }
  }
}

extension VaultContents {
  fileprivate var isWasteful: Bool {
    if keys.ring.user == nil || sealedRecords > 0 || !damage.isEmpty { return false }
    let needed = index.byteCount / 4 * 7 + BackgroundCompaction.negligible
    return keys.isOfVersion1 || keys.isDeviceOutdated || chain.byteCount > needed
      || singleCount > max(1024, index.count / 4)
  }
}

extension SecretVault {
  /// The files that repairs have replaced, the oldest first.
  ///
  /// Each is beside the vault, holds the content that could not be read, and opens with the keys
  /// that opened the vault then: changing a passphrase, removing a slot and rotating the keys do
  /// not affect it.
  ///
  /// - Throws: ``SecretStoreError``, if the vault's directory cannot be read.
  public var damagedCopies: [URL] {
    get throws { try parts.log.keptAside.map { URL(filePath: $0) } }
  }

  /// Removes the files that repairs have replaced, and returns those that it removed.
  ///
  /// They may be the only copies of content that the repairs could not read, so nothing else
  /// removes them. An app cannot erase the traces of removed files from the storage medium.
  ///
  /// - Throws: ``SecretStoreError/busy(path:holder:)`` when another process kept writing to the
  ///   vault, or the error of removing a file. Some files may then be removed.
  @discardableResult
  public func removeDamagedCopies() throws -> [URL] {
    let log = try parts.log
    let names = try log.keptAside
    try log.removeKeptAside(names)
    return names.map { URL(filePath: $0) }
  }

  /// Reports, on this thread, the files that open with keys that no longer open the vault.
  ///
  /// No lock is held, so that a handler may use this vault.
  func reportDamagedCopies() {
    let report = Fork.isChild ? SecretStores.reportInForkedChild : SecretStores.onFailure
    do {
      for name in try parts.log.keptAside {
        let reason = """
          was kept by a repair, and still opens with the vault's keys of that time: save its \
          items, then remove it with removeDamagedCopies()
          """
        report(SecretStorageFailure(.upkeep, .insecure(path: name, reason: reason)))
      }
    } catch {
      report(SecretStorageFailure(.upkeep, error))
    }
  }
}

/// The progress of long work on a store.
public struct UpkeepProgress: Hashable, Sendable {
  /// The number of completed items.
  public let completed: Int
  /// The total number of items, as far as it is known.
  public let total: Int

  /// Creates a progress value.
  public init(completed: Int, total: Int) {
    self.completed = completed
    self.total = total
  }

  /// The decision whether the work continues after a report.
  public enum Decision: Hashable, Sendable {
    /// The work continues.
    case proceed
    /// The work ends soon, and throws ``SecretStoreError/cancelled``.
    case cancel
  }
}

extension UpkeepProgress {
  /// Calls a closure with the progress.
  ///
  /// - Throws: ``SecretStoreError/cancelled`` when the closure cancels, or an error in a child that
  ///   the closure forked: the work and its locks belong to the parent.
  package func report(
    to report: (UpkeepProgress) -> Decision
  ) throws(SecretStoreError) {
    let process = Fork.generation
    let decision = report(self)
    if process != Fork.generation { throw .forkedInside("long work on a store") }
    if decision == .cancel { throw .cancelled }
  }
}
