import Concurrency
public import FoundationEssentials

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
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
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
    notifyObservers()
    try work.refresh(from: parts)
    try work.checkWritten()
  }
}
