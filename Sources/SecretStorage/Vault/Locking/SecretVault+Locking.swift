import CLibrary
import Concurrency

// Locking and unlocking the vault at the app's request.
extension SecretVault {
  /// Whether the vault exists and its user key is not in memory; throws ``SecretStoreError``.
  public var isLocked: Bool {
    get throws { try read { !$0.keys.isUnlocked } }
  }

  /// Removes the vault's keys from memory, except those that may stay until the process ends.
  ///
  /// Items that are ``Accessibility/whenUnlocked`` cannot be read or written until the app unlocks
  /// the vault; attributes can still be searched. Any program of this user can unlock a vault with
  /// a device slot. Key derivations in other threads throw ``SecretStoreError/cancelled``.
  public func lock() {
    // A forked child does not inherit the keys.
    if Fork.isChild { return }
    contents.withLock { contents in
      contents.lock()
      contents.session.lockCount += 1
    }
    notifyObservers()
  }

  /// Unlocks the vault with this device's key or a credential, without user interaction.
  ///
  /// - Throws: ``SecretStoreError/locked(_:)`` if there is no slot for either key,
  ///   ``SecretStoreError/otherDevice(_:)`` if the device slot is another machine's, or
  ///   ``SecretStoreError/wrongKey(_:)`` if the credential does not open its slot.
  public func unlock() throws {
    let wasLocked = try read { contents throws(SecretStoreError) in
      defer { contents.keys.isLockedByApp = false }
      contents.position = nil
      return contents.keys.isLockedByApp
    }
    try withContents { contents throws(SecretStoreError) in
      if wasLocked, contents.trustError != nil { contents.lock() }
      if let error = contents.trustError { throw error }
      if contents.keys.isUnlocked { return }
      if let error = contents.keys.unattendedError { throw error }
      throw contents.keys.table?.hasDevice == true
        ? .otherDevice("The vault") : contents.keys.lockedError
    }
    notifyObservers()
  }

  /// Unlocks the vault with a key for one of its slots.
  ///
  /// A passphrase takes about half a second and 16 MiB to 1 GiB of memory, depending on the slot's
  /// cost; other keys take no noticeable time. If other processes rotate the keys meanwhile, the
  /// key is tried on the new slots; the third and last attempt excludes writers.
  ///
  /// - Throws:
  ///   - ``SecretStoreError/wrongPassphrase``, ``SecretStoreError/wrongKey(_:)`` or
  ///     ``SecretStoreError/otherDevice(_:)`` if the key opens none of the slots for its kind.
  ///   - ``SecretStoreError/corrupted(_:)`` if the slot is damaged or its cost is not allowed.
  ///   - ``SecretStoreError/invalid(_:)`` if there is no such slot, or for a key of a wrong length.
  ///   - ``SecretStoreError/cancelled`` if the task is cancelled or ``lock()`` is called during the
  ///     derivation. The vault then remains locked.
  ///   - ``SecretStoreError/busy(path:holder:)`` if the last attempt times out on writers.
  ///   - The error of reading the key.
  public func unlock(with key: UnlockKey) throws {
    try SecretStoreError.checkProcess()
    let lockCount = lockCount
    for _ in 0..<2 where try attemptUnlock(with: key, after: lockCount) { return notifyObservers() }
    // Other processes cannot rotate the keys again during the last attempt.
    let isUnlocked = try location.log.withWriterLock { _ throws(SecretStoreError) in
      try attemptUnlock(with: key, after: lockCount)
    }
    guard isUnlocked else {
      throw SecretStoreError.unavailable(
        "The keys of \(try location.log.name) changed while it was being unlocked. Try again.")
    }
    notifyObservers()
  }

  /// Returns a check that cancels a key derivation if ``lock()`` was called since a lock count.
  func cancellation(after count: UInt64) -> () throws(SecretStoreError) -> Void {
    { () throws(SecretStoreError) in if self.lockCount != count { throw .cancelled } }
  }

  /// Unlocks the vault with a key; returns false if the user key is replaced during the attempt.
  private func attemptUnlock(
    with key: UnlockKey, after lockCount: UInt64
  ) throws(SecretStoreError) -> Bool {
    let location = try location
    // This detects a rollback before any slot is tried: an older copy may contain removed slots.
    guard let table = try currentTable(),
      table.slots.contains(where: { $0.kind.accepts(key.kind) })
    else { throw key.missingSlotError }
    let slotKey = try key.slotKey(location.device, for: table)
    let user = try table.open(
      with: slotKey, otherwise: key.wrongKeyError, checking: cancellation(after: lockCount))
    return try unlock(withUserKey: user, of: table, after: lockCount)
  }

  /// Reads the vault again with the user key of a table; returns false if the key was replaced.
  ///
  /// Throws `cancelled` if the vault was locked since `lockCount` was read.
  func unlock(
    withUserKey user: Secret, of table: KeyTable, after lockCount: UInt64
  ) throws(SecretStoreError) -> Bool {
    try read { contents throws(SecretStoreError) in
      if contents.session.lockCount != lockCount, !locketBreak(37) { throw .cancelled }
      contents.keys.ring.adapt(to: table)
      contents.keys.ring.user = user
      contents.keys.isLockedByApp = false
      contents.position = nil
    }
    return try withContents { contents throws(SecretStoreError) in
      if let trustError = contents.trustError {
        contents.lock()
        throw trustError
      }
      if contents.keys.isUnlocked { return true }
      if contents.session.lockCount != lockCount { throw .cancelled }
      // A forged file may contain tables with several user keys, so that retries would never end.
      if contents.damage.isEmpty { return false }
      throw .corrupted("Key tables are not authentic; damaged: \(contents.damage.description)")
    }
  }
}

extension VaultContents {
  mutating func lock() {
    keys.isLockedByApp = true
    keys.pendingRing = nil
    keys.ring.lock()
    session.idle?.stop()
    session.changeCount += 1
    cipher.eraseKeys()
  }

  mutating func lockIfIdle() -> Bool {
    guard session.idle?.hasEnded == true else { return false }
    lock()
    return true
  }

  mutating func beginIdlePeriod() {
    if keys.ring.user != nil { session.idle?.begin() }
  }
}
