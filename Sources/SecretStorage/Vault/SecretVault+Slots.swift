// The key slots.
extension SecretVault {
  /// The slots, also of a locked vault, the oldest first; throws ``SecretStoreError``.
  ///
  /// They may be forged unless ``Verification/isKeyTableProven`` is true.
  public var slots: [Slot] {
    get throws { try currentTable()?.slots.map(Slot.init) ?? [] }
  }

  /// Returns the newest key table; nil if there is no vault.
  func currentTable() throws(SecretStoreError) -> KeyTable? { try read { $0.keys.table } }

  /// Adds a key that opens the vault.
  ///
  /// A key file or credential is read now, and later only opens the vault with the same content. If
  /// there is no vault, one is created with a slot for this device.
  ///
  /// - Parameters:
  ///   - key: The additional key.
  ///   - name: The name of the slot, 1 to 200 bytes long, which is stored unencrypted.
  ///   - cost: The cost of a passphrase; nil means that of ``ScryptCost/calibrated(to:cipher:)``.
  /// - Returns: The new slot.
  /// - Throws: ``SecretStoreError/locked(_:)``; ``SecretStoreError/invalid(_:)`` if the name, the
  ///   cost or the key is not allowed, or if this device already has a slot;
  ///   ``SecretStoreError/unavailable(_:)`` if there is no such credential;
  ///   ``SecretStoreError/cancelled`` if ``lock()`` is called or the task is cancelled during a key
  ///   derivation; or the error of reading the key or writing the vault. On error, nothing changes.
  @discardableResult
  public func addSlot(
    _ key: UnlockKey, named name: String, cost: ScryptCost? = nil
  ) throws -> Slot {
    try Slot.check(name)
    let user = try requireUnlocked()
    var slotKey: SlotKey?
    if key.kind != .device {
      slotKey = try key.slotKey(location.device).stretched(
        cost: cost, for: user, cipher, checking: cancellation(after: lockCount))
    }
    return try changeKeys { change throws(SecretStoreError) in
      if let slotKey { return Slot(try change.addSlot(named: name, slotKey)) }
      // A new vault already has a slot for this device, under another name.
      if change.isNew { change.table.slots = [] }
      let secret = try change.deviceSecret()
      for slot in change.table.slots
      where try slot.isOfDevice(secret, by: change.table.sealer) {
        throw .invalid("This device already has slot \(slot.id), \"\(slot.name)\"")
      }
      return Slot(try change.addSlot(named: name, .device(secret)))
    }
  }

  /// Adds a new random code that opens the vault if all other keys are lost.
  ///
  /// The app shows the code once, and the user writes it down. The vault does not store it. The
  /// name and the errors are those of ``addSlot(_:named:cost:)``.
  public func addRecoveryCode(
    named name: String
  ) throws -> (slot: Slot, code: RecoveryCode) {
    let code = try RecoveryCode.random()
    return (try addSlot(.recoveryCode(code), named: name), code)
  }

  /// Removes a slot, and rewrites the vault to a new file without it.
  ///
  /// The removed key still opens older copies of the file, because the user key does not change.
  /// ``SecretStores/onFailure`` reports copies that a repair kept; ``removeDamagedCopies()``
  /// removes them. Removing the last passphrase also removes the items that are
  /// ``Accessibility/whenPasscodeSetThisDeviceOnly``.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` if the vault has no such slot, or if no remaining
  ///   slot could open it on this device; ``SecretStoreError/locked(_:)``; or the error of writing.
  public func removeSlot(_ id: Slot.ID) throws {
    try requireUnlocked()
    try changeKeys { change throws(SecretStoreError) in
      _ = try change.table.slot(id)
      change.table.slots.removeAll { $0.id == id }
      var opens = false
      for slot in change.table.slots where !opens { opens = try change.isOpenable(slot) }
      guard opens else {
        throw .invalid(
          "Slot \(id) is the last one that opens the vault on this device: add another")
      }
      change.removePassphraseDependentItems()
    }
    reportDamagedCopies()
  }

  /// Renames a slot.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` if there is no such slot or the name is not 1 to
  ///   200 bytes long, ``SecretStoreError/locked(_:)``, or the error of writing.
  public func renameSlot(_ id: Slot.ID, to name: String) throws {
    try Slot.check(name)
    try requireUnlocked()
    try changeKeys { change throws(SecretStoreError) in
      var slot = try change.table.slot(id)
      slot.name = name
      change.table.replaceSlot(with: slot)
    }
  }

  /// Returns the user key, or nil if there is no vault; throws if the vault is locked.
  @discardableResult
  func requireUnlocked() throws(SecretStoreError) -> Secret? {
    try read { contents throws(SecretStoreError) in
      if !contents.keys.isUnlocked { throw contents.keys.lockReason }
      return contents.keys.ring.user
    }
  }
}

extension SecretVault {
  /// A slot of a vault, which one key opens.
  public struct Slot: Identifiable, Hashable, Sendable {
    /// The kind of key that opens a slot.
    public enum Kind: Hashable, Sendable {
      /// The device key of one machine.
      case device
      /// A passphrase, with the cost of each unlock.
      case passphrase(ScryptCost)
      /// A key file.
      case keyFile
      /// A systemd credential of a service.
      case credential(named: String)
      /// A recovery code.
      case recoveryCode
      /// A kind that a newer version defines.
      case unknown(type: UInt8)
    }

    /// The number that identifies the slot within the vault.
    public let id: UInt32
    /// The name of the slot; several slots may have the same name.
    public let name: String
    /// The kind of key that opens the slot.
    public let kind: Kind
  }
}

extension SecretVault.Slot {
  init(_ slot: KeySlot) {
    id = slot.id
    name = slot.name
    kind = slot.kind
  }

  static func check(_ name: String) throws(SecretStoreError) {
    if !KeySlot.nameSizes.contains(name.utf8.count) {
      throw .invalid("A slot name must be 1 to 200 bytes long, not \(name.utf8.count)")
    }
  }
}
