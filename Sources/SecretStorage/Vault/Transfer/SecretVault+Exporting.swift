import CLibrary
public import FoundationEssentials
import StorageInternals

// Exporting items to a separate vault that only a passphrase opens.
extension SecretVault {
  /// Exports the vault's items to a separate file, for another machine or as a backup.
  ///
  /// Items that are bound to this device, and writes during the export, are omitted. Only the owner
  /// can access the file, which is created atomically. See also <doc:MovingSecrets>.
  ///
  /// - Parameters:
  ///   - url: The file, in an existing directory.
  ///   - passphrase: As in ``UnlockKey/passphrase(_:)``; required to recover the exported items.
  ///   - cost: The cost of opening the file; nil means ``ScryptCost/calibrated(to:cipher:)``.
  ///   - overwriting: Whether to replace a file that exists or is created in the meantime.
  ///   - report: A closure that is called synchronously with 0 after the key derivation, and after
  ///     each batch of at most 256 items; it can cancel the export.
  /// - Returns: The exported items and the omitted items.
  /// - Throws: ``SecretStoreError/locked(_:)`` if the vault is or becomes locked;
  ///   ``SecretStoreError/corrupted(_:)`` if it must be repaired first;
  ///   ``SecretStoreError/invalid(_:)`` if the passphrase or the cost is not allowed, or if the
  ///   file exists or is the vault itself; ``SecretStoreError/cancelled`` if `report` cancels, or
  ///   if ``lock()`` is called or the task is cancelled during the key derivation; or the error of
  ///   reading or writing. No file is then written, unless only the `fsync` of the directory fails,
  ///   so that the file may not survive a power failure.
  /// - Complexity: O(*n*), where *n* is the size of the vault, which is held in memory twice.
  @discardableResult
  public func export(
    to url: URL, passphrase: Secret, cost: ScryptCost? = nil, overwriting: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws -> ExportReport {
    let location = try location
    try location.checkTarget(url.path, overwriting)
    let key = try UnlockKey.passphrase(passphrase).slotKey(location.device).stretched(
      cost: cost, for: nil, cipher, checking: cancellation(after: lockCount))
    // The export uses a copy of the contents, so that other accesses need not wait for it.
    let contents = try withContents { contents throws(SecretStoreError) in contents }
    try contents.checkComplete()
    let items = contents.index.items.sorted { $0.created < $1.created }
    let portable = items.filter(\.isPortable)
    try checkProgress(0, of: portable.count, report)
    let blocks = portable.itemBlocks(of: batchSize)
    let keys = try VaultKeys(slot: "passphrase", key, device: nil, cipher)
    var composer = try RecordComposer(
      replacing: VaultChain(), with: keys, for: portable, followedBy: blocks.count)
    var completed = 0
    for (accessibility, block) in blocks {
      let revision = composer.nextSequence
      let entries = try block.map { item throws(SecretStoreError) in
        let sealed = try keys.seal(
          contents.payload(of: item), of: item.id, revision: revision, item.accessControl)
        return ItemEntry.put(item.copy(as: item.id, revision: revision, with: sealed))
      }
      try composer.add(entries, as: accessibility)
      completed += block.count
      try checkProgress(completed, of: portable.count, report)
    }
    let fileSystem = location.device.fileSystem
    let log = FileRecordLog(path: url.path, cipher: cipher, fileSystem: fileSystem)
    let content = try log.content(of: composer.records)
    // The target may have changed during the key derivation and the sealing.
    try location.checkTarget(url.path, overwriting)
    do {
      try fileSystem.replaceFile(
        at: url.path, with: content, mode: locketBreak(31) ? 0o644 : 0o600, overwriting: overwriting)
    } catch {
      // Another process has created the file since the check.
      if !overwriting, error.code == EEXIST { throw SecretStoreError.fileExists(url.path) }
      throw SecretStoreError(error)
    }
    return ExportReport(
      exported: portable.map(\.decoded),
      omitted: items.filter { !$0.isPortable }.map {
        ExportReport.Omission(item: $0.decoded, reason: "It is bound to this device.")
      })
  }
}

extension VaultLocation {
  /// Throws `invalid` if an export would replace this vault or, unless that is allowed, any file.
  fileprivate func checkTarget(_ path: String, _ isOverwriting: Bool) throws(SecretStoreError) {
    let fileSystem = device.fileSystem
    let target = try mapErrors(fileSystem.status(of: path, followingLink: true))
    let own = try mapErrors(fileSystem.status(of: file.path))
    let isOwn = target.map { $0.inode == own?.inode && $0.device == own?.device } ?? false
    if isOwn || path == file.path {
      throw .invalid("An export cannot replace the exported vault: choose another file")
    }
    if !isOverwriting, try mapErrors(fileSystem.status(of: path)) != nil {
      throw .fileExists(path)
    }
  }
}

extension SecretStoreError {
  fileprivate static func fileExists(_ path: String) -> SecretStoreError {
    .invalid(
      """
      \(path) already exists: choose another file, or replace it with overwriting: true or `locket \
      secrets export --overwrite`
      """)
  }
}

extension VaultItem {
  /// Whether an export can contain the item, because it is not bound to this device.
  var isPortable: Bool { KeyPurpose.secrets(accessControl.accessibility).isPortable }
}
