// New keys, and the resealing of items under them.
extension VaultContents {
  /// Gives the vault a new user key and a new key for each purpose, in memory.
  ///
  /// Reseals keys of secrets in use; drops attributes keys, as rewriting reseals all attributes.
  mutating func renewKeys(
    keeping unlockKeys: [UnlockKey], removingOtherSlots: Bool, _ device: DeviceState,
    checking check: () throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) {
    try checkTrust()
    guard let table = keys.table, let user = keys.ring.user else { throw keys.lockReason }
    guard table.unknown.isEmpty else { throw .newerFormat("A part of the vault's key table") }
    let newUser = try Secret.random(32)
    var renewed = VaultKeys()
    renewed.ring.vaultID = table.vaultID
    renewed.ring.user = newUser
    renewed.ring.device =
      if let secret = keys.ring.device { secret } else { try device.makeSecret() }
    let kept = try slotKeys(keeping: unlockKeys, of: table, user, device, checking: check)
    if !removingOtherSlots, kept.count < table.slots.count {
      let others = table.slots.indices.filter { kept[$0] == nil }
        .map { "\"\(table.slots[$0].name)\"" }
      throw .invalid(
        """
        No key was provided for these slots: \(others.joined(separator: ", ")). Provide the keys of \
        the slots to keep, and remove the others with removingOtherSlots: true or `locket secrets \
        rotate --drop-others`
        """)
    }
    var newTable = KeyTable(sealer: table.sealer)
    for (index, slot) in table.slots.enumerated() {
      guard let key = kept[index] else { continue }
      newTable.slots.append(
        try KeySlot(
          id: slot.id, name: slot.name, sealing: newUser,
          under: key.stretched(cost: slot.kind.cost, for: newUser, cipher, checking: check),
          by: table.sealer))
    }
    let losesPasscode = table.hasPassphrase && !newTable.hasPassphrase
    if losesPasscode { index.removeItems(.whenPasscodeSetThisDeviceOnly) }
    try resealSecretKeys(in: &newTable, &renewed.ring)
    for link in try keys.ring.linkKeys(of: table).suffix(KeyTable.linkLimit) {
      try renewed.makeKey(.earlierTables, from: link.secret, in: &newTable)
    }
    var made: Set = [KeyPurpose.earlierTables]
    if losesPasscode { made.insert(KeyChange.passcode) }
    for key in table.keys where made.insert(key.purpose).inserted {
      try renewed.makeKey(key.purpose, in: &newTable)
    }
    renewed.ring.generation = newTable.generation
    renewed.table = newTable
    keys = renewed
  }

  /// Returns the given and the unattended keys that open slots, by the index of the slot; throws if
  /// a given key opens none, so that a mistyped passphrase does not remove its slot.
  private func slotKeys(
    keeping unlockKeys: [UnlockKey], of table: KeyTable, _ user: Secret, _ device: DeviceState,
    checking check: () throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) -> [Int: SlotKey] {
    var kept: [Int: SlotKey] = [:]
    func opens(_ slot: KeySlot, _ key: SlotKey) throws(SecretStoreError) -> Bool {
      // A damaged slot cannot be kept.
      try nilIfCorrupted(slot.open(with: key, by: table.sealer, checking: check)) == user
    }
    for key in unlockKeys {
      let slots = table.slots.enumerated().filter { $1.kind.accepts(key.kind) }
      if slots.isEmpty { throw key.missingSlotError }
      let slotKey = try key.slotKey(device, for: table)
      var didOpen = false
      for (index, slot) in slots where try opens(slot, slotKey) {
        kept[index] = slotKey
        didOpen = true
      }
      if !didOpen { throw key.wrongKeyError }
    }
    for (index, slot) in table.slots.enumerated() where kept[index] == nil {
      do throws(SecretStoreError) {
        guard let key = try keys.unattendedKey(for: slot, device) else { continue }
        if try opens(slot, key) { kept[index] = key }
      } catch {
        // An invalid credential opens no slot, but must not prevent the rotation.
        if !VaultKeys.isInvalidKey(error) { throw error }
      }
    }
    if kept.isEmpty {
      throw .invalid("No key would open the vault anymore: provide the key of one of its slots")
    }
    return kept
  }

  private func resealSecretKeys(
    in newTable: inout KeyTable, _ ring: inout KeyRing
  ) throws(SecretStoreError) {
    var used: Set<UInt32> = []
    for secret in index.items.map(\.secret) {
      used.insert(secret.key)
      if keys.ring[secret.key, for: .secrets(secret.accessibility)] == nil {
        throw .otherDevice("An item that is \(secret.accessibility)")
      }
    }
    for key in keys.table?.keys ?? [] where used.contains(key.id) {
      guard let secret = keys.ring[key]?.secret else { continue }
      newTable.keys.append(try ring.add(secret, for: key.purpose, id: key.id, by: newTable.sealer))
    }
  }

  /// Reseals the keys of an earlier identity of this machine, in memory, if the vault is unlocked.
  mutating func renewDevice(_ device: DeviceState) throws(SecretStoreError) {
    guard keys.isDeviceOutdated, trustError == nil, let old = keys.ring.device,
      let user = keys.ring.user, var table = keys.table, let new = try device.secret()
    else { return }
    for slot in table.slots where try slot.isOfDevice(old, by: table.sealer) {
      table.replaceSlot(
        with: try KeySlot(
          id: slot.id, name: slot.name, sealing: user, under: .device(new), by: table.sealer))
    }
    try keys.ring.reseal(&table, forDevice: new)
    keys.table = table
    keys.isDeviceOutdated = false
  }

  var itemsUnderOldKeys: [VaultItem] {
    guard let table = keys.table, table.hasOldKeys else { return [] }
    return index.items.filter { $0.isUnderOldKey(of: table) }
  }

  /// Returns an item with its secret sealed under the newest key of its class.
  func renewed(_ item: VaultItem) throws(SecretStoreError) -> VaultItem {
    let secret = try keys.seal(
      payload(of: item), of: item.id, revision: item.secret.revision,
      AccessControl(item.secret.accessibility, flags: item.secret.flags))
    return item.copy(as: item.id, revision: item.revision, with: secret)
  }
}

extension VaultItem {
  func isUnderOldKey(of table: KeyTable) -> Bool {
    table.key(for: .secrets(secret.accessibility))?.id != secret.key
  }
}

extension KeyTable {
  /// Whether a purpose has keys besides its newest one, as during a rotation.
  var hasOldKeys: Bool {
    let keys = keys.filter { $0.purpose != .earlierTables }
    return Set(keys.map(\.purpose)).count < keys.count
  }
}
