import StorageInternals

extension SecretVault {
  /// Opens the vault with a key for one of its slots.
  ///
  /// With a passphrase it takes about half a second, on purpose, and as much memory as its slot
  /// says: 16 MiB to 1 GiB. With anything else it takes no time.
  ///
  /// - Throws: ``SecretStoreError/wrongPassphrase``, ``SecretStoreError/wrongKey(_:)`` or
  ///   ``SecretStoreError/otherDevice(_:)`` when the key opens none of the slots of its kind,
  ///   ``SecretStoreError/corrupted(_:)`` when it is right but the slot is damaged, or when the slot asks
  ///   for more or less work than a slot may, ``SecretStoreError/invalid(_:)`` when the vault has no such
  ///   slot or the key is too short or too long, ``SecretStoreError/cancelled`` when ``lock()`` was called
  ///   meanwhile, as by a signal: the vault stays locked then; or what kept the key from being read.
  public func unlock(with key: UnlockKey) throws(SecretStoreError) {
    let lockings = contents.withLock { $0.lockings }
    while try !takeUserKey(from: key, after: lockings) {}
    announce()
  }

  /// Opens the vault with a key, unless it gets another user key meanwhile; then false.
  private func takeUserKey(
    from key: UnlockKey, after lockings: UInt64
  ) throws(SecretStoreError) -> Bool {
    let parts = try parts
    let table = try withContents { contents throws(SecretStoreError) in contents.keys.table }
    guard let table, table.slots.contains(where: key.fits) else {
      throw .invalid("The vault has no \(key.kind)")
    }
    let slotKey = try key.slotKey(parts.device, for: table)
    let user = try table.open(with: slotKey, cipher, otherwise: key.refusal) {
      () throws(SecretStoreError) in
      if contents.withLock({ $0.lockings }) != lockings { throw .cancelled }
    }
    return try unlock(withUserKey: user, of: table, after: lockings)
  }

  /// Reads the vault anew with the user key of a table, unless it has another one by now; then
  /// false.
  ///
  /// Throws ``SecretStoreError/cancelled`` when the app has locked the vault more often than it is
  /// given.
  func unlock(
    withUserKey user: Secret, of table: KeyTable, after lockings: UInt64
  ) throws(SecretStoreError) -> Bool {
    try withContents { contents throws(SecretStoreError) in
      if contents.lockings != lockings { throw .cancelled }
      _ = contents.keys.ring.adapt(to: table)
      contents.keys.ring.user = user
      contents.keys.isLockedByApp = false
      contents.startOver()
    }
    return try withContents { contents throws(SecretStoreError) in
      if let distrust = contents.distrust { throw distrust }
      if contents.keys.isUnlocked { return true }
      if contents.lockings != lockings { throw .cancelled }
      // A forged file may have tables of several user keys, of which each attempt would meet
      // another.
      if contents.damage.isEmpty { return false }
      throw .corrupted("Tables of keys are not authentic; damaged: \(contents.damage.description)")
    }
  }
}

extension KeyTable {
  /// The user key, if a key opens a slot.
  ///
  /// The closure is called before each slot that is tried, and may end the work.
  func open(
    with key: SlotKey, _ cipher: any SecretCipher,
    otherwise refusal: SecretStoreError = .wrongPassphrase,
    checking check: () throws(SecretStoreError) -> Void = {}
  ) throws(SecretStoreError) -> Secret {
    var failure = refusal
    var work: UInt64 = 0
    for slot in slots {
      if case .passphrase = key { work += slot.work }
      guard work <= Self.workLimit else {
        // A file that asks for hours was made to.
        throw .corrupted("The key slots of passphrases ask for an absurd amount of work together")
      }
      try check()
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

extension KeySlot {
  /// What trying the slot with a passphrase costs, in bytes of memory, each pass over it counted.
  var work: UInt64 {
    guard case .passphrase(let cost, _) = content, cost.isBearable, let memory = cost.memory else {
      return 0
    }
    return memory * UInt64(cost.parallelization)
  }
}
