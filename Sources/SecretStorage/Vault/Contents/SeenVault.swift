/// The state of the vault that this object has read, in case the machine's state is lost.
struct SeenVault: Sendable {
  let vaultID: [UInt8]
  /// The slot types, encoded as in ``RememberedVault/Keys/slotTypes``.
  var slotTypes: UInt64
  /// The newest durable state that the vault's keys authenticate; nil if there is none.
  var newest: RememberedVault?
  /// Whether the machine's state contains `newest` too.
  var isRemembered = false
}

extension VaultContents {
  /// Records the vault that was read, unless it is not trusted.
  mutating func recordSeen() {
    guard trustError == nil, let table = keys.table else { return }
    if seen?.vaultID != table.vaultID {
      seen = SeenVault(vaultID: table.vaultID, slotTypes: table.slotTypes)
    }
    seen?.slotTypes = table.slotTypes
    missingVaultError = nil
    // If the vault disappears again, that is reported again.
    reported = reported.filter { if case .replaced = $0 { false } else { true } }
  }

  /// Sets the record that a vault's log must contain, before the log is read from its beginning.
  mutating func expectNewest(of vaultID: [UInt8]) {
    (expected, expectedStart) = (remembered?.head, remembered?.keys?.logStart)
    guard let seen, seen.vaultID == vaultID, let newest = seen.newest,
      newest.head.sequence > remembered?.head.sequence ?? 0
    else { return }
    if remembered != nil, seen.isRemembered {
      // The machine's state becomes older only when an older copy is accepted.
      self.seen?.newest = nil
      keys.lastGeneration = nil
    } else {
      (expected, expectedStart) = (newest.head, newest.keys?.logStart ?? expectedStart)
    }
  }

  /// The state that this machine may record; nil unless all of it is authenticated, because a
  /// forged state would permanently make the genuine vault look like an older copy.
  private var authenticatedState: RememberedVault? {
    guard trustError == nil, damage.isEmpty, sealedRecordCount == 0, keys.ring.user != nil else {
      return nil
    }
    return RememberedVault(chain, keys)
  }

  /// Records the writes of other processes, which may have been killed or run on another machine.
  ///
  /// Does nothing while a writer is active, never waits, and ignores errors, so that reading works.
  mutating func rememberOtherWrites(in location: VaultLocation) {
    if isJustReplaced {
      // A get must not wait for the disk. At the next one, the record is usually complete.
      isJustReplaced = false
      return
    }
    guard chain.head.sequence != lastRemembered, let vault = authenticatedState, let position else {
      return
    }
    do throws(SecretStoreError) {
      if !isRemembered(vault) { remembered = try location.device.remembered(of: vault.vaultID) }
      if !isRemembered(vault) {
        if seen?.newest?.head != vault.head {
          guard try location.log.synchronize(to: position) else { return }
          recordDurable(vault, isRemembered: false)
        }
        if try !location.device.remember(vault, waiting: false) {
          // Otherwise, an older copy that another process accepts would remain refused here.
          lastRemembered = 0
          return
        }
      }
      recordDurable(vault, isRemembered: true)
    } catch {
      // The record stays in memory. The next full read, write or `diagnose()` reports the error.
      lastRemembered = vault.head.sequence
    }
  }

  /// Whether all records are certainly on disk, as those are that the machine's state contains.
  var isOnDisk: Bool {
    position == .nowhere || remembered?.head.sequence ?? 0 >= chain.head.sequence
  }

  private func isRemembered(_ vault: RememberedVault) -> Bool {
    guard let remembered, remembered.keys != nil else { return false }
    return remembered.head.sequence >= vault.head.sequence
  }

  /// Records a durable log record, and whether the machine's state contains it or a newer one.
  mutating func recordDurable(_ vault: RememberedVault, isRemembered: Bool) {
    lastRemembered = max(lastRemembered, vault.head.sequence)
    if isRemembered, remembered?.head.sequence ?? 0 <= vault.head.sequence { remembered = vault }
    guard let seen, seen.newest?.head.sequence ?? 0 <= vault.head.sequence else { return }
    self.seen?.newest = vault
    self.seen?.newest?.keepKeys(of: seen.newest)
    self.seen?.isRemembered = isRemembered
  }
}
