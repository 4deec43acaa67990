extension SecretVault {
  /// One of the ways to open a vault.
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
      /// A code that a person has written down.
      case recoveryCode
      /// A kind that only a newer version knows.
      case unknown(type: UInt8)
    }

    /// The number that identifies the slot within the vault.
    public let id: UInt32
    /// The name of the slot; several slots may have the same name.
    public let name: String
    /// The kind of key that opens the slot.
    public let kind: Kind
  }

  /// The slots of the vault, in the order in which they were added; empty if there is no vault.
  ///
  /// The vault need not be unlocked: slots are not secret. While it is locked, slots may be forged
  /// if ``Verification/isKeyTableProven`` is false.
  ///
  /// - Throws: ``SecretStoreError`` when the vault cannot be read.
  public var slots: [Slot] {
    get throws { try knownTable()?.slots.map(Slot.init) ?? [] }
  }

  private func knownTable() throws(SecretStoreError) -> KeyTable? {
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

extension SecretVault.Slot {
  init(_ slot: KeySlot) {
    id = slot.id
    name = slot.name
    kind = slot.kind
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

  /// Replaces the slot of the same number.
  mutating func replace(by slot: KeySlot) {
    slots = slots.map { $0.id == slot.id ? slot : $0 }
  }
}

extension SecretVault {
  /// Whether the vault has a passphrase.
  ///
  /// - Throws: ``SecretStoreError`` when the vault cannot be read.
  public var hasPassphrase: Bool {
    get throws { try findsPassphrase() }
  }

  package func findsPassphrase() throws(SecretStoreError) -> Bool {
    try knownTable()?.hasPassphrase ?? false
  }

  /// Replaces all slots, including this device's, with one for a passphrase.
  ///
  /// To keep the other slots, use ``addSlot(_:named:cost:)``. The vault is created if there is
  /// none, and otherwise written to a new file, so that the old slots are no longer in it. The user
  /// key stays the same: an old copy of the vault and a key that opened it then give the user key,
  /// which opens every later state of the vault too. The same holds for a file that a repair
  /// replaced: ``SecretStores/onFailure`` reports it, and ``removeDamagedCopies()`` removes it.
  /// Without the passphrase, the items cannot be recovered.
  ///
  /// - Parameters:
  ///   - passphrase: 1 byte to 64 KiB. Its bytes count, so give it in one Unicode normalisation
  ///     form.
  ///   - cost: The cost of each unlock; nil means the result of
  ///     ``ScryptCost/calibrated(to:cipher:)``.
  /// - Throws: ``SecretStoreError/locked`` when the vault is locked,
  ///   ``SecretStoreError/invalid(_:)`` for a passphrase that is empty or too long, or a cost below
  ///   ``ScryptCost/minimum`` or above 1 GiB, ``SecretStoreError/cancelled`` when ``lock()`` is
  ///   called or the task is cancelled while its key is derived, or the error of writing the vault.
  public func setPassphrase(
    _ passphrase: Secret, cost: ScryptCost? = nil
  ) throws {
    let user = try requireUnlocked()
    let key = try UnlockKey.passphrase(passphrase).slotKey(parts.device).stretched(
      cost: cost, for: user, cipher, checking: cancellationByLocking)
    try changeKeys { change throws(SecretStoreError) in
      let slot = try change.addSlot(named: "passphrase", key)
      change.table.slots = [slot]
    }
    reportDamagedCopies()
  }

  /// Replaces all slots with one for this device, so that no passphrase opens the vault.
  ///
  /// Items that are ``Accessibility/whenPasscodeSetThisDeviceOnly`` are removed.
  ///
  /// - Throws: ``SecretStoreError/locked`` when the vault is locked.
  public func removePassphrase() throws {
    try requireUnlocked()
    try changeKeys { change throws(SecretStoreError) in
      let slot = try change.addSlot(named: "this device", .device(change.deviceSecret()))
      change.table.slots = [slot]
      change.removeWhatNeedsAPassphrase()
    }
    reportDamagedCopies()
  }

  /// Replaces one passphrase with another, and leaves all other slots unchanged.
  ///
  /// The vault may be locked, and stays so: the old passphrase suffices. The old slot is no longer
  /// in the file, but the user key stays the same, as after ``removeSlot(_:)``.
  ///
  /// - Parameters:
  ///   - id: The slot of the passphrase; nil means the only one.
  ///   - old: The passphrase that opens the slot now.
  ///   - new: 1 byte to 64 KiB. Its bytes count, so give it in one Unicode normalisation form.
  ///   - cost: The cost of each unlock; nil means the result of
  ///     ``ScryptCost/calibrated(to:cipher:)``.
  /// - Throws: ``SecretStoreError/wrongPassphrase`` when the old one does not open the slot,
  ///   ``SecretStoreError/corrupted(_:)`` when it does but the slot is damaged,
  ///   ``SecretStoreError/invalid(_:)`` when there is no such slot, when there are several and `id`
  ///   is nil, or for a passphrase or cost outside its limits; ``SecretStoreError/cancelled`` when
  ///   ``lock()`` is called or the task is cancelled meanwhile; or the error of writing the vault.
  ///   On error, nothing changes.
  public func changePassphrase(
    ofSlot id: Slot.ID? = nil, from old: Secret, to new: Secret, cost: ScryptCost? = nil
  ) throws {
    let parts = try parts
    let oldKey = try UnlockKey.passphrase(old).slotKey(parts.device)
    let newKey = try UnlockKey.passphrase(new).slotKey(parts.device)
    let table = try read { contents throws(SecretStoreError) in contents.keys.table }
    guard let table else { throw SecretStoreError.invalid("The vault has no passphrase") }
    let slot = try table.passphraseSlot(id)
    let check = cancellationByLocking
    let opened = try slot.open(with: oldKey, by: table.sealer(cipher), checking: check)
    guard let user = opened else { throw SecretStoreError.wrongPassphrase }
    let sealing = try newKey.stretched(cost: cost, for: user, cipher, checking: check)
    // A separate object, so that this one stays locked if it is.
    let other = SecretVault(cipher: cipher) { parts }
    other.lockTimeout = lockTimeout
    other.allowsSharedDirectories = allowsSharedDirectories
    // A rotation meanwhile has decided which slots open the vault.
    guard try other.unlock(withUserKey: user, of: table, after: 0) else {
      throw SecretStoreError.conflict
    }
    try other.changeKeys { change throws(SecretStoreError) in
      let present = try change.table.slot(slot.id)
      // After a change meanwhile, the old passphrase is no longer right.
      guard present.kind == slot.kind, present.key == slot.key else {
        throw SecretStoreError.wrongPassphrase
      }
      let changed = try KeySlot(
        id: slot.id, name: present.name, sealing: user, under: sealing, by: table.sealer(cipher))
      change.table.replace(by: changed)
    }
    announce()
    reportDamagedCopies()
  }
}

extension KeyTable {
  /// Returns the slot of a passphrase by its number, or the only one if the number is nil.
  fileprivate func passphraseSlot(_ id: UInt32?) throws(SecretStoreError) -> KeySlot {
    if let id {
      let slot = try slot(id)
      guard slot.kind.cost != nil else {
        throw .invalid("The slot \(id), \"\(slot.name)\", is not for a passphrase")
      }
      return slot
    }
    let found = slots.filter { $0.kind.cost != nil }
    guard let slot = found.first else { throw .invalid("The vault has no passphrase") }
    if found.count > 1 {
      throw .invalid("The vault has \(found.count) passphrases: name the slot of one of them")
    }
    return slot
  }
}
