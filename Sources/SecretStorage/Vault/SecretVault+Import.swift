public import FoundationEssentials

extension SecretVault {
  /// Adds the items of an export, or of another machine's vault that has a passphrase, to this
  /// vault.
  ///
  /// An item whose identity the vault does not have is added, with its dates, its attributes and
  /// what it asks of a person, under a new name. Everything that was written is read back from the
  /// file and compared with the import. When the work ends early, by an error or because the
  /// process is killed, what was imported stays; importing again finds it
  /// ``ImportReport/Outcome/identical`` and goes on. Other threads and processes may use the vault meanwhile.
  ///
  /// Two items are identical when their secrets and attributes are the same, whatever their dates.
  /// Secrets that are sealed under an application password as well cannot be looked into: they
  /// count as the same only when they are the same sealing, as it is after an export.
  ///
  /// The file is only read, and nothing is written beside it. It may be a symbolic link, belong to
  /// anybody and be open to anybody, as it is on many removable media: the passphrase protects it,
  /// and a change of it is noticed.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - passphrase: The passphrase of the file, not that of this vault.
  ///   - conflicts: What becomes of an item of this vault that the import has with another content.
  ///   - isDryRun: Whether to change nothing, and to report what would be done.
  ///   - report: Called on this thread with the number of items that are done, after about 256 at a time;
  ///     it may end the work.
  /// - Returns: What became of each item of the import, or would become.
  /// - Throws: ``SecretStoreError/wrongPassphrase``; ``SecretStoreError/corrupted(_:)`` when the file is
  ///   not a vault or anything in it is damaged or missing, when this vault is damaged, or when what was
  ///   written is not what is read back; ``SecretStoreError/invalid(_:)`` when the file has no passphrase;
  ///   ``SecretStoreError/newerFormat(_:)``; ``SecretStoreError/insecure(path:reason:)`` when it is no
  ///   regular file; ``SecretStoreError/locked`` when this vault is, also if it is locked before the work
  ///   is done; ``SecretStoreError/cancelled``; or what kept the file from being read or this vault from
  ///   being written.
  /// - Complexity: Linear in the sizes of the vault and of the import, which are both in memory.
  @discardableResult
  public func importItems(
    from url: URL, passphrase: Secret, conflicts: ImportConflicts = .keepExisting,
    isDryRun: Bool = false,
    reporting report: (UpkeepProgress) -> UpkeepProgress.Decision = { _ in .proceed }
  ) throws(SecretStoreError) -> ImportReport {
    let parts = try parts
    // A copy that is read from the file alone, so that it tells what is really there.
    let target = try contentsReadAnew()
    try target.checkWhole()
    let source = try ImportedVault(url.path, passphrase: passphrase, parts.device, cipher).contents
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

  /// Writes what is to be written of some items, and reads it back.
  private func write(
    _ block: ArraySlice<VaultItem>, _ work: inout VaultImport, _ parts: VaultParts
  ) throws(SecretStoreError) {
    let end = try parts.log.append { () throws(SecretStoreError) in
      try work.refresh(from: parts)
      let steps = try work.judge(block)
      guard let draft = try work.draft(steps, parts.device) else { return nil }
      try anchor(draft, parts)
      return (draft.records, draft.position)
    }
    guard end != nil, let newest = work.newest else { return }
    // The write itself is done; without this, only a later rollback to before it might pass.
    reportingFailure { () throws(SecretStoreError) in
      try parts.device.remember(newest.chain, of: newest.vaultID)
    }
    announce()
    try work.refresh(from: parts)
    try work.checkWritten()
  }
}
