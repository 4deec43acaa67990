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
  mutating func noteSeen() {
    guard distrust == nil, let table = keys.table else { return }
    if seen?.vaultID != table.vaultID {
      seen = SeenVault(vaultID: table.vaultID, slotTypes: table.slotTypes)
    }
    seen?.slotTypes = table.slotTypes
    vanishing = nil
    // A vault that vanishes again is another discovery.
    reported = reported.filter { if case .replaced = $0 { false } else { true } }
  }

  /// Sets the record that a vault's log must contain, before the log is read from its beginning.
  mutating func expectNewest(of vaultID: [UInt8]) {
    (expected, expectedStart) = (remembered?.head, remembered?.keys?.logStart)
    guard let seen, seen.vaultID == vaultID, let own = seen.newest,
      own.head.sequence > remembered?.head.sequence ?? 0
    else { return }
    if remembered != nil, seen.isRemembered {
      // The machine's state goes back only after an older copy was accepted.
      self.seen?.newest = nil
      keys.known = nil
    } else {
      (expected, expectedStart) = (own.head, own.keys?.logStart ?? expectedStart)
    }
  }

  /// The state that this machine may remember; nil unless all of it is authenticated, because a
  /// forged state would permanently make the sound vault look like an older copy.
  private var proven: RememberedVault? {
    guard distrust == nil, damage.isEmpty, sealedRecords == 0, keys.ring.user != nil else {
      return nil
    }
    return RememberedVault(chain, keys)
  }

  /// Remembers the records of other writers, which may have been killed or run on another machine.
  ///
  /// Does nothing while a writer is active, never waits, and ignores errors, so that reading works.
  mutating func rememberOthers(in parts: VaultLocation) {
    guard chain.head.sequence != lastRemembered, let vault = proven, let position else { return }
    do throws(SecretStoreError) {
      if !isRemembered(vault) { remembered = try parts.device.remembered(of: vault.vaultID) }
      if !isRemembered(vault) {
        guard try parts.log.synchronize(to: position) else { return }
        note(vault, isRemembered: false)
        guard try parts.device.remember(vault, waiting: false) else { return }
      }
      note(vault, isRemembered: true)
    } catch {
      // Keeps the record in memory. The next full read, write or `diagnose()` reports the error.
      lastRemembered = vault.head.sequence
    }
  }

  private func isRemembered(_ vault: RememberedVault) -> Bool {
    guard let remembered, remembered.keys != nil else { return false }
    return remembered.head.sequence >= vault.head.sequence
  }

  /// Notes that a record is durable, and whether the machine's state contains it or a newer one.
  mutating func note(_ vault: RememberedVault, isRemembered: Bool) {
    lastRemembered = max(lastRemembered, vault.head.sequence)
    if isRemembered, remembered?.head.sequence ?? 0 <= vault.head.sequence { remembered = vault }
    guard let seen, seen.newest?.head.sequence ?? 0 <= vault.head.sequence else { return }
    self.seen?.newest = vault
    self.seen?.newest?.keys = vault.keys ?? seen.newest?.keys
    self.seen?.isRemembered = isRemembered
  }
}

extension VaultContents {
  /// Decides whether a missing log means distrust.
  ///
  /// A vault that only this device opened protected nothing from a program that can remove it, so a
  /// new one may replace it. Replacing any other vault would store secrets without its key.
  mutating func judgeAbsence(_ parts: VaultLocation) throws(SecretStoreError) {
    let device = parts.device
    let name = parts.log.name
    notedVaultID = try device.knowsAnyVaultPath ? try device.vaultID(at: name) : nil
    if notedVaultID == DeviceState.noVault { seen = nil }
    guard let vaultID = notedVaultID ?? seen?.vaultID, vaultID != DeviceState.noVault else {
      return
    }
    let remembered = try device.remembered(of: vaultID)
    let own = seen?.vaultID == vaultID ? seen : nil
    // A vault is recorded before it is created, and its creation may have failed.
    if remembered == nil, own == nil { return }
    // The vault may have been created after the log was read.
    let more = try parts.log.changes(since: position)
    if more.startsOver || more.position != position { return try catchUp(with: more, parts) }
    let known = [own?.slotTypes, remembered?.slotTypes].compactMap(\.self)
    let error = SecretStoreError.replaced(
      "\(name) is gone, though this machine knows a vault there")
    if known.allSatisfy({ $0 == KeyTable.deviceSlotType }) {
      vanishing = error
    } else {
      distrust = error
    }
  }

  /// Returns the newest key table; nil if there is no vault; throws if an expected vault has none.
  func knownTable() throws(SecretStoreError) -> KeyTable? {
    if let table = keys.table { return table }
    if let distrust { throw distrust }
    return nil
  }
}

extension RememberedVault {
  /// The slot types; all possible types if they are unknown.
  fileprivate var slotTypes: UInt64 { keys?.slotTypes ?? .max }
}
