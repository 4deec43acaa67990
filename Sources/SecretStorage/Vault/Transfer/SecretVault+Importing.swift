import CLibrary
public import FoundationEssentials
import StorageInternals

// Importing items from an exported vault.
extension SecretVault {
  /// Adds the items of an export, or of another machine's vault with a passphrase, to this vault.
  ///
  /// An item with a new identity keeps its dates, attributes and access control. Written items are
  /// read back and compared. If the import ends early, the next import finds the written items
  /// ``ImportReport/Outcome/identical``. See also <doc:MovingSecrets>.
  ///
  /// - Parameters:
  ///   - url: The file to import, which is not changed.
  ///   - passphrase: The passphrase of the file, which may differ from the one of this vault.
  ///   - replacing: Whether to replace the secret, attributes, access control and dates of an item
  ///     that the vault has with different content. Otherwise, it is kept.
  ///   - isDryRun: Whether to only report the outcome and change nothing.
  ///   - report: A closure that is called synchronously several times a second during key
  ///     derivation, when the total is unknown and 0, and then at the start and after each batch of
  ///     at most 256 items; it can cancel the import.
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
    // The vault is read from its file, so that written items are compared as they are stored.
    let target = try freshlyReadContents()
    try target.checkComplete()
    var isFirst = true
    let source = try VaultContents(
      importing: url.path, passphrase: passphrase, location.device
    ) { () throws(SecretStoreError) in
      if !isFirst { try checkProgress(0, of: 0, report) }
      isFirst = false
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

// Opening a file by a passphrase alone, such as an export or the vault of another machine.
extension VaultContents {
  /// Opens a complete and intact file with a passphrase.
  ///
  /// `check`, which is called before each slot and in key derivations, cancels by throwing.
  init(
    importing path: String, passphrase: Secret, _ device: DeviceState,
    checking check: () throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) {
    let log = FileRecordLog(path: path, cipher: device.cipher, fileSystem: device.fileSystem)
    // The open must not wait on a FIFO. Any user may own the file: the passphrase authenticates it.
    let file = try mapErrors(log.fileSystem.open(path, O_RDONLY | O_NONBLOCK))
    let status = try mapErrors(file.status())
    guard status.isRegularFile else { throw .insecure(path: path, reason: "is not a regular file") }
    guard status.size <= log.sizeLimit else {
      throw .invalid("\(path) has \(status.size) bytes, which is too large for a vault")
    }
    let changes = try log.readAll(file, status)
    guard let table = changes.newestTable(device.cipher) else {
      throw .corrupted("\(path) has no intact key table")
    }
    guard table.hasPassphrase else {
      throw .invalid("\(path) has no slot for a passphrase, so it cannot be imported")
    }
    self.init(cipher: device.cipher)
    keys.ring.adapt(to: table)
    // A passphrase that no new slot may have, such as an empty one, is not refused but only wrong.
    keys.ring.user = try table.open(with: .passphrase(passphrase), checking: check)
    try apply(changes, nil)
    var lost = damage.places
    // A torn frame is not damage: it remains from an interrupted write that was not acknowledged.
    if let tail = changes.tail, !tail.isTorn, !tail.isIncomplete { lost.append(tail.place) }
    lost += [interruptedWrite?.place, missingEnd].compactMap(\.self)
    if !lost.isEmpty {
      throw .corrupted("\(path) is damaged, so nothing is imported: \(lost.summary)")
    }
    if sealedRecordCount > 0 { throw .newerFormat(path) }
  }
}
