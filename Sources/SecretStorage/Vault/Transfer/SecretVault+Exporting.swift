import CLibrary
import Concurrency
public import FoundationEssentials
import StorageInternals

extension SecretVault {
  /// Exports the vault's items to a separate file, for another machine or as a backup.
  ///
  /// The file is a vault that the given passphrase opens, but this device does not.
  /// ``importItems(from:passphrase:conflicts:isDryRun:reporting:)`` reads it, and it can also be
  /// opened as a vault. Items keep their dates and their access control. Items that are bound to
  /// this device are left out, as the report says. Only the owner has access to the file. It
  /// appears atomically: if the process or the machine stops, the file is complete or missing. A
  /// killed process may leave a partial file beside it, encrypted, under a name that ends in
  /// `.tmp`.
  ///
  /// Other threads and processes may use the vault meanwhile; their writes after the export began
  /// are not in the file.
  ///
  /// - Parameters:
  ///   - url: The file, in an existing directory.
  ///   - passphrase: 1 byte to 64 KiB. Its bytes count, so give it in one Unicode normalisation
  ///     form. Without it, the items in the file cannot be recovered.
  ///   - cost: The cost of each opening of the file; nil means the result of
  ///     ``ScryptCost/calibrated(to:cipher:)``.
  ///   - overwriting: Whether to replace an existing file. If not, a file that another process
  ///     creates meanwhile is not replaced either.
  ///   - report: Called on this thread with the number of completed items, after about 256 at a
  ///     time; it may cancel the work, and then no file is written.
  /// - Returns: The items in the file, and the items left out.
  /// - Throws: ``SecretStoreError/locked`` when the vault is locked or becomes locked before the
  ///   work is done; ``SecretStoreError/corrupted(_:)`` when it is damaged and must be repaired
  ///   first; ``SecretStoreError/invalid(_:)`` for a passphrase that is empty or too long, a cost
  ///   of less than ``ScryptCost/minimum`` or more than 1 GiB, an existing file, or the vault's
  ///   own; ``SecretStoreError/cancelled`` when the report cancels, or when ``lock()`` is called or
  ///   the task is cancelled while the key is derived; or the error of reading the vault or writing
  ///   the file. After an error, no file is written, except after a failed `fsync` of the
  ///   directory: the file is then in place but may not survive a power cut.
  /// - Complexity: Linear in the size of the vault, which is in memory twice.
  @discardableResult
  public func export(
    to url: URL, passphrase: Secret, cost: ScryptCost? = nil, overwriting: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws -> ExportReport {
    let parts = try parts
    try parts.checkTarget(url.path, overwriting)
    let key = try UnlockKey.passphrase(passphrase).slotKey(parts.device).stretched(
      cost: cost, for: nil, cipher, checking: cancellationByLocking)
    let contents = try withContents { contents throws(SecretStoreError) in contents }
    try contents.checkWhole()
    let export = try ExportedVault(contents, under: key) {
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
      // Another process created the file after the check.
      if !overwriting, error.code == EEXIST { throw SecretStoreError.occupied(url.path) }
      throw SecretStoreError(error)
    }
    return export.report
  }

  /// Reports the progress; throws if the report cancels the work or the app locked the vault.
  func checkProgress(
    _ completed: Int, of total: Int, _ report: (MaintenanceProgress) -> MaintenanceProgress.Decision
  ) throws(SecretStoreError) {
    try MaintenanceProgress(completed: completed, total: total).report(to: report)
    if contents.withLock({ $0.keys.isLockedByApp }) { throw .locked }
  }
}

extension VaultLocation {
  /// Refuses to export over the vault itself or, unless allowed, over an existing file.
  fileprivate func checkTarget(_ path: String, _ isOverwriting: Bool) throws(SecretStoreError) {
    let fileSystem = device.fileSystem
    let (target, own) = try system { () throws(SystemError) in
      (try fileSystem.status(of: path, followingLink: true), try fileSystem.status(of: log.name))
    }
    let isOwn = target.map { $0.inode == own?.inode && $0.device == own?.device } ?? false
    if isOwn || path == log.name {
      throw .invalid(
        "An export cannot replace its own vault: choose another file")
    }
    let isThere = try system { () throws(SystemError) in try fileSystem.status(of: path) != nil }
    if isThere, !isOverwriting { throw .occupied(path) }
  }
}

extension SecretStoreError {
  fileprivate static func occupied(_ path: String) -> SecretStoreError {
    .invalid(
      "\(path) exists already: choose another file, or allow its replacement")
  }
}
