import Concurrency

// Recording on this machine which vault is at the path and which record is its newest, and
// accepting a replacement or a rollback, which these records reveal.
extension SecretVault {
  /// Records the vault at the log's path and the start of the log, unless this object has done so.
  func anchor(_ draft: VaultDraft, _ location: VaultLocation) throws(SecretStoreError) {
    guard let vaultID = draft.composer.keys.table?.vaultID else { return }
    try recordVault(
      vaultID, recorded: draft.recordedVaultID, isNew: draft.base.first == nil, location)
    // Without this record, a power failure would make it uncertain whether a partial first append
    // was ever acknowledged. Unlike the log's first record, a later record may not be on disk.
    let start = draft.base.start ?? 0
    let isFlushed = location.device.flushed.withLock { $0.logStarts[vaultID] == start }
    if let first = draft.base.first, !draft.isLogRemembered || !isFlushed {
      let vault = RememberedVault(
        vaultID: vaultID, logStart: start, head: first, keys: draft.composer.result?.keys)
      do throws(SecretStoreError) {
        try record(vault, location)
      } catch {
        if case .uncertain = error { throw error }
        // The state is recorded again after the write, and a failure is reported then.
      }
    }
  }

  /// Records the last record of a write; reports a failure, which can only conceal a rollback.
  func remember(_ vault: RememberedVault?, _ location: VaultLocation) {
    guard let vault else { return }
    reportingFailure { () throws(SecretStoreError) in try record(vault, location) }
  }

  private func record(
    _ vault: RememberedVault, _ location: VaultLocation
  ) throws(SecretStoreError) {
    try location.device.remember(vault)
    contents.withLock { contents in
      guard contents.keys.table?.vaultID == vault.vaultID else { return }
      contents.session.seen.record(vault, isRecorded: true)
    }
  }

  /// Records the vault at the log's path durably; reports a failure, but throws if the record could
  /// not be flushed, or if a new vault would be mistaken for a replacement of the recorded one.
  func recordVault(
    _ vaultID: [UInt8]?, recorded: [UInt8]?, isNew: Bool, _ location: VaultLocation
  ) throws(SecretStoreError) {
    guard let vaultID else { return }
    // The process that recorded the vault may have been killed before it flushed the record.
    let isRecorded = recorded == vaultID
    if isRecorded, location.device.flushed.withLock({ $0.place == vaultID }) { return }
    do {
      try location.device.remember(vaultID, at: location.log.name, isRecorded: isRecorded)
      contents.withLock { $0.recordedVaultID = vaultID }
      maintenanceDidSucceed()
    } catch {
      if case .uncertain = error { throw error }
      if isNew, try location.device.vaultID(at: location.log.name) != nil { throw error }
      reportingFailure { () throws(SecretStoreError) in throw error }
    }
  }

  /// Accepts an older copy of the vault that was restored intentionally, such as a backup; throws
  /// ``SecretStoreError`` if reading the vault or recording the acceptance fails.
  public func acceptRollback() throws {
    let device = try location.device
    let accepted = try withContents { contents throws(SecretStoreError) -> RememberedVault? in
      guard case .rolledBack = contents.trustError else { return nil }
      var keys = contents.keys
      keys.fingerprint = nil
      return RememberedVault(contents.chain, keys)
    }
    guard let accepted else { return }
    // This may wait for another process, so the lock of `contents` is not held.
    try device.remember(accepted, evenIfOlder: true)
    resetSeenState()
    // The keys that show the generation are not opened before the file is accepted.
    let opened = try withContents { contents -> RememberedVault? in
      let head = contents.chain.head
      let isAccepted = contents.trustError == nil && head.digest == accepted.head.digest
      return isAccepted ? RememberedVault(contents.chain, contents.keys) : nil
    }
    if let opened { try device.remember(opened) }
  }

  /// Accepts that the vault at this path was replaced with another one, or removed, intentionally.
  ///
  /// An older copy of the other vault is still rejected until ``acceptRollback()``, which throws
  /// the same errors. After a removal, the next write creates a vault that this device can open.
  public func acceptReplacement() throws {
    let vaultID = try withContents { contents -> [UInt8]? in
      guard case .replaced = contents.trustError ?? contents.missingVaultError else { return nil }
      return contents.keys.table?.vaultID ?? DeviceState.noVault
    }
    guard let vaultID else { return }
    try location.device.remember(vaultID, at: location.log.name)
    resetSeenState()
  }

  /// Makes the next access check the vault against this machine's records again.
  private func resetSeenState() {
    contents.withLock { contents in
      contents.session.seen = SeenVault()
      contents.position = nil
    }
  }
}
