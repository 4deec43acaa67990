public import FoundationEssentials
import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension SecretVault {
  /// Writes the vault's items to a file of their own, for another machine or for keeping.
  ///
  /// The file is a vault that the given passphrase opens, and nothing of this device does. It is
  /// read by
  /// ``importItems(from:passphrase:conflicts:isDryRun:reporting:)``, and can be opened as a vault
  /// itself. Items keep their dates, and what they ask of a person. Items that are bound to this
  /// device are left out, as the report says. The file is for its owner alone and appears in one
  /// step: whenever the process or the machine stops, it is there as a whole or not at all. A
  /// process that is killed may leave its beginning beside it, encrypted, under a name that ends in
  /// `.tmp`.
  ///
  /// Other threads and processes may use the vault meanwhile; what they write after the export
  /// began is not in it.
  ///
  /// - Parameters:
  ///   - url: The file, in a directory that is there.
  ///   - passphrase: 1 byte to 64 KiB. Its bytes count, so give it in one Unicode normalisation form.
  ///     There is no way back to the items in the file without it.
  ///   - cost: What each opening of the file costs; nil means what
  ///     ``ScryptCost/calibrated(to:cipher:)`` finds.
  ///   - overwriting: Whether a file that is there is replaced. If not, one that another process makes
  ///     meanwhile is not replaced either.
  ///   - report: Called on this thread with the number of items that are done, after about 256 at a time;
  ///     it may end the work, and then no file is written.
  /// - Returns: What is in the file, and what is not.
  /// - Throws: ``SecretStoreError/locked`` when the vault is, also if it is locked before the work is
  ///   done; ``SecretStoreError/corrupted(_:)`` when it is damaged, so that it must be repaired first;
  ///   ``SecretStoreError/invalid(_:)`` for a passphrase that is empty or too long, a cost of less than
  ///   ``ScryptCost/minimum`` or more than 1 GiB, a file that is there, or the vault's own; ``SecretStoreError/cancelled``; or what kept the
  ///   vault from being read or the file from being written. No file is written then, except after a
  ///   failed `fsync` of the directory, when it is in place but may not outlast a power cut.
  /// - Complexity: Linear in the size of the vault, which is in memory twice.
  @discardableResult
  public func export(
    to url: URL, passphrase: Secret, cost: ScryptCost? = nil, overwriting: Bool = false,
    reporting report: (UpkeepProgress) -> UpkeepProgress.Decision = { _ in .proceed }
  ) throws(SecretStoreError) -> ExportReport {
    let parts = try parts
    try parts.checkTarget(url.path, overwriting)
    let key = try UnlockKey.passphrase(passphrase).slotKey(parts.device)
    let sealing = try SlotSealing(key, cost: cost, for: nil, cipher)
    let contents = try withContents { contents throws(SecretStoreError) in contents }
    try contents.checkWhole()
    let export = try ExportedVault(contents, under: sealing) {
      completed, total throws(SecretStoreError) in
      try checkProgress(completed, of: total, report)
    }
    let fileSystem = parts.device.fileSystem
    let log = FileRecordLog(path: url.path, cipher: cipher, fileSystem: fileSystem)
    let content = try log.content(of: export.records)
    try parts.checkTarget(url.path, overwriting)
    do {
      try fileSystem.replaceFile(
        at: url.path, with: content, mode: 0o600, overwriting: overwriting)
    } catch {
      // Made since the check.
      if !overwriting, error.code == EEXIST { throw .occupied(url.path) }
      throw SecretStoreError(error)
    }
    return export.report
  }

  /// Tells how far long work has come, and ends it when it is told to, or when the app locked the
  /// vault.
  func checkProgress(
    _ completed: Int, of total: Int, _ report: (UpkeepProgress) -> UpkeepProgress.Decision
  ) throws(SecretStoreError) {
    try UpkeepProgress(completed: completed, total: total).report(to: report)
    if contents.withLock({ $0.keys.isLockedByApp }) { throw .locked }
  }
}

extension VaultParts {
  /// Refuses to write an export over something that is to stay.
  fileprivate func checkTarget(_ path: String, _ isOverwriting: Bool) throws(SecretStoreError) {
    let fileSystem = device.fileSystem
    let (target, own) = try system { () throws(SystemError) in
      (try fileSystem.status(of: path, followingLink: true), try fileSystem.status(of: log.name))
    }
    let isOwn = target.map { $0.inode == own?.inode && $0.device == own?.device } ?? false
    if isOwn || path == log.name {
      throw .invalid(
        "An export cannot take the place of the vault that it is of: choose another file")
    }
    let isThere = try system { () throws(SystemError) in try fileSystem.status(of: path) != nil }
    if isThere, !isOverwriting { throw .occupied(path) }
  }
}

extension SecretStoreError {
  fileprivate static func occupied(_ path: String) -> SecretStoreError {
    .invalid(
      "There is something at \(path) already: choose another file, or allow it to be replaced")
  }
}
