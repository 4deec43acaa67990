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
      contents.recordKeys = [:]
      contents.generation += 1
    }
    observers.notify()
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
    observers.notify()
  }

  /// Opens the vault with its passphrase.
  ///
  /// It takes some tenths of a second and 128 MiB of memory, on purpose.
  ///
  /// - Throws: ``SecretStoreError/wrongPassphrase``, ``SecretStoreError/corrupted(_:)`` when the
  ///   passphrase is right but the slot is damaged, or ``SecretStoreError/invalid(_:)`` when the vault
  ///   has no passphrase.
  public func unlock(passphrase: Secret) throws(SecretStoreError) {
    let table = try withContents { contents throws(SecretStoreError) in contents.keys.table }
    guard let table, table.hasPassphrase else { throw .invalid("The vault has no passphrase") }
    let user = try table.open(withPassphrase: passphrase, cipher)
    try withContents { contents throws(SecretStoreError) in
      contents.keys.ring.user = user
      contents.keys.isLockedByApp = false
      contents.startOver()
    }
    try withContents { contents throws(SecretStoreError) in
      if let distrust = contents.distrust { throw distrust }
    }
    observers.notify()
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
  /// The vault is made if there is none. Items are not written anew, because the user key stays the
  /// same: who has an old copy of the vault and what opened it then can open that copy. There is no
  /// way back to the items without the passphrase.
  ///
  /// - Parameters:
  ///   - passphrase: Not empty. Its bytes count, so give it in one Unicode normalisation form.
  ///   - cost: What each unlocking costs.
  /// - Throws: ``SecretStoreError/locked`` when the vault is, or ``SecretStoreError/invalid(_:)`` for
  ///   an empty passphrase.
  public func setPassphrase(
    _ passphrase: Secret, cost: ScryptCost = .standard
  ) throws(SecretStoreError) {
    if passphrase.count == 0 { throw .invalid("A passphrase must not be empty") }
    _ = try write(
      VaultWrite(footprint: .keys) { [cipher] draft, _ throws(SecretStoreError) in
        guard var table = draft.keys.table, let user = draft.keys.ring.user else {
          throw draft.keys.lockReason
        }
        table.slots = [
          try .passphrase(
            id: table.nextSlotID, sealing: user, under: passphrase, cost: cost, in: table.vaultID,
            cipher)
        ]
        let purpose = KeyPurpose.secrets(.whenPasscodeSetThisDeviceOnly)
        if table.key(for: purpose) == nil { try draft.makeKey(purpose, in: &table) }
        try draft.append(table)
        return nil
      })
  }

  /// Lets this device open the vault from now on, and no passphrase.
  ///
  /// Items that are ``Accessibility/whenPasscodeSetThisDeviceOnly`` are removed.
  ///
  /// - Throws: ``SecretStoreError/locked`` when the vault is.
  public func removePassphrase() throws(SecretStoreError) {
    let device = try parts.device
    _ = try write(
      VaultWrite(footprint: .keys) { [cipher] draft, contents throws(SecretStoreError) in
        guard var table = draft.keys.table, let user = draft.keys.ring.user else {
          throw draft.keys.lockReason
        }
        let secret = try device.makeSecret()
        table.slots = [
          try .device(
            id: table.nextSlotID, sealing: user, under: secret, in: table.vaultID, cipher)
        ]
        let purpose = KeyPurpose.secrets(.whenPasscodeSetThisDeviceOnly)
        table.keys.removeAll { $0.purpose == purpose }
        for entry in contents.index.items
        where entry.secret.accessibility == .whenPasscodeSetThisDeviceOnly {
          try draft.append(
            .remove(entry.id, revision: entry.revision), as: entry.secret.accessibility)
        }
        try draft.append(table)
        return nil
      })
  }
}

extension KeyTable {
  fileprivate var nextSlotID: UInt32 { (slots.map(\.id).max() ?? 0) + 1 }

  /// The user key, if a passphrase opens a slot.
  fileprivate func open(
    withPassphrase passphrase: Secret, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Secret {
    var failure = SecretStoreError.wrongPassphrase
    for slot in slots {
      do {
        if let user = try slot.open(withPassphrase: passphrase, in: vaultID, cipher) { return user }
      } catch {
        // Another slot may be intact.
        failure = error
      }
    }
    throw failure
  }
}
