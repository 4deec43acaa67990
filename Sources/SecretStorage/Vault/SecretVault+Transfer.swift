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
  ///   directory: the file is then in place but may not survive a power failure.
  /// - Complexity: Linear in the size of the vault, which is in memory twice.
  @discardableResult
  public func export(
    to url: URL, passphrase: Secret, cost: ScryptCost? = nil, overwriting: Bool = false,
    reporting report: (UpkeepProgress) -> UpkeepProgress.Decision = { _ in .proceed }
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
    _ completed: Int, of total: Int, _ report: (UpkeepProgress) -> UpkeepProgress.Decision
  ) throws(SecretStoreError) {
    try UpkeepProgress(completed: completed, total: total).report(to: report)
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

extension SecretVault {
  /// Adds the items of an export, or of another machine's vault with a passphrase, to this vault.
  ///
  /// An item whose identity the vault does not have is added under a new identifier, with its
  /// dates, attributes and access control. All written items are read back from the file and
  /// compared with the import. If the work ends early, because of an error or a killed process, the
  /// imported items stay; importing again finds them ``ImportReport/Outcome/identical`` and
  /// continues. Other threads and processes may use the vault meanwhile.
  ///
  /// Two items are identical if their secrets and attributes are the same, regardless of their
  /// dates. Secrets that are also sealed under an application password cannot be compared: they
  /// count as the same only if their sealed bytes are the same, as after an export.
  ///
  /// The file is only read, and nothing is written beside it. It may be a symbolic link, belong to
  /// any user and be open to all users, as on many removable media: the passphrase protects it, and
  /// changes are detected.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - passphrase: The passphrase of the file, not that of this vault.
  ///   - conflicts: The handling of items that the vault already has with other content.
  ///   - isDryRun: Whether to change nothing, and only report the outcome.
  ///   - report: Called on this thread with the number of completed items, after about 256 at a
  ///     time; it may cancel the work. While a passphrase is tried, it is called a few times a
  ///     second with a total of 0, because the number of items is not known yet.
  /// - Returns: The actual or simulated outcome of each item of the import.
  /// - Throws: ``SecretStoreError/wrongPassphrase``; ``SecretStoreError/corrupted(_:)`` when the
  ///   file is not a vault or any part of it is damaged or missing, when this vault is damaged, or
  ///   when the items read back differ from the import; ``SecretStoreError/invalid(_:)`` when the
  ///   file has no passphrase; ``SecretStoreError/newerFormat(_:)``;
  ///   ``SecretStoreError/insecure(path:reason:)`` when it is not a regular file;
  ///   ``SecretStoreError/locked`` when this vault is locked or becomes locked before the work is
  ///   done; ``SecretStoreError/cancelled``; or the error of reading the file or writing this
  ///   vault.
  /// - Complexity: Linear in the sizes of the vault and of the import, which are both in memory.
  @discardableResult
  public func importItems(
    from url: URL, passphrase: Secret, conflicts: ImportConflicts = .keepExisting,
    isDryRun: Bool = false,
    reporting report: (UpkeepProgress) -> UpkeepProgress.Decision = { _ in .proceed }
  ) throws -> ImportReport {
    let parts = isDryRun ? try parts : try protectedParts
    // Read from the file and not from memory, so that the written items are compared as stored.
    let target = try contentsReadAnew()
    try target.checkWhole()
    var isFirst = true
    let source = try ImportedVault(url.path, passphrase: passphrase, parts.device, cipher) {
      () throws(SecretStoreError) in
      if !isFirst { try checkProgress(0, of: 0, report) }
      isFirst = false
    }.contents
    var work = VaultImport(source, into: target, conflicts)
    let blocks = source.index.items.sorted { $0.created < $1.created }.blocks
    let total = source.index.count
    try checkProgress(0, of: total, report)
    for block in blocks {
      if isDryRun {
        _ = try work.judge(block)
      } else {
        try write(block, &work, parts)
      }
      try checkProgress(work.report.entries.count, of: total, report)
    }
    if !isDryRun { compactIfWasteful() }
    return work.report
  }

  /// Writes the items of a block that the import takes, and reads them back.
  private func write(
    _ block: ArraySlice<VaultItem>, _ work: inout VaultImport, _ parts: VaultLocation
  ) throws(SecretStoreError) {
    let end = try parts.log.append { () throws(SecretStoreError) in
      try work.refresh(from: parts)
      let steps = try work.judge(block)
      guard let draft = try work.draft(steps, parts.device) else { return nil }
      try anchor(draft, parts)
      return (draft.records, draft.position)
    }
    if end == nil { return }
    remember(work.newest, parts)
    announce()
    try work.refresh(from: parts)
    try work.checkWritten()
  }
}
