import StorageInternals

extension SecretVault {
  /// Whether the vault is locked: whether it exists and its user key is not in memory.
  ///
  /// - Throws: ``SecretStoreError`` when the vault cannot be read.
  public var isLocked: Bool {
    get throws(SecretStoreError) {
      try withContents { contents throws(SecretStoreError) in !contents.keys.isUnlocked }
    }
  }

  /// Takes the keys of the vault out of memory, but those that stay until the process ends.
  ///
  /// Items that are ``Accessibility/whenUnlocked`` cannot be read or written until the app unlocks the
  /// vault; attributes can still be searched. As long as the vault has its device slot, anybody who
  /// can run a program as this user can open it again.
  public func lock() {
    contents.withLock { contents in
      contents.keys.isLockedByApp = true
      contents.keys.ring.lock()
      contents.keys.coming = nil
      contents.recordKeys = [:]
      contents.generation += 1
    }
    announce()
  }

  /// Opens the vault with this device's slot, after ``lock()``.
  ///
  /// - Throws: ``SecretStoreError/locked`` when the vault has no device slot, or
  ///   ``SecretStoreError/otherDevice(_:)`` when the slot is another machine's.
  public func unlock() throws(SecretStoreError) {
    try withContents { contents throws(SecretStoreError) in
      contents.keys.isLockedByApp = false
      contents.startOver()
    }
    try withContents { contents throws(SecretStoreError) in
      if contents.keys.isUnlocked { return }
      throw contents.keys.table?.hasDevice == true ? .otherDevice("The vault") : .locked
    }
    announce()
  }

  /// Opens the vault with a key for one of its slots.
  ///
  /// With a passphrase it takes some tenths of a second and 128 MiB of memory, on purpose.
  ///
  /// - Throws: ``SecretStoreError/wrongPassphrase`` when the key opens none of the slots of its kind,
  ///   ``SecretStoreError/corrupted(_:)`` when it is right but the slot is damaged,
  ///   ``SecretStoreError/invalid(_:)`` when the vault has no such slot, or what kept the key from
  ///   being read.
  public func unlock(with key: UnlockKey) throws(SecretStoreError) {
    while try !takeUserKey(from: key) {}
    announce()
  }

  /// Opens the vault with a key, unless it gets another user key meanwhile; then false.
  private func takeUserKey(from key: UnlockKey) throws(SecretStoreError) -> Bool {
    let parts = try parts
    let table = try withContents { contents throws(SecretStoreError) in contents.keys.table }
    guard let table, table.slots.contains(where: key.fits) else {
      throw .invalid("The vault has no \(key.kind)")
    }
    let user = try table.open(with: key.slotKey(parts.device), cipher)
    try withContents { contents throws(SecretStoreError) in
      _ = contents.keys.ring.adapt(to: table)
      contents.keys.ring.user = user
      contents.keys.isLockedByApp = false
      contents.startOver()
    }
    return try withContents { contents throws(SecretStoreError) in
      if let distrust = contents.distrust { throw distrust }
      if contents.keys.isUnlocked { return true }
      // A forged file may have tables of several user keys, of which each attempt would meet another.
      if contents.damage.isEmpty { return false }
      throw .corrupted("Tables of keys are not authentic; damaged: \(contents.damage.description)")
    }
  }

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
  /// earlier passphrase.
  ///
  /// The vault is made if there is none, and written to a new file otherwise, so that what opened it
  /// before is not in the file any more. The user key stays the same: who has an old copy of the vault
  /// and what opened it then has the user key, and with it every later state of the vault too, up to
  /// the next ``rotateKeys(keeping:removingOtherSlots:reporting:)``. There is no way back to the items
  /// without the passphrase.
  ///
  /// - Parameters:
  ///   - passphrase: Not empty. Its bytes count, so give it in one Unicode normalisation form.
  ///   - cost: What each unlocking costs.
  /// - Throws: ``SecretStoreError/locked`` when the vault is, or ``SecretStoreError/invalid(_:)`` for
  ///   an empty passphrase or a cost without sense or of more than 1 GiB.
  public func setPassphrase(
    _ passphrase: Secret, cost: ScryptCost = .standard
  ) throws(SecretStoreError) {
    if passphrase.count == 0 { throw .invalid("A passphrase must not be empty") }
    if !cost.isBearable { throw .invalid("A key slot of that cost could not be opened again") }
    try changeKeys { keys, table, user, _ throws(SecretStoreError) in
      table.slots = [
        try KeySlot(
          id: table.nextSlotID, name: "passphrase", sealing: user, under: .passphrase(passphrase),
          cost: cost, in: table.vaultID, cipher)
      ]
      let purpose = KeyPurpose.secrets(.whenPasscodeSetThisDeviceOnly)
      if table.key(for: purpose) == nil { try keys.makeKey(purpose, in: &table, cipher) }
    }
  }

  /// Lets this device open the vault from now on, and no passphrase.
  ///
  /// Items that are ``Accessibility/whenPasscodeSetThisDeviceOnly`` are removed.
  ///
  /// - Throws: ``SecretStoreError/locked`` when the vault is.
  public func removePassphrase() throws(SecretStoreError) {
    let device = try parts.device
    try changeKeys { keys, table, user, index throws(SecretStoreError) in
      let secret = try device.makeSecret()
      keys.ring.device = secret
      table.slots = [
        try KeySlot(
          id: table.nextSlotID, name: "this device", sealing: user, under: .device(secret),
          cost: .standard, in: table.vaultID, cipher)
      ]
      let purpose = KeyPurpose.secrets(.whenPasscodeSetThisDeviceOnly)
      table.keys.removeAll { $0.purpose == purpose }
      for entry in Array(index.items)
      where entry.secret.accessibility == .whenPasscodeSetThisDeviceOnly {
        index.remove(entry.id)
      }
    }
  }

  /// Writes the vault to a new file with other keys, or makes it with them.
  ///
  /// A table that was merely appended would leave the one before in the file, for whoever has what
  /// opens that.
  private func changeKeys(
    _ change: (inout VaultKeys, inout KeyTable, Secret, inout VaultIndex)
      throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) {
    let device = try parts.device
    try rewrite { contents throws(SecretStoreError) in
      var keys = try VaultDraft(contents, device).keys
      guard var table = keys.table, let user = keys.ring.user else { throw keys.lockReason }
      try change(&keys, &table, user, &contents.index)
      keys.table = table
      contents.keys = keys
    }
    announce()
  }
}

extension KeyTable {
  fileprivate var nextSlotID: UInt32 { (slots.map(\.id).max() ?? 0) + 1 }

  /// The user key, if a key opens a slot.
  func open(
    with key: SlotKey, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Secret {
    var failure = SecretStoreError.wrongPassphrase
    for slot in slots {
      do {
        if let user = try slot.open(with: key, in: vaultID, cipher) { return user }
      } catch {
        // Another slot may be intact.
        failure = error
      }
    }
    throw failure
  }
}
