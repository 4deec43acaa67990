extension SecretVault {
  /// Whether the vault has a passphrase.
  ///
  /// - Throws: ``SecretStoreError`` when the vault cannot be read.
  public var hasPassphrase: Bool {
    get throws { try findsPassphrase() }
  }

  package func findsPassphrase() throws(SecretStoreError) -> Bool {
    try knownTable()?.hasPassphrase ?? false
  }

  /// Replaces all slots, including this device's, with one for a passphrase.
  ///
  /// To keep the other slots, use ``addSlot(_:named:cost:)``. The vault is created if there is
  /// none, and otherwise written to a new file, so that the old slots are no longer in it. The user
  /// key stays the same: an old copy of the vault and a key that opened it then give the user key,
  /// which opens every later state of the vault too. The same holds for a file that a repair
  /// replaced: ``SecretStores/onFailure`` reports it, and ``removeDamagedCopies()`` removes it.
  /// Without the passphrase, the items cannot be recovered.
  ///
  /// - Parameters:
  ///   - passphrase: 1 byte to 64 KiB. Its bytes count, so give it in one Unicode normalisation
  ///     form.
  ///   - cost: The cost of each unlock; nil means the result of
  ///     ``ScryptCost/calibrated(to:cipher:)``.
  /// - Throws: ``SecretStoreError/locked`` when the vault is locked,
  ///   ``SecretStoreError/invalid(_:)`` for a passphrase that is empty or too long, or a cost below
  ///   ``ScryptCost/minimum`` or above 1 GiB, ``SecretStoreError/cancelled`` when ``lock()`` is
  ///   called or the task is cancelled while its key is derived, or the error of writing the vault.
  public func setPassphrase(
    _ passphrase: Secret, cost: ScryptCost? = nil
  ) throws {
    let user = try requireUnlocked()
    let key = try UnlockKey.passphrase(passphrase).slotKey(parts.device).stretched(
      cost: cost, for: user, cipher, checking: cancellationByLocking)
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
  /// - Throws: ``SecretStoreError/locked`` when the vault is locked.
  public func removePassphrase() throws {
    try requireUnlocked()
    try changeKeys { change throws(SecretStoreError) in
      let slot = try change.addSlot(named: "this device", .device(change.deviceSecret()))
      change.table.slots = [slot]
      change.removeWhatNeedsAPassphrase()
    }
    reportDamagedCopies()
  }

  /// Replaces one passphrase with another, and leaves all other slots unchanged.
  ///
  /// The vault may be locked, and stays so: the old passphrase suffices. The old slot is no longer
  /// in the file, but the user key stays the same, as after ``removeSlot(_:)``.
  ///
  /// - Parameters:
  ///   - id: The slot of the passphrase; nil means the only one.
  ///   - old: The passphrase that opens the slot now.
  ///   - new: 1 byte to 64 KiB. Its bytes count, so give it in one Unicode normalisation form.
  ///   - cost: The cost of each unlock; nil means the result of
  ///     ``ScryptCost/calibrated(to:cipher:)``.
  /// - Throws: ``SecretStoreError/wrongPassphrase`` when the old one does not open the slot,
  ///   ``SecretStoreError/corrupted(_:)`` when it does but the slot is damaged,
  ///   ``SecretStoreError/invalid(_:)`` when there is no such slot, when there are several and `id`
  ///   is nil, or for a passphrase or cost outside its limits; ``SecretStoreError/cancelled`` when
  ///   ``lock()`` is called or the task is cancelled meanwhile; or the error of writing the vault.
  ///   On error, nothing changes.
  public func changePassphrase(
    ofSlot id: Slot.ID? = nil, from old: Secret, to new: Secret, cost: ScryptCost? = nil
  ) throws {
    let parts = try parts
    let oldKey = try UnlockKey.passphrase(old).slotKey(parts.device)
    let newKey = try UnlockKey.passphrase(new).slotKey(parts.device)
    let table = try read { contents throws(SecretStoreError) in contents.keys.table }
    guard let table else { throw SecretStoreError.invalid("The vault has no passphrase") }
    let slot = try table.passphraseSlot(id)
    let check = cancellationByLocking
    let opened = try slot.open(with: oldKey, by: table.sealer(cipher), checking: check)
    guard let user = opened else { throw SecretStoreError.wrongPassphrase }
    let sealing = try newKey.stretched(cost: cost, for: user, cipher, checking: check)
    // A separate object, so that this one stays locked if it is.
    let other = SecretVault(cipher: cipher) { parts }
    other.lockTimeout = lockTimeout
    other.allowsSharedDirectories = allowsSharedDirectories
    // A rotation meanwhile has decided which slots open the vault.
    guard try other.unlock(withUserKey: user, of: table, after: 0) else {
      throw SecretStoreError.conflict
    }
    try other.changeKeys { change throws(SecretStoreError) in
      let present = try change.table.slot(slot.id)
      // After a change meanwhile, the old passphrase is no longer right.
      guard present.kind == slot.kind, present.key == slot.key else {
        throw SecretStoreError.wrongPassphrase
      }
      let changed = try KeySlot(
        id: slot.id, name: present.name, sealing: user, under: sealing, by: table.sealer(cipher))
      change.table.replace(by: changed)
    }
    notifyObservers()
    reportDamagedCopies()
  }
}
