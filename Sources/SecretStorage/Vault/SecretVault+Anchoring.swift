import Concurrency

// The state that this machine records on disk, beside a vault, before a write to the vault.
extension SecretVault {
  /// Records the vault at the log's path and the existence of the log, unless both are recorded.
  ///
  /// - Throws: The error of replacing the record of an earlier vault with that of a new one.
  func anchor(_ draft: VaultDraft, _ parts: VaultLocation) throws(SecretStoreError) {
    guard let vaultID = draft.keys.table?.vaultID else { return }
    var isPlaceKnown = draft.isPlaceKnown
    if !isPlaceKnown {
      isPlaceKnown = try claimPlace(for: vaultID, isNew: draft.base.first == nil, parts)
    }
    // Without a record of the log, a reader cannot tell an interrupted first append from the rest
    // of an acknowledged one after a power failure. The log's first record is certainly on disk.
    var remembered: RememberedVault?
    if !draft.isLogRemembered, let first = draft.base.first {
      let vault = RememberedVault(
        vaultID: vaultID, logStart: draft.base.start ?? 0, head: first)
      do throws(SecretStoreError) {
        try parts.device.remember(vault)
        remembered = vault
      } catch {
        // The same file is written again after the vault, and that failure is reported.
      }
    }
    contents.withLock { contents in
      guard contents.position == draft.position else { return }
      if isPlaceKnown { contents.notedVaultID = vaultID }
      if let remembered {
        let keys = contents.remembered?.keys
        contents.remembered = remembered
        contents.remembered?.keys = keys
      }
    }
  }

  /// Records the last log record of a completed write.
  ///
  /// A failure is reported and not thrown: its only effect is that a later rollback to before the
  /// write may go undetected.
  func remember(_ vault: RememberedVault?, _ parts: VaultLocation) {
    guard let vault else { return }
    reportingFailure { () throws(SecretStoreError) in
      try parts.device.remember(vault)
      contents.withLock { contents in
        guard contents.keys.table?.vaultID == vault.vaultID else { return }
        contents.note(vault, isRemembered: true)
      }
    }
  }

  /// Records the vault at the log's path; returns false if that fails.
  ///
  /// - Throws: The error of recording, if a new vault would otherwise be taken for a replacement of
  ///   the recorded one.
  func claimPlace(
    for vaultID: [UInt8], isNew: Bool, _ parts: VaultLocation
  ) throws(SecretStoreError) -> Bool {
    do {
      try parts.device.remember(vaultID, at: parts.log.name)
      return true
    } catch {
      if isNew, try parts.device.vaultID(at: parts.log.name) != nil { throw error }
      reportingFailure { () throws(SecretStoreError) in throw error }
      return false
    }
  }

  /// Accepts an older copy of the vault that was restored on purpose, such as a backup.
  ///
  /// - Throws: ``SecretStoreError`` when the vault cannot be read or the acceptance not recorded.
  public func acceptRollback() throws {
    let accepted = try withContents { contents throws(SecretStoreError) -> RememberedVault? in
      guard case .rolledBack = contents.distrust else { return nil }
      var keys = contents.keys
      keys.known = nil
      try keys.noteGeneration(cipher)
      return RememberedVault(contents.chain, keys)
    }
    guard let accepted else { return }
    // Outside the lock of `contents`, because this may wait for another process.
    try parts.device.remember(accepted, evenIfOlder: true)
    forgetSeen()
  }

  /// Accepts that the vault at this path was replaced with another one, or removed, on purpose.
  ///
  /// An older copy of the other vault is still refused until ``acceptRollback()``. If the vault was
  /// removed, the next write creates a new one, which this device opens.
  ///
  /// - Throws: ``SecretStoreError`` when the vault cannot be read or the acceptance not recorded.
  public func acceptReplacement() throws {
    let vaultID = try withContents { contents -> [UInt8]? in
      guard case .replaced = contents.distrust ?? contents.vanishing else { return nil }
      return contents.keys.table?.vaultID ?? DeviceState.noVault
    }
    guard let vaultID else { return }
    try parts.device.remember(vaultID, at: parts.log.name)
    forgetSeen()
  }

  /// Makes the next access read the vault again and check it against this machine's records.
  private func forgetSeen() {
    contents.withLock { contents in
      contents.seen = nil
      contents.keys.known = nil
      contents.position = nil
    }
  }
}
