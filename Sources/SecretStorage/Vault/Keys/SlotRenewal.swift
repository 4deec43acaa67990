/// The slots of a vault while they are resealed for another user key.
struct SlotRenewal {
  let table: KeyTable
  let user: Secret
  let device: DeviceState
  let cipher: any SecretCipher
  /// Cancels the key derivations of passphrases by throwing.
  let check: () throws(SecretStoreError) -> Void
  /// The keys that open slots, by the slot's place.
  var openers: [Int: SlotKey] = [:]

  /// Finds the slots to keep: those that a given key or an unattended key opens.
  ///
  /// - Throws: ``SecretStoreError/wrongPassphrase`` or ``SecretStoreError/invalid(_:)`` for a key
  ///   that opens no slot, so that a mistyped passphrase does not cost its slot.
  mutating func open(
    with keys: [UnlockKey], unattended contents: VaultContents
  ) throws(SecretStoreError) {
    for key in keys {
      guard table.slots.contains(where: { $0.kind.accepts(key.kind) }) else {
        throw key.absence
      }
      let slotKey = try key.slotKey(device, for: table)
      var isRight = false
      for (place, slot) in table.slots.enumerated() where slot.kind.accepts(key.kind) {
        if try open(slot, at: place, with: slotKey) { isRight = true }
      }
      if !isRight { throw key.refusal }
    }
    for (place, slot) in table.slots.enumerated() where openers[place] == nil {
      do {
        guard let key = try contents.keys.unattendedKey(for: slot, device) else { continue }
        _ = try open(slot, at: place, with: key)
      } catch {
        // An invalid credential keeps no slot, and must not block the others.
        if !error.isOfUnattendedKey { throw error }
      }
    }
  }

  private mutating func open(
    _ slot: KeySlot, at place: Int, with key: SlotKey
  ) throws(SecretStoreError) -> Bool {
    do {
      let opened = try slot.open(with: key, by: table.sealer(cipher), checking: check)
      guard opened == user else { return false }
    } catch {
      // A damaged slot opens nothing, and may be removed.
      guard case .corrupted = error else { throw error }
      return false
    }
    openers[place] = key
    return true
  }

  /// Returns the slots to keep, resealed for another user key.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` when other slots exist that are not to be removed,
  ///   or when there is no slot to keep.
  func sealed(
    for newUser: Secret, removingOthers: Bool
  ) throws(SecretStoreError) -> [KeySlot] {
    if openers.isEmpty {
      throw .invalid("No key would open the vault any more: give the key of one of its slots")
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
          under: key.stretched(cost: slot.kind.cost, for: newUser, cipher, checking: check),
          by: table.sealer(cipher)))
    }
    if !removingOthers, !others.isEmpty {
      throw .invalid(
        """
        Of the vault's slots, no key was given for \(others.joined(separator: ", ")): give the keys of \
        the slots to keep, and let the others be removed
        """)
    }
    return slots
  }
}
