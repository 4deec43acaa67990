import Concurrency
import StorageInternals

extension SecretVault {
  /// What ``verify()`` found in a vault.
  public struct Verification: Hashable, Sendable {
    /// The number of items that were found.
    public let itemCount: Int
    /// The number of items whose secret could not be checked, because its key is not in memory.
    public let lockedCount: Int
    /// What is damaged, each by its place or name; empty when the vault is sound.
    public let damage: [String]
    /// The rest of a write that was interrupted before it was acknowledged, as by a power cut; nil
    /// for none.
    ///
    /// It is no damage: the next write cuts it off.
    public let interruptedWrite: String?

    /// Whether nothing is damaged.
    public var isSound: Bool { damage.isEmpty }
  }

  /// Reads the whole vault from the beginning and opens every item.
  ///
  /// Nobody is asked and no secret is given away, so items with access flags are checked like all
  /// others; what is sealed under an application password is known to be what was written.
  ///
  /// - Complexity: Linear in the size of the vault.
  /// - Throws: ``SecretStoreError/rolledBack(_:)`` when the vault is older than it should be,
  ///   ``SecretStoreError/replaced(_:)`` when it is another one, or what kept it from being read. Damage is
  ///   in the result and not thrown.
  public func verify() throws(SecretStoreError) -> Verification {
    var fresh = try contentsReadAnew()
    if let distrust = fresh.distrust, fresh.damage.isEmpty { throw distrust }
    var damage = fresh.damage.places + fresh.overwrittenDescriptions
    var locked = 0
    for entry in fresh.index.items {
      do {
        _ = try fresh.open(entry)
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
      interruptedWrite: fresh.interruptedWrite?.place)
  }

  /// The contents as they are in the log, read from its beginning with the keys that are in memory.
  func contentsReadAnew() throws(SecretStoreError) -> VaultContents {
    let parts = try parts
    let keys = try withContents { contents throws(SecretStoreError) in contents.keys }
    var fresh = VaultContents(cipher: cipher)
    fresh.keys = keys
    fresh.startOver()
    try fresh.refresh(from: parts)
    return fresh
  }

  /// Writes what can be read of a damaged vault to a new file, and returns what was damaged.
  ///
  /// The damaged file stays beside it, its name ending in `.damaged-` and a number. Items whose
  /// newest state was lost come back in the newest state that is left, and items that others have
  /// overwritten, as earlier versions could let it happen, come back beside those.
  ///
  /// The closure is told, after some items each, how many are written, and decides whether the work
  /// goes on. It must not write to the vault, because it would wait for the work that waits for it.
  ///
  /// - Throws: ``SecretStoreError/locked`` when the vault was never unlocked,
  ///   ``SecretStoreError/cancelled`` when the closure said so, or what kept it from being written.
  ///   Nothing was changed then.
  public func repair(
    reporting report: (UpkeepProgress) -> UpkeepProgress.Decision = { _ in .proceed }
  ) throws(SecretStoreError) -> [String] {
    let damage = try verify().damage
    if !damage.isEmpty { try rewrite(asRepair: true, reporting: report) }
    return damage
  }

  /// Writes the vault to a new file without what was overwritten or removed.
  ///
  /// It happens by itself in the background when it is worth it; where that fails, again when the
  /// file has grown, by more each time. The closure is told of progress as it
  /// is by ``repair(reporting:)``, and must not write to the vault either.
  ///
  /// - Complexity: Linear in the size of the vault.
  /// - Throws: ``SecretStoreError/locked`` when the vault was never unlocked,
  ///   ``SecretStoreError/cancelled`` when the closure said so, or what kept it from being written.
  ///   Nothing was changed then.
  public func compact(
    reporting report: (UpkeepProgress) -> UpkeepProgress.Decision = { _ in .proceed }
  ) throws(SecretStoreError) {
    try rewrite(reporting: report)
  }

  /// Writes the vault to a new file, after a change of what it is.
  func rewrite(
    asRepair isRepair: Bool = false,
    changing change: (inout VaultContents) throws(SecretStoreError) -> Void = { _ in },
    reporting report: (UpkeepProgress) -> UpkeepProgress.Decision = { _ in .proceed }
  ) throws(SecretStoreError) {
    let parts = try parts
    let doubt = try parts.log.replace(keepingOld: isRepair) { () throws(SecretStoreError) in
      var changed = try withContents { contents throws(SecretStoreError) in contents }
      try changed.renewDevice(parts.device)
      // What is not in the new file is lost.
      try changed.restoreOverwritten(isRepair: isRepair)
      try change(&changed)
      let new = try CompactedVault(changed, isRepair: isRepair, reporting: report)
      if new != nil, let vaultID = changed.keys.table?.vaultID, changed.notedVaultID != vaultID {
        _ = try claimPlace(for: vaultID, isNew: changed.chain.first == nil, parts)
      }
      expect(changed.keys)
      return new.map { ($0.records, $0.position) }
    }
    // The new file is in place: what fails now must not look as if nothing had changed.
    if let doubt { tell(PasswordFailure(.durability, doubt)) }
    reportingFailure { () throws(SecretStoreError) in
      let (chain, table) = try contents.withLock { contents throws(SecretStoreError) in
        try contents.refresh(from: parts)
        contents.keys.coming = nil
        return (contents.chain, contents.keys.table)
      }
      if let table { try parts.device.remember(chain, of: table.vaultID) }
    }
  }

  /// Has the keys of a new file ready before it is in place, so that no thread takes a vault whose
  /// keys this object just made for locked.
  private func expect(_ keys: VaultKeys) {
    contents.withLock { contents in
      // Unless the app has locked or unlocked the vault meanwhile.
      guard contents.keys.isLockedByApp == keys.isLockedByApp else { return }
      if !contents.keys.ring.goes(with: keys.ring) { contents.keys.coming = keys.ring }
    }
  }

  /// Does what is worth doing beside an access, but no reason for it to fail.
  func reportingFailure(of upkeep: () throws(SecretStoreError) -> Void) {
    do {
      try upkeep()
    } catch {
      tell(PasswordFailure(.upkeep, error))
    }
  }

  /// Tells of a failure beside an access, on another thread: a handler that uses this vault would
  /// wait for the access under way.
  func tell(_ failure: PasswordFailure) {
    if Fork.isChild { return SecretStorage.reportInForkedChild(failure) }
    background.run { SecretStorage.onFailure(failure) }
  }

  /// Compacts in the background where much of the file is dead, where too many items stand in
  /// records of their own for the vault to open quickly, or where the machine has another identity
  /// by now.
  func compactIfWasteful() {
    let isWorthIt = contents.withLock { contents in
      contents.isWasteful && contents.compaction.begins(atSize: contents.chain.byteCount)
    }
    guard isWorthIt else { return }
    let work = { @Sendable [self] in
      var isDone = false
      reportingFailure { () throws(SecretStoreError) in
        try compact()
        isDone = true
      }
      contents.withLock { contents in
        let size = contents.chain.byteCount
        contents.compaction.end(succeeded: isDone, atSize: size)
      }
    }
    // A forked child has no other thread.
    if Fork.isChild { work() } else { background.run(work) }
  }
}

extension VaultContents {
  fileprivate var isWasteful: Bool {
    if keys.ring.user == nil || sealedRecords > 0 || !damage.isEmpty { return false }
    let needed = index.byteCount / 4 * 7 + BackgroundCompaction.negligible
    return keys.isDeviceOutdated || chain.byteCount > needed
      || singleCount > max(1024, index.count / 4)
  }
}
