import Concurrency
public import FoundationEssentials
import StorageInternals

// Verification, repair, and the rewriting that repair and other changes share.
extension SecretVault {
  /// The result of ``verify()``.
  public struct Verification: Hashable, Sendable {
    /// The number of items found.
    public let itemCount: Int
    /// The number of items whose secret could not be checked, because its key is not in memory.
    public let lockedCount: Int
    /// Descriptions of the damaged places; after 1,000, the rest of the vault counts as one more.
    public let damage: [String]
    /// A description of the remains of a write that was never acknowledged, which the next write
    /// removes; nil if there are none.
    public let interruptedWrite: String?
    /// Whether a key has proven the slots; if not, anything may be forged.
    public let isKeyTableProven: Bool

    /// Whether nothing is damaged, and the slots are proven.
    public var isSound: Bool { damage.isEmpty && isKeyTableProven }
  }

  /// Reads the whole vault from the beginning and opens every item.
  ///
  /// Items with access flags are checked without authentication, those under an application
  /// password without being opened.
  ///
  /// - Complexity: O(*n*), where *n* is the size of the vault.
  /// - Throws: ``SecretStoreError/rolledBack(_:)`` or ``SecretStoreError/replaced(_:)`` if the file
  ///   is an older copy, another vault or missing, or another error of reading it than damage.
  public func verify() throws -> Verification {
    var fresh = try freshlyReadContents()
    if let trustError = fresh.trustError {
      guard case .corrupted = trustError, !fresh.damage.isEmpty else { throw trustError }
    }
    var damage = fresh.damage.places
    var locked = 0
    for item in fresh.index.items {
      do {
        _ = try fresh.open(item)
      } catch {
        switch error {
        case .locked, .otherDevice: locked += 1
        case .corrupted(let description): damage.append(description)
        default: throw error
        }
      }
    }
    return Verification(
      itemCount: fresh.index.count, lockedCount: locked + fresh.sealedRecordCount, damage: damage,
      interruptedWrite: fresh.interruptedWrite?.place,
      isKeyTableProven: fresh.keys.standing != .candidate)
  }

  /// Returns the contents, read from the beginning of the log with the keys in memory.
  func freshlyReadContents() throws(SecretStoreError) -> VaultContents {
    let location = try location
    var fresh = VaultContents(cipher: cipher)
    (fresh.keys, fresh.session.seen) = try withContents { ($0.keys, $0.session.seen) }
    fresh.reset()
    try fresh.refresh(from: location)
    return fresh
  }

