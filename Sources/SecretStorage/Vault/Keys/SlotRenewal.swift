/// The resealing of a vault's slots for a new user key.
struct SlotRenewal {
  let table: KeyTable
  let user: Secret
  let device: DeviceState
  let cipher: any SecretCipher
  /// Cancels the derivation of keys from passphrases by throwing.
  let check: () throws(SecretStoreError) -> Void
  /// The keys of the slots to keep, by the index of the slot in the table.
  var keptKeys: [Int: SlotKey] = [:]

  /// Determines the slots to keep, which are those that a given key or an unattended key opens.
  ///
  /// Throws if a given key opens no slot, so that a mistyped passphrase does not remove its slot.
  mutating func open(
    with keys: [UnlockKey], unattended vault: VaultKeys
  ) throws(SecretStoreError) {
    for key in keys {
      guard table.slots.contains(where: { $0.kind.accepts(key.kind) }) else {
        throw key.missingSlotError
      }
      let slotKey = try key.slotKey(device, for: table)
      var didOpen = false
      for (index, slot) in table.slots.enumerated() where slot.kind.accepts(key.kind) {
        if try open(slot, at: index, with: slotKey) { didOpen = true }
      }
      if !didOpen { throw key.wrongKeyError }
    }
    for (index, slot) in table.slots.enumerated() where keptKeys[index] == nil {
      do {
        guard let key = try vault.unattendedKey(for: slot, device) else { continue }
        _ = try open(slot, at: index, with: key)
      } catch {
        // An invalid credential opens no slot, but must not prevent the rotation.
        if !VaultKeys.isInvalidKey(error) { throw error }
      }
    }
  }

  private mutating func open(
    _ slot: KeySlot, at index: Int, with key: SlotKey
  ) throws(SecretStoreError) -> Bool {
    do {
      let opened = try slot.open(with: key, by: table.sealer(cipher), checking: check)
      guard opened == user else { return false }
    } catch {
      // A damaged slot cannot be kept.
      guard case .corrupted = error else { throw error }
      return false
    }
    keptKeys[index] = key
    return true
  }

  /// Returns the kept slots, resealed for a new user key.
  func sealed(
    for newUser: Secret, removingOthers: Bool
  ) throws(SecretStoreError) -> [KeySlot] {
    if keptKeys.isEmpty {
      throw .invalid("No key would open the vault anymore: provide the key of one of its slots")
    }
    var slots: [KeySlot] = []
    var others: [String] = []
    for (index, slot) in table.slots.enumerated() {
      guard let key = keptKeys[index] else {
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
        No key was provided for these slots: \(others.joined(separator: ", ")). Provide the keys of \
        the slots to keep, and remove the others with removingOtherSlots: true or `locket secrets \
        rotate --drop-others`
        """)
    }
    return slots
  }
}
