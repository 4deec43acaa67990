// Setting, changing and removing the passphrase.
extension SecretVault {
  /// Whether the vault has a passphrase; throws ``SecretStoreError`` if it cannot be read.
  public var hasPassphrase: Bool {
    get throws { try findsPassphrase() }
  }

  package func findsPassphrase() throws(SecretStoreError) -> Bool {
    try currentTable()?.hasPassphrase ?? false
  }

  /// Replaces all slots, including this device's slot, with one for a passphrase.
  ///
  /// ``addSlot(_:named:cost:)`` keeps the other slots instead. If there is no vault, one is
  /// created. Without the passphrase, the items cannot be recovered. As in ``removeSlot(_:)``, the
  /// old keys still open older copies of the file.
  ///
  /// - Parameters:
  ///   - passphrase: A passphrase as in ``UnlockKey/passphrase(_:)``.
  ///   - cost: The cost of each unlock; nil means that of ``ScryptCost/calibrated(to:cipher:)``.
  /// - Throws: ``SecretStoreError/locked(_:)``; ``SecretStoreError/invalid(_:)`` if the passphrase
  ///   or the cost is not allowed; ``SecretStoreError/cancelled`` if ``lock()`` is called or the
  ///   task is cancelled during the key derivation; or the error of writing.
  public func setPassphrase(
    _ passphrase: Secret, cost: ScryptCost? = nil
  ) throws {
    let user = try requireUnlocked()
    let key = try UnlockKey.passphrase(passphrase).slotKey(location.device).stretched(
      cost: cost, for: user, cipher, checking: cancellation(after: lockCount))
    try changeKeys { change throws(SecretStoreError) in
      let slot = try change.addSlot(named: "passphrase", key)
      change.table.slots = [slot]
    }
    reportDamagedCopies()
  }

  /// Replaces all slots with one for this device, so that no passphrase opens the vault.
  ///
  /// Items that are ``Accessibility/whenPasscodeSetThisDeviceOnly`` are removed.
  ///
  /// - Throws: ``SecretStoreError/locked(_:)``, or the error of writing.
  public func removePassphrase() throws {
    try requireUnlocked()
    try changeKeys { change throws(SecretStoreError) in
      let slot = try change.addSlot(named: "this device", .device(change.deviceSecret()))
      change.table.slots = [slot]
      change.removePassphraseDependentItems()
    }
    reportDamagedCopies()
  }

  /// Replaces one passphrase with another, and leaves all other slots unchanged.
  ///
  /// A locked vault remains locked. As in ``removeSlot(_:)``, the old passphrase still opens older
  /// copies of the file.
  ///
  /// - Parameters:
  ///   - id: The passphrase's slot; nil means the only passphrase slot.
  ///   - old: The passphrase that opens the slot now.
  ///   - new: A passphrase as in ``UnlockKey/passphrase(_:)``.
  ///   - cost: The cost of each unlock; nil means that of ``ScryptCost/calibrated(to:cipher:)``.
  /// - Throws: ``SecretStoreError/wrongPassphrase`` if the old passphrase does not open the slot;
  ///   ``SecretStoreError/corrupted(_:)`` if it is correct but the slot is damaged;
  ///   ``SecretStoreError/invalid(_:)`` if there is no such slot, or several and `id` is nil; or
  ///   the errors of ``setPassphrase(_:cost:)``. On error, nothing changes.
  public func changePassphrase(
    ofSlot id: Slot.ID? = nil, from old: Secret, to new: Secret, cost: ScryptCost? = nil
  ) throws {
    let location = try location
    let oldKey = try UnlockKey.passphrase(old).slotKey(location.device)
    let newKey = try UnlockKey.passphrase(new).slotKey(location.device)
    guard let table = try currentTable() else {
      throw SecretStoreError.invalid("The vault has no passphrase")
    }
    let slot = try table.passphraseSlot(id)
    let check = cancellation(after: lockCount)
    let opened = try slot.open(with: oldKey, by: table.sealer, checking: check)
    guard let user = opened else { throw SecretStoreError.wrongPassphrase }
    let sealing = try newKey.stretched(cost: cost, for: user, cipher, checking: check)
    // A separate object is unlocked, so that this one remains locked if it is.
    let other = SecretVault(cipher: cipher) { _ in location }
    other.allowsSharedDirectories = allowsSharedDirectories
    // If the keys were rotated in the meantime, the rotation decides which slots open the vault.
    guard try other.unlock(withUserKey: user, of: table, after: 0) else {
      throw SecretStoreError.conflict
    }
    try other.changeKeys { change throws(SecretStoreError) in
      let current = try change.table.slot(slot.id)
      // If the slot was changed in the meantime, the old passphrase is no longer correct.
      if current.sealed != slot.sealed { throw .wrongPassphrase }
      let changed = try KeySlot(
        id: slot.id, name: current.name, sealing: user, under: sealing, by: table.sealer)
      change.table.replaceSlot(with: changed)
    }
    notifyObservers()
    reportDamagedCopies()
  }
}