  /// Writes the readable items of a damaged vault to a new file, and returns the damage.
  ///
  /// The damaged file is kept, with the suffix `.damaged-` and a number, until
  /// ``removeDamagedCopies()`` is called. If an item's newest state is lost, its newest readable
  /// state is restored. The closure receives the number of written items after each batch, and must
  /// not write to the vault, which would cause a deadlock.
  ///
  /// - Throws: ``SecretStoreError/locked(_:)`` if the vault was never unlocked,
  ///   ``SecretStoreError/cancelled`` if the closure cancels, or the error of writing the vault. On
  ///   error, nothing changes.
  public func repair(
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws -> [String] {
    let damage = try verify().damage
    if !damage.isEmpty { try rewrite(asRepair: true, reporting: report) }
    return damage
  }

  /// Writes the vault to a new file, with a change to its contents.
  func rewrite(
    asRepair isRepair: Bool = false,
    changing change: (inout VaultContents) throws(SecretStoreError) -> Void = { _ in },
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws(SecretStoreError) {
    let location = try protectedLocation
    try replaceLog(keepingOld: isRepair, location, beginning: { _ in }) {
      () throws(SecretStoreError) in
      var changed = try withContents { contents throws(SecretStoreError) in contents }
      try changed.renewDevice(location.device)
      try change(&changed)
      let items = try changed.itemsToRewrite(isRepair: isRepair)
      guard changed.keys.table != nil else { return nil }
      let blocks = items.records(of: batchSize)
      var new = try RecordComposer(
        replacing: changed.chain, reserved: changed.expected?.head.sequence, with: changed.keys,
        for: items, followedBy: blocks.count)
      try new.add(blocks) { _, completed throws(SecretStoreError) in
        try MaintenanceProgress(completed: completed, total: items.count).report(to: report)
      }
      contents.withLock { contents in
        // Stored before the file is installed, so that the vault never appears locked. Does nothing
        // if the app has locked or unlocked the vault in the meantime.
        let (old, ring) = (contents.keys.ring, changed.keys.ring)
        guard contents.keys.isLockedByApp == changed.keys.isLockedByApp,
          (old.vaultID, old.generation) != (ring.vaultID, ring.generation)
        else { return }
        contents.keys.pendingRing = ring
      }
      return (new, changed)
    }
  }

  /// Replaces the log by new records, made from contents, and reads it; does nothing for nil.
  func replaceLog(
    keepingOld: Bool = false, _ location: VaultLocation, beginning: LogBeginning,
    by make: () throws(SecretStoreError) -> (RecordComposer, VaultContents)?
  ) throws(SecretStoreError) {
    var written: RememberedVault?
    let durabilityError = try location.log.replace(keepingOld: keepingOld, beginning: beginning) {
      () throws(SecretStoreError) in
      guard let (new, old) = try make(), let position = old.position else { return nil }
      written = new.result
      try recordVault(
        written?.vaultID, recorded: old.recordedVaultID, isNew: old.chain.first == nil, location)
      return (new.records, position)
    }
    // The vault has changed, so that further errors are only reported. The new file's state is
    // recorded only if it is durable: otherwise, a power failure could restore the old file, which
    // would look like an older copy.
    reportingFailure(of: "flush", as: .durability) { () throws(SecretStoreError) in
      if let durabilityError { throw durabilityError }
    }
    reportingFailure { () throws(SecretStoreError) in
      try contents.withLock { contents throws(SecretStoreError) in
        try contents.refresh(from: location)
        contents.keys.pendingRing = nil
      }
    }
    if durabilityError == nil { remember(written, location) }
  }

  func reportingFailure(
    of task: String = #function, as operation: SecretStorageFailure.Operation = .maintenance,
    _ maintenance: () throws(SecretStoreError) -> Void
  ) {
    do {
      try maintenance()
      maintenanceDidSucceed(task)
    } catch {
      let failure = SecretStorageFailure(operation, error)
      failedTasks.withLock { _ = $0[task, default: []].addFailure(failure) }
      report(failure)
    }
  }

  /// Lets the default handler report failures of a task again.
  func maintenanceDidSucceed(_ task: String = #function) {
    let failures = failedTasks.withLock { $0.removeValue(forKey: task) }
    if let failures { SecretStores.didSucceed(after: failures) }
  }

  /// Reports a failure on another thread, because a handler that uses the vault could deadlock.
  func report(_ failure: SecretStorageFailure) {
    SecretStores.report(failure, on: observers.queue)
  }
}

extension VaultContents {
  /// Returns the items of a new file; throws if the vault must not be replaced.
  fileprivate mutating func itemsToRewrite(isRepair: Bool) throws(SecretStoreError) -> [VaultItem] {
    if let trustError { throw trustError }
    if mayHaveMore { throw keys.lockReason }
    if !isRepair {
      try checkTrust()
      return Array(index.items)
    }
    var items: [VaultItem] = []
    for item in index.items {
      do {
        _ = try open(item)
      } catch {
        switch error {
        case .corrupted: continue
        case .locked, .otherDevice: break
        default: throw error
        }
      }
      // The key of an item from memory may be missing in a log that is cut off.
      let hasKey = keys.table?.keys.contains { $0.id == item.secret.key } == true
      items.append(hasKey ? item : try renewed(item))
    }
    return items
  }
}

extension SecretVault {
  /// The damaged files that repairs have replaced, with the oldest first; throws
  /// ``SecretStoreError``.
  ///
  /// Keys from the time of the repair still open them, regardless of later changes to the keys.
  public var damagedCopies: [URL] {
    get throws { try location.file.damagedCopies.map { URL(filePath: $0) } }
  }

  /// Removes the damaged files that repairs have replaced, and returns their URLs.
  ///
  /// They may be the only copies of content that could not be recovered. Traces may remain on the
  /// storage medium.
  ///
  /// - Throws: ``SecretStoreError/busy(path:holder:)`` if other processes keep writing,
  ///   ``SecretStoreError/uncertain(path:code:)`` if a power failure may undo the repair or the
  ///   removal, or the error of removing a file, after which some may already be removed.
  @discardableResult
  public func removeDamagedCopies() throws -> [URL] {
    try location.file.removeDamagedCopies().map { URL(filePath: $0) }
  }

  /// Reports files kept by repairs; no lock may be held, because handlers may use the vault.
  func reportDamagedCopies() {
    let report = SecretStores.onFailure
    do {
      for name in try location.file.damagedCopies {
        let reason = "was kept by a repair, and old keys open it: see removeDamagedCopies()"
        report(SecretStorageFailure(.maintenance, .insecure(path: name, reason: reason)))
      }
    } catch {
      report(SecretStorageFailure(.maintenance, error))
    }
  }
}
