extension SecretVault {
  /// The slots of the vault, in the order in which they were added; empty if there is no vault.
  ///
  /// The vault need not be unlocked: slots are not secret. While it is locked, slots may be forged
  /// if ``Verification/isKeyTableProven`` is false.
  ///
  /// - Throws: ``SecretStoreError`` when the vault cannot be read.
  public var slots: [Slot] {
    get throws { try knownTable()?.slots.map(Slot.init) ?? [] }
  }

  func knownTable() throws(SecretStoreError) -> KeyTable? {
    try withContents { contents throws(SecretStoreError) in try contents.knownTable() }
  }

  /// Adds a key that opens the vault.
  ///
  /// A key file or credential is read now, and its content is the key: after the file changes, it
  /// no longer opens the vault. If there is no vault, one is created with a slot for this device.
  ///
  /// - Parameters:
  ///   - key: The key that opens the vault from now on, besides the present ones.
  ///   - name: The app's name for the slot, in 1 to 200 bytes. It is not secret: it can be read
  ///     from the file.
  ///   - cost: The cost of each unlock with a passphrase; nil means the result of
  ///     ``ScryptCost/calibrated(to:cipher:)``. Other keys cost nothing.
  /// - Returns: The new slot.
  /// - Throws: ``SecretStoreError/locked`` when the vault is locked,
  ///   ``SecretStoreError/invalid(_:)`` for a name, a cost or a key outside its limits, or when
  ///   this device already has a slot, ``SecretStoreError/unavailable(_:)`` when there is no such
  ///   credential, ``SecretStoreError/cancelled`` when ``lock()`` is called or the task is
  ///   cancelled while the key of a passphrase is derived, or the error of reading the key or
  ///   writing the vault. On error, nothing changes.
  @discardableResult
  public func addSlot(
    _ key: UnlockKey, named name: String, cost: ScryptCost? = nil
  ) throws -> Slot {
    try Slot.check(name)
    let user = try requireUnlocked()
    if case .device = key { return try addDeviceSlot(named: name) }
    let slotKey = try key.slotKey(parts.device).stretched(
      cost: cost, for: user, cipher, checking: cancellationByLocking)
    return try changeKeys { change throws(SecretStoreError) in
      Slot(try change.addSlot(named: name, slotKey))
    }
  }

  private func addDeviceSlot(named name: String) throws(SecretStoreError) -> Slot {
    try changeKeys { change throws(SecretStoreError) in
      // A new vault already has this slot, under another name.
      if change.isNew { change.table.slots = [] }
      let secret = try change.deviceSecret()
      for slot in change.table.slots
      where try slot.isOfDevice(secret, by: change.table.sealer(cipher)) {
        throw .invalid("This device has the vault's slot \(slot.id) already, \"\(slot.name)\"")
      }
      return Slot(try change.addSlot(named: name, .device(secret)))
    }
  }

  /// Adds a new random code that opens the vault, as a last resort if all other keys are lost.
  ///
  /// The app shows the code once, for the user to write down. The vault does not store it. The name
  /// is the app's name for the slot, in 1 to 200 bytes.
  ///
  /// - Returns: The new slot, and the code.
  /// - Throws: The errors of ``addSlot(_:named:cost:)``.
  public func addRecoveryCode(
    named name: String
  ) throws -> (slot: Slot, code: RecoveryCode) {
    let code = try RecoveryCode.random()
    return (try addSlot(.recoveryCode(code), named: name), code)
  }

  /// Removes a slot.
  ///
  /// The vault is written to a new file, so that the slot is no longer in it. The user key stays
  /// the same: an older copy of the file still reveals it to the removed key, and a process that
  /// has the vault unlocked keeps it unlocked. A file that a repair replaced is such a copy:
  /// ``SecretStores/onFailure`` reports it, and ``removeDamagedCopies()`` removes it. Removing the
  /// last passphrase also removes the items that are
  /// ``Accessibility/whenPasscodeSetThisDeviceOnly``, and their key.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` when the vault has no such slot, or when no other
  ///   slot would open it here: add one first. Slots of other devices, and slots that this version
  ///   does not know, do not count. ``SecretStoreError/locked`` when the vault is locked, or the
  ///   error of writing it.
  public func removeSlot(_ id: Slot.ID) throws {
    try requireUnlocked()
    try changeKeys { change throws(SecretStoreError) in
      let removed = try change.table.slot(id)
      change.table.slots.removeAll { $0.id == id }
      var opens = false
      for slot in change.table.slots where !opens { opens = try change.isOpenable(slot) }
      guard opens else {
        throw SecretStoreError.invalid(
          """
          The slot \(id), \"\(removed.name)\", is the last one that opens the vault here. Add another \
          before you remove it
          """)
      }
      change.removeWhatNeedsAPassphrase()
    }
    reportDamagedCopies()
  }

  /// Renames a slot; the name has 1 to 200 bytes.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` for any other name, or when the vault has no such
  ///   slot; ``SecretStoreError/locked`` when the vault is locked, or the error of writing it.
  public func renameSlot(_ id: Slot.ID, to name: String) throws {
    try Slot.check(name)
    try requireUnlocked()
    try changeKeys { change throws(SecretStoreError) in
      var slot = try change.table.slot(id)
      slot.name = name
      change.table.replace(by: slot)
    }
  }

  /// Returns the user key, or nil if there is no vault; throws early if the vault is locked.
  @discardableResult
  func requireUnlocked() throws(SecretStoreError) -> Secret? {
    try read { contents throws(SecretStoreError) in
      if !contents.keys.isUnlocked { throw contents.keys.lockReason }
      return contents.keys.ring.user
    }
  }
}
