extension SecretVault {
  /// Opens the vault with a key for one of its slots.
  ///
  /// With a passphrase it takes about half a second and 128 MiB of memory or more, on purpose: as much
  /// as its slot says. With anything else it takes no time.
  ///
  /// - Throws: ``SecretStoreError/wrongPassphrase``, ``SecretStoreError/wrongKey(_:)`` or
  ///   ``SecretStoreError/otherDevice(_:)`` when the key opens none of the slots of its kind,
  ///   ``SecretStoreError/corrupted(_:)`` when it is right but the slot is damaged, or when the slot asks
  ///   for more or less work than a slot may, ``SecretStoreError/invalid(_:)`` when the vault has no such
  ///   slot or the key is too short or too long, or what kept the key from being read.
  public func unlock(with key: UnlockKey) throws(SecretStoreError) {
    let parts = try parts
    let table = try withContents { contents throws(SecretStoreError) in contents.keys.table }
    guard let table, table.slots.contains(where: key.fits) else {
      throw .invalid("The vault has no \(key.kind)")
    }
    let user = try table.open(with: key.slotKey(parts.device), cipher, otherwise: key.refusal)
    try unlock(withUserKey: user)
    announce()
  }

  /// Reads the vault anew with its user key.
  func unlock(withUserKey user: Secret) throws(SecretStoreError) {
    try withContents { contents throws(SecretStoreError) in
      contents.keys.ring.user = user
      contents.keys.isLockedByApp = false
      contents.startOver()
    }
    try withContents { contents throws(SecretStoreError) in
      if let distrust = contents.distrust { throw distrust }
    }
  }
}

extension KeyTable {
  /// The user key, if a key opens a slot.
  func open(
    with key: SlotKey, _ cipher: any SecretCipher,
    otherwise refusal: SecretStoreError = .wrongPassphrase
  ) throws(SecretStoreError) -> Secret {
    var failure = refusal
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
