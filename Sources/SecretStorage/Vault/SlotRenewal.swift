/// The slots of a vault that are to open another user key.
struct SlotRenewal {
  private let table: KeyTable
  private let user: Secret
  private let device: DeviceState
  private let cipher: any SecretCipher
  /// What opens a slot, by the slot's place.
  private var openers: [Int: SlotKey] = [:]

  init(
    _ table: KeyTable, _ user: Secret, _ device: DeviceState, _ cipher: any SecretCipher
  ) {
    self.table = table
    self.user = user
    self.device = device
    self.cipher = cipher
  }

  /// Finds out which slots stay: those that one of the keys opens, and those that need nobody.
  ///
  /// - Throws: ``SecretStoreError/wrongPassphrase`` or ``SecretStoreError/invalid(_:)`` for a key that
  ///   opens none: who mistyped a passphrase must not lose its slot by that.
  mutating func open(
    with keys: [UnlockKey], unattended contents: VaultContents
  ) throws(SecretStoreError) {
    for key in keys {
      guard table.slots.contains(where: key.fits) else {
        throw .invalid("The vault has no \(key.kind)")
      }
      let slotKey = try key.slotKey(device, for: table)
      var isRight = false
      for (place, slot) in table.slots.enumerated() where key.fits(slot) {
        if try open(slot, at: place, with: slotKey) { isRight = true }
      }
      if !isRight { throw key.refusal }
    }
    for (place, slot) in table.slots.enumerated() where openers[place] == nil {
      do {
        guard let key = try contents.keys.unattendedKey(for: slot, device) else { continue }
        _ = try open(slot, at: place, with: key)
      } catch {
        // A credential that is no use keeps no slot, and is in nobody's way.
        if !error.isOfUnattendedKey { throw error }
      }
    }
  }

  private mutating func open(
    _ slot: KeySlot, at place: Int, with key: SlotKey
  ) throws(SecretStoreError) -> Bool {
    do {
      guard try slot.open(with: key, in: table.vaultID, cipher) == user else { return false }
    } catch {
      // A damaged slot opens nothing, and may be removed.
      guard case .corrupted = error else { throw error }
      return false
    }
    openers[place] = key
    return true
  }

  /// The slots that stay, so that they open another user key.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` when slots are left over that are not to be removed, or
  ///   when there are no others.
  func sealed(
    for newUser: Secret, removingOthers: Bool
  ) throws(SecretStoreError) -> [KeySlot] {
    if openers.isEmpty {
      throw .invalid("Nothing would open the vault any more: give a key for one of its slots")
    }
    var slots: [KeySlot] = []
    var others: [String] = []
    for (place, slot) in table.slots.enumerated() {
      guard let key = openers[place] else {
        others.append("\"\(slot.name)\"")
        continue
      }
      slots.append(
        try KeySlot(
          id: slot.id, name: slot.name, sealing: newUser,
          under: SlotSealing(key, cost: slot.cost, for: newUser, cipher), in: table.vaultID,
          cipher))
    }
    if !removingOthers, !others.isEmpty {
      throw .invalid(
        """
        Of the vault's slots, no key was given for \(others.joined(separator: ", ")): give the keys of \
        those that are to stay, and have the others removed
        """)
    }
    return slots
  }
}

extension KeySlot {
  /// What the passphrase costs; what there is no passphrase for costs nothing.
  fileprivate var cost: ScryptCost {
    if case .passphrase(let cost, _) = content { cost } else { .standard }
  }
}
