extension SecretVault {
  /// Whether the vault has a passphrase.
  ///
  /// - Throws: ``SecretStoreError`` when the vault cannot be read.
  public var hasPassphrase: Bool {
    get throws(SecretStoreError) {
      try withContents { contents throws(SecretStoreError) in
        contents.keys.table?.hasPassphrase ?? false
      }
    }
  }

  /// Lets a passphrase open the vault from now on, and nothing else: neither this device nor an
  /// earlier passphrase, nor any other slot.
  ///
  /// ``addSlot(_:named:cost:)`` lets it open the vault as well. The vault is made if there is none, and
  /// written to a new file otherwise, so that what opened it before is not in the file any more.
  /// The user key stays the same: who has an old copy of the vault and what opened it then has the
  /// user key, and with it every later state of the vault too. There is no way back to the items
  /// without the passphrase.
  ///
  /// - Parameters:
  ///   - passphrase: 1 byte to 64 KiB. Its bytes count, so give it in one Unicode normalisation form.
  ///   - cost: What each unlocking costs; nil means what ``ScryptCost/calibrated(to:cipher:)`` finds.
  /// - Throws: ``SecretStoreError/locked`` when the vault is, or ``SecretStoreError/invalid(_:)`` for
  ///   a passphrase that is empty or too long or a cost of less than ``ScryptCost/minimum`` or more than
  ///   1 GiB.
  public func setPassphrase(
    _ passphrase: Secret, cost: ScryptCost? = nil
  ) throws(SecretStoreError) {
    let user = try requireUnlocked()
    let key = try UnlockKey.passphrase(passphrase).slotKey(parts.device)
    let sealing = try SlotSealing(key, cost: cost, for: user, cipher)
    try changeKeys { change throws(SecretStoreError) in
      let slot = try change.addSlot(named: "passphrase", sealing)
      change.table.slots = [slot]
    }
  }

  /// Lets this device open the vault from now on, and nothing else: no passphrase, nor any other
  /// slot.
  ///
  /// Items that are ``Accessibility/whenPasscodeSetThisDeviceOnly`` are removed.
  ///
  /// - Throws: ``SecretStoreError/locked`` when the vault is.
  public func removePassphrase() throws(SecretStoreError) {
    try requireUnlocked()
    try changeKeys { change throws(SecretStoreError) in
      let slot = try change.addSlot(named: "this device", .device(change.deviceSecret()))
      change.table.slots = [slot]
      change.removeWhatNeedsAPassphrase()
    }
  }

  /// Puts another passphrase in the place of one, and leaves all other slots as they are.
  ///
  /// The vault may be locked, and stays so: the old passphrase is enough. The slot is not in the
  /// file any more as it was, but the user key stays the same, as after ``removeSlot(_:)``.
  ///
  /// - Parameters:
  ///   - id: The slot of the passphrase; nil means the only one.
  ///   - old: The passphrase that opens the slot now.
  ///   - new: 1 byte to 64 KiB. Its bytes count, so give it in one Unicode normalisation form.
  ///   - cost: What each unlocking costs; nil means what ``ScryptCost/calibrated(to:cipher:)`` finds.
  /// - Throws: ``SecretStoreError/wrongPassphrase`` when the old one does not open the slot,
  ///   ``SecretStoreError/corrupted(_:)`` when it does but the slot is damaged,
  ///   ``SecretStoreError/invalid(_:)`` when there is no such slot, several and none was named, or for a
  ///   passphrase or cost outside of its limits; or what kept the vault from being written. Nothing was
  ///   changed then.
  public func changePassphrase(
    ofSlot id: Slot.ID? = nil, from old: Secret, to new: Secret, cost: ScryptCost? = nil
  ) throws(SecretStoreError) {
    let parts = try parts
    let oldKey = try UnlockKey.passphrase(old).slotKey(parts.device)
    let newKey = try UnlockKey.passphrase(new).slotKey(parts.device)
    let table = try read { contents throws(SecretStoreError) in contents.keys.table }
    guard let table else { throw .invalid("The vault has no passphrase") }
    let slot = try table.passphraseSlot(id)
    guard let user = try slot.open(with: oldKey, in: table.vaultID, cipher) else {
      throw .wrongPassphrase
    }
    let sealing = try SlotSealing(newKey, cost: cost, for: user, cipher)
    // Another object, as another process would have one: this one stays locked if it is.
    let other = SecretVault(cipher: cipher) { parts }
    other.lockTimeout = lockTimeout
    // Whoever rotated the keys meanwhile decided what opens the vault.
    guard try other.unlock(withUserKey: user, of: table, after: 0) else { throw .conflict }
    try other.changeKeys { change throws(SecretStoreError) in
      let present = try change.table.slot(slot.id)
      // Whoever changed it meanwhile made the old passphrase a wrong one.
      guard present.isSealed(as: slot) else { throw .wrongPassphrase }
      let changed = try KeySlot(
        id: slot.id, name: present.name, sealing: user, under: sealing, in: table.vaultID, cipher)
      change.table.replace(present, by: changed)
    }
    announce()
  }
}

extension KeyTable {
  /// The slot of a passphrase, by its number or as the only one.
  fileprivate func passphraseSlot(_ id: UInt32?) throws(SecretStoreError) -> KeySlot {
    if let id {
      let slot = try slot(id)
      guard slot.isForPassphrase else {
        throw .invalid("The slot \(id), \"\(slot.name)\", is not for a passphrase")
      }
      return slot
    }
    let found = slots.filter(\.isForPassphrase)
    guard let slot = found.first else { throw .invalid("The vault has no passphrase") }
    if found.count > 1 {
      throw .invalid("The vault has \(found.count) passphrases: say the slot of which one it is")
    }
    return slot
  }
}

extension KeySlot {
  fileprivate var isForPassphrase: Bool {
    if case .passphrase = content { true } else { false }
  }

  /// Whether this slot of a passphrase is the same as another, whatever its name is.
  fileprivate func isSealed(as other: KeySlot) -> Bool {
    guard case .passphrase(let cost, let key) = content,
      case .passphrase(let otherCost, let otherKey) = other.content
    else { return false }
    return cost == otherCost && key.salt == otherKey.salt && key.sealed == otherKey.sealed
  }
}
