extension SecretVault {
  /// One of the ways to open a vault.
  public struct Slot: Identifiable, Hashable, Sendable {
    /// What opens a slot.
    public enum Kind: Hashable, Sendable {
      /// The device key of one machine.
      case device
      /// A passphrase, and what each unlocking with it costs.
      case passphrase(ScryptCost)
      /// A file.
      case keyFile
      /// What systemd gives to a service under a name.
      case credential(named: String)
      /// A code that a person has written down.
      case recoveryCode
      /// What only a newer version knows.
      case unknown(type: UInt8)
    }

    /// The number that tells the slot from the vault's others.
    public let id: UInt32
    /// What the slot was called when it was added; several may have one name.
    public let name: String
    /// What opens the slot.
    public let kind: Kind
  }

  /// What opens the vault, in the order in which it was added; empty as long as there is no vault.
  ///
  /// The vault need not be unlocked: slots are no secret.
  ///
  /// - Throws: ``SecretStoreError`` when the vault cannot be read.
  public var slots: [Slot] {
    get throws(SecretStoreError) {
      try withContents { contents throws(SecretStoreError) in
        if let table = contents.keys.table { return table.slots.map(Slot.init) }
        // What is too damaged to have slots is no vault without any.
        if let distrust = contents.distrust { throw distrust }
        return []
      }
    }
  }

  /// Lets one more key open the vault.
  ///
  /// A key file or credential is read now, and its content is the key: who changes the file cannot
  /// open the vault with it any more. A vault is made if there is none, with a slot for this
  /// device.
  ///
  /// - Parameters:
  ///   - key: What opens the vault from now on, besides what opens it already.
  ///   - name: What the app calls the slot, in 1 to 200 bytes. It is no secret: whoever has the file can
  ///     read it.
  ///   - cost: What each unlocking with a passphrase costs; nil means what
  ///     ``ScryptCost/calibrated(to:cipher:)`` finds. Other keys cost nothing.
  /// - Returns: The new slot.
  /// - Throws: ``SecretStoreError/locked`` when the vault is, ``SecretStoreError/invalid(_:)`` for a name,
  ///   a cost or a key outside of its limits, or when this device has a slot already,
  ///   ``SecretStoreError/unavailable(_:)`` when there is no such credential, or what kept the key from
  ///   being read or the vault from being written. Nothing was changed then.
  @discardableResult
  public func addSlot(
    _ key: UnlockKey, named name: String, cost: ScryptCost? = nil
  ) throws(SecretStoreError) -> Slot {
    try Slot.check(name)
    let user = try requireUnlocked()
    if case .device = key { return try addDeviceSlot(named: name) }
    let sealing = try SlotSealing(key.slotKey(parts.device), cost: cost, for: user, cipher)
    return try changeKeys { change throws(SecretStoreError) in
      Slot(try change.addSlot(named: name, sealing))
    }
  }

  private func addDeviceSlot(named name: String) throws(SecretStoreError) -> Slot {
    try changeKeys { change throws(SecretStoreError) in
      // A new vault has this slot, by another name.
      if change.isNew { change.table.slots = [] }
      let secret = try change.deviceSecret()
      for slot in change.table.slots
      where try slot.isOfDevice(secret, in: change.table.vaultID, cipher) {
        throw .invalid("This device has the vault's slot \(slot.id) already, \"\(slot.name)\"")
      }
      return Slot(try change.addSlot(named: name, .device(secret)))
    }
  }

  /// Lets a new random code open the vault, for the day when everything else is lost.
  ///
  /// The app shows the code once, for the person to write down. The vault does not know it
  /// afterwards. The name is what the app calls the slot, in 1 to 200 bytes.
  ///
  /// - Returns: The new slot, and the code.
  /// - Throws: The errors of ``addSlot(_:named:cost:)``.
  public func addRecoveryCode(
    named name: String
  ) throws(SecretStoreError) -> (slot: Slot, code: RecoveryCode) {
    let code = try RecoveryCode.random()
    return (try addSlot(.recoveryCode(code), named: name), code)
  }

  /// Takes away a way to open the vault.
  ///
  /// The vault is written to a new file, so that the slot is not in it any more. The user key stays
  /// the same: who has an older copy of the file and what opened the slot has it, and whoever has
  /// the vault unlocked keeps it so. With the last passphrase, the items go that are
  /// ``Accessibility/whenPasscodeSetThisDeviceOnly``, and their key.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` when the vault has no such slot, or when no other would
  ///   open it here: add one first. A slot of another device is none that does, and neither is one that
  ///   this version does not know. ``SecretStoreError/locked`` when the vault is, or what kept it from
  ///   being written.
  public func removeSlot(_ id: Slot.ID) throws(SecretStoreError) {
    try requireUnlocked()
    try changeKeys { change throws(SecretStoreError) in
      let removed = try change.table.slot(id)
      change.table.slots.removeAll { $0.id == id }
      var opens = false
      for slot in change.table.slots where !opens { opens = try change.isOpenable(slot) }
      guard opens else {
        throw .invalid(
          """
          The slot \(id), \"\(removed.name)\", is the last one that opens the vault here. Add another \
          before you remove it
          """)
      }
      change.removeWhatNeedsAPassphrase()
    }
  }

  /// Gives a slot another name, of 1 to 200 bytes.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` for another name, or when the vault has no such slot;
  ///   ``SecretStoreError/locked`` when the vault is, or what kept it from being written.
  public func renameSlot(_ id: Slot.ID, to name: String) throws(SecretStoreError) {
    try Slot.check(name)
    try requireUnlocked()
    try changeKeys { change throws(SecretStoreError) in
      let slot = try change.table.slot(id)
      change.table.replace(slot, by: KeySlot(id: id, name: name, content: slot.content))
    }
  }

  /// Throws before work that would be in vain, and returns the user key; nil if there is no vault.
  @discardableResult
  func requireUnlocked() throws(SecretStoreError) -> Secret? {
    try read { contents throws(SecretStoreError) in
      if !contents.keys.isUnlocked { throw contents.keys.lockReason }
      return contents.keys.ring.user
    }
  }
}

extension SecretVault.Slot {
  init(_ slot: KeySlot) {
    id = slot.id
    name = slot.name
    kind =
      switch slot.content {
      case .device: .device
      case .passphrase(let cost, _): .passphrase(cost)
      case .keyFile: .keyFile
      case .credential(let name, _): .credential(named: name)
      case .recoveryCode: .recoveryCode
      case .unknown(let type, _): .unknown(type: type)
      }
  }

  fileprivate static func check(_ name: String) throws(SecretStoreError) {
    if !(1...200).contains(name.utf8.count) {
      throw .invalid("The name of a slot has 1 to 200 bytes, and this one has \(name.utf8.count)")
    }
  }
}

extension KeyTable {
  /// - Throws: ``SecretStoreError/invalid(_:)`` when there is no such slot.
  func slot(_ id: UInt32) throws(SecretStoreError) -> KeySlot {
    guard let slot = slots.first(where: { $0.id == id }) else {
      throw .invalid("The vault has no slot \(id)")
    }
    return slot
  }

  mutating func replace(_ slot: KeySlot, by other: KeySlot) {
    slots = slots.map { $0.id == slot.id ? other : $0 }
  }
}
