import Concurrency

extension SecretVault {
  /// Whether the vault is locked: it exists, and its user key is not in memory.
  ///
  /// - Throws: ``SecretStoreError`` when the vault cannot be read.
  public var isLocked: Bool {
    get throws {
      try withContents { contents throws(SecretStoreError) in
        try contents.knownTable() != nil && !contents.keys.isUnlocked
      }
    }
  }

  /// Removes the keys of the vault from memory, except those that stay until the process ends.
  ///
  /// Items that are ``Accessibility/whenUnlocked`` cannot be read or written until the app unlocks
  /// the vault; attributes can still be searched. While the vault has its device slot, any program
  /// of this user can unlock it again.
  ///
  /// Where another thread derives the key of a passphrase of the vault, as to unlock it, that call
  /// throws ``SecretStoreError/cancelled``.
  public func lock() {
    contents.withLock { contents in
      contents.lock()
      contents.lockings += 1
    }
    notifyObservers()
  }

  /// Unlocks the vault after ``lock()`` with this device's key or a credential, unattended.
  ///
  /// - Throws: ``SecretStoreError/locked`` when the vault has no slot for either,
  ///   ``SecretStoreError/otherDevice(_:)`` when the slot is another machine's, or
  ///   ``SecretStoreError/wrongKey(_:)`` when it is for another credential of that name.
  public func unlock() throws {
    try withContents { contents throws(SecretStoreError) in
      contents.keys.isLockedByApp = false
      contents.startOver()
    }
    try withContents { contents throws(SecretStoreError) in
      if try contents.knownTable() == nil || contents.keys.isUnlocked { return }
      if let obstacle = contents.keys.unattendedError { throw obstacle }
      throw contents.keys.table?.hasDevice == true ? .otherDevice("The vault") : .locked
    }
    notifyObservers()
  }

  /// Unlocks the vault with a key for one of its slots.
  ///
  /// A passphrase deliberately takes about half a second and as much memory as its slot states: 16
  /// MiB to 1 GiB. Other keys take no noticeable time.
  ///
  /// - Throws: ``SecretStoreError/wrongPassphrase``, ``SecretStoreError/wrongKey(_:)`` or
  ///   ``SecretStoreError/otherDevice(_:)`` when the key opens none of the slots of its kind,
  ///   ``SecretStoreError/corrupted(_:)`` when it is right but the slot is damaged, or when the
  ///   slot asks for more or less work than allowed, ``SecretStoreError/invalid(_:)`` when the
  ///   vault has no such slot or the key is too short or too long, ``SecretStoreError/cancelled``
  ///   when ``lock()`` was called meanwhile, as by a signal (the vault then stays locked), or the
  ///   task was cancelled, or the error of reading the key.
  public func unlock(with key: UnlockKey) throws {
    let lockings = contents.withLock { $0.lockings }
    while try !takeUserKey(from: key, after: lockings) {}
    notifyObservers()
  }

  /// A check that throws ``SecretStoreError/cancelled`` after the next ``lock()``; it ends a slow
  /// key derivation.
  var cancellationByLocking: () throws(SecretStoreError) -> Void {
    cancellation(after: contents.withLock { $0.lockings })
  }

  private func cancellation(
    after lockings: UInt64
  ) -> () throws(SecretStoreError) -> Void {
    { () throws(SecretStoreError) in
      if self.contents.withLock({ $0.lockings }) != lockings { throw .cancelled }
    }
  }

  /// Unlocks the vault with a key; returns false if the vault gets another user key meanwhile.
  private func takeUserKey(
    from key: UnlockKey, after lockings: UInt64
  ) throws(SecretStoreError) -> Bool {
    let parts = try parts
    // Detects a rollback before any slot is tried: an older copy may have slots removed since.
    let table = try read { contents throws(SecretStoreError) in try contents.knownTable() }
    guard let table, table.slots.contains(where: { $0.kind.accepts(key.kind) }) else {
      throw key.absence
    }
    let slotKey = try key.slotKey(parts.device, for: table)
    let user = try table.open(
      with: slotKey, cipher, otherwise: key.refusal, checking: cancellation(after: lockings))
    return try unlock(withUserKey: user, of: table, after: lockings)
  }

  /// Reads the vault again with the user key of a table; returns false if it has another one by
  /// now.
  ///
  /// Throws ``SecretStoreError/cancelled`` when the app has locked the vault more than `lockings`
  /// times.
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
      if let distrust = contents.distrust {
        contents.lock()
        throw distrust
      }
      if contents.keys.isUnlocked { return true }
      if contents.lockings != lockings { throw .cancelled }
      // A forged file may have tables of several user keys, so that retrying would never end.
      if contents.damage.isEmpty { return false }
      throw .corrupted("Tables of keys are not authentic; damaged: \(contents.damage.description)")
    }
  }
}
