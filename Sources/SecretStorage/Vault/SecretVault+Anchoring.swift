import StorageInternals

// What this machine notes on disk, beside a vault, before the vault is written to.
extension SecretVault {
  /// Notes which vault is at the log's place, and that there is this log, where that is not known
  /// yet.
  ///
  /// - Throws: What kept the note of an earlier vault from being replaced by that of a new one.
  func anchor(_ draft: VaultDraft, _ parts: VaultParts) throws(SecretStoreError) {
    guard let vaultID = draft.keys.table?.vaultID else { return }
    var isPlaceKnown = draft.isPlaceKnown
    if !isPlaceKnown {
      isPlaceKnown = try claimPlace(for: vaultID, isNew: draft.base.first == nil, parts)
    }
    let remembered = draft.isLogRemembered ? nil : remember(draft.base, of: vaultID, parts)
    contents.withLock { contents in
      guard contents.position == draft.position else { return }
      if isPlaceKnown { contents.notedVaultID = vaultID }
      if let remembered { contents.remembered = remembered }
    }
  }

  /// Notes that there is a log; nil when that is a new one, or cannot be noted.
  ///
  /// Without the note, what a power cut leaves of the first write that is appended may be of an
  /// acknowledged one, for all that is known. The log's first record is the one that is surely on
  /// disk.
  private func remember(
    _ base: VaultChain, of vaultID: [UInt8], _ parts: VaultParts
  ) -> ChainHead? {
    guard let first = base.first else { return nil }
    do throws(SecretStoreError) {
      try parts.device.remember(first, ofLogFrom: base.start ?? 0, of: vaultID)
      return first
    } catch {
      // The same file is written to after the write, which tells why it cannot be.
      return nil
    }
  }

  /// Notes which vault is at the log's place; false when that cannot be noted.
  ///
  /// - Throws: What kept the note from being made, where a new vault would be taken for
  ///   another one in the place of the one that is noted.
  func claimPlace(
    for vaultID: [UInt8], isNew: Bool, _ parts: VaultParts
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

  /// Accepts an older copy of the vault that was put back on purpose, such as a backup.
  ///
  /// - Throws: What kept the vault from being read.
  public func acceptRollback() throws(SecretStoreError) {
    let accepted = try withContents { contents -> (chain: VaultChain, vaultID: [UInt8])? in
      guard let table = contents.keys.table, case .rolledBack = contents.distrust else {
        return nil
      }
      return (contents.chain, table.vaultID)
    }
    guard let accepted else { return }
    // Outside of the lock of the contents: this may wait for another process.
    try parts.device.remember(accepted.chain, of: accepted.vaultID, evenIfOlder: true)
    contents.withLock { $0.position = nil }
  }

  /// Accepts another vault than the one that this machine knows in its place, put there on purpose.
  ///
  /// An older copy of that other vault is still refused, until ``acceptRollback()``.
  ///
  /// - Throws: What kept the vault from being read, or the acceptance from being noted.
  public func acceptReplacement() throws(SecretStoreError) {
    let vaultID = try withContents { contents -> [UInt8]? in
      guard case .replaced = contents.distrust else { return nil }
      return contents.keys.table?.vaultID
    }
    guard let vaultID else { return }
    try parts.device.remember(vaultID, at: parts.log.name)
    contents.withLock { $0.position = nil }
  }
}
