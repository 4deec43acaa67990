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
  ///
  /// An ``unlock(with:)`` that another thread has begun ends with ``SecretStoreError/cancelled``.
  public func lock() {
    contents.withLock { contents in
      contents.lock()
      contents.lockings += 1
    }
    announce()
  }

  /// Opens the vault with what needs nobody, this device's key or a credential, after ``lock()``.
  ///
  /// - Throws: ``SecretStoreError/locked`` when the vault has no slot for either,
  ///   ``SecretStoreError/otherDevice(_:)`` when the slot is another machine's, or
  ///   ``SecretStoreError/wrongKey(_:)`` when it is for another credential of that name.
  public func unlock() throws(SecretStoreError) {
    try withContents { contents throws(SecretStoreError) in
      contents.keys.isLockedByApp = false
      contents.startOver()
    }
    try withContents { contents throws(SecretStoreError) in
      if contents.keys.isUnlocked { return }
      if let obstacle = contents.keys.obstacle { throw obstacle }
      throw contents.keys.table?.hasDevice == true ? .otherDevice("The vault") : .locked
    }
    announce()
  }
}
