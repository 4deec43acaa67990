import Concurrency
public import FoundationEssentials

extension SecretVault {
  /// Adds the items of an export, or of another machine's vault with a passphrase, to this vault.
  ///
  /// If the vault has no item with the identity of an imported item, the item is added with a new
  /// identifier and the same dates, attributes and access control. Written items are read back from
  /// the file and compared with the import. If the import ends early, the items imported so far
  /// remain in the vault. Another import then finds them ``ImportReport/Outcome/identical`` and
  /// continues. Other threads and processes may use the vault during the import.
  ///
  /// Two items are identical if they have the same secret and attributes, regardless of their
  /// dates. A secret under an application password cannot be opened for the comparison. It is
  /// considered identical only if its sealed bytes are, as after an export.
  ///
  /// The imported file is not changed. It may be a symbolic link, belong to another user and be
  /// accessible to all users, as on many removable media, because the passphrase protects its
  /// content against reading and tampering.
  ///
  /// - Parameters:
  ///   - url: The file to import.
  ///   - passphrase: The passphrase of the file, which may differ from the one of this vault.
  ///   - conflicts: The handling of items that the vault already has with different content.
  ///   - isDryRun: Whether to only report the outcome and change nothing.
  ///   - report: Called on this thread after each batch of about 256 items; may cancel the import.
  ///     During key derivation, it is called several times a second with a total of 0, because the
  ///     number of items is not known yet.
  /// - Returns: The actual or simulated outcome for each imported item.
  /// - Throws: ``SecretStoreError/wrongPassphrase`` if the passphrase does not open the file;
  ///   ``SecretStoreError/corrupted(_:)`` if the file is not a complete and intact vault, if this
  ///   vault is damaged, or if the items read back differ from the import;
  ///   ``SecretStoreError/invalid(_:)`` if the file has no passphrase;
  ///   ``SecretStoreError/newerFormat(_:)`` if only a newer version can read the file;
  ///   ``SecretStoreError/insecure(path:reason:)`` if it is not a regular file;
  ///   ``SecretStoreError/locked`` if this vault is locked or becomes locked during the import;
  ///   ``SecretStoreError/cancelled`` if `report` cancels or the task is cancelled; or the error of
  ///   reading the file or writing this vault.
  /// - Complexity: O(*m* + *n*), where *m* and *n* are the sizes of the vault and of the import,
  ///   which are both held in memory.
  @discardableResult
  public func importItems(
    from url: URL, passphrase: Secret, conflicts: ImportConflicts = .keepExisting,
    isDryRun: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws -> ImportReport {
    let parts = isDryRun ? try parts : try protectedParts
    // Reads from the file, so that the written items are compared as they are stored.
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

  /// Writes the accepted items of a block, and reads them back.
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
