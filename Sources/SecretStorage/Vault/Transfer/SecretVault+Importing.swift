import Concurrency
public import FoundationEssentials

// Import of an exported vault.
extension SecretVault {
  /// Adds the items of an export, or of another machine's vault with a passphrase, to this vault.
  ///
  /// An item with a new identity is added with the same dates, attributes and access control.
  /// Written items are read back from the file and compared with the import. If the import ends
  /// early, another one finds the items imported so far ``ImportReport/Outcome/identical``. See
  /// also <doc:MovingSecrets>.
  ///
  /// - Parameters:
  ///   - url: The file to import, which is not changed.
  ///   - passphrase: The passphrase of the file, which may differ from the one of this vault.
  ///   - replacing: Whether to replace the secret, attributes, access control and dates of an item
  ///     that the vault has with different content. Otherwise, it is kept.
  ///   - isDryRun: Whether to only report the outcome and change nothing.
  ///   - report: Called synchronously after each batch of about 256 items, and several times a
  ///     second during key derivation, with an unknown total of 0; may cancel the import.
  /// - Returns: The actual or simulated outcome for each imported item.
  /// - Throws: ``SecretStoreError/wrongPassphrase``; ``SecretStoreError/corrupted(_:)`` if the file
  ///   is not a complete and intact vault, if this vault is damaged, or if the items read back
  ///   differ; ``SecretStoreError/invalid(_:)`` if the file has no passphrase;
  ///   ``SecretStoreError/newerFormat(_:)``; ``SecretStoreError/insecure(path:reason:)`` if it is
  ///   not a regular file; ``SecretStoreError/locked(_:)`` if this vault is or becomes locked;
  ///   ``SecretStoreError/cancelled`` if `report` cancels or the task is cancelled; or the error of
  ///   reading the file or writing this vault.
  /// - Complexity: O(*m* + *n*) in time and memory, for the sizes of the vault and of the import.
  @discardableResult
  public func importItems(
    from url: URL, passphrase: Secret, replacing: Bool = false, isDryRun: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws -> ImportReport {
    let location = isDryRun ? try location : try protectedLocation
    // Reads from the file, so that the written items are compared as they are stored.
    let target = try freshlyReadContents()
    try target.checkComplete()
    let source = try VaultContents(
      importing: url.path, passphrase: passphrase, location.device
    ) { () throws(SecretStoreError) in
      try checkProgress(0, of: 0, report)
    }
    var work = VaultImport(source, into: target, replacing: replacing)
    let blocks = source.index.items.sorted { $0.created < $1.created }.blocks(of: batchSize)
    let total = source.index.count
    try checkProgress(0, of: total, report)
    for block in blocks {
      if isDryRun {
        _ = try work.classify(block)
      } else {
        try write(block, &work, location)
      }
      try checkProgress(work.report.entries.count, of: total, report)
    }
    if !isDryRun {
      // Identical items may have been added by a process that was killed before it flushed them.
      try synchronize()
      compactIfWorthwhile()
    }
    return work.report
  }

  /// Writes the accepted items of a block, and reads them back.
  private func write(
    _ block: ArraySlice<VaultItem>, _ work: inout VaultImport, _ location: VaultLocation
  ) throws(SecretStoreError) {
    let isWritten = try append(to: location) { () throws(SecretStoreError) in
      try work.refresh(from: location)
      let steps = try work.classify(block)
      return try work.draft(steps, location.device)
    }
    if !isWritten { return }
    notifyObservers()
    try work.refresh(from: location)
    try work.checkWritten()
  }
}
