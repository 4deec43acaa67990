// New keys, and the resealing of items under them.
extension VaultContents {
  /// Gives the vault a new user key and a new key for each purpose, in memory.
  ///
  /// Keys of secrets in use are resealed. Attributes keys are dropped, because rewriting the file
  /// reseals all attributes. `check` cancels the key derivations by throwing.
  mutating func renewKeys(
    keeping unlockKeys: [UnlockKey], removingOtherSlots: Bool, _ device: DeviceState,
    checking check: @escaping () throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) {
    try checkTrust()
    guard let table = keys.table, let user = keys.ring.user else { throw keys.lockReason }
    guard table.unknown.isEmpty else { throw .newerFormat("A part of the vault's key table") }
    let newUser = try Secret.random(32)
    var renewed = VaultKeys()
    renewed.ring.vaultID = table.vaultID
    renewed.ring.user = newUser
    renewed.ring.device = keys.ring.device
    if keys.ring.device == nil { renewed.ring.device = try device.makeSecret() }
    var slots = SlotRenewal(
      table: table, user: user, device: device, cipher: cipher, check: check)
    try slots.open(with: unlockKeys, unattended: keys)
    var newTable = KeyTable(
      vaultID: table.vaultID,
      slots: try slots.sealed(for: newUser, removingOthers: removingOtherSlots), keys: [])
    let losesPasscode = table.hasPassphrase && !newTable.hasPassphrase
    if losesPasscode { index.removeItems(.whenPasscodeSetThisDeviceOnly) }
    try resealSecretKeys(in: &newTable, &renewed.ring)
    for link in try keys.ring.linkKeys(of: table, cipher).suffix(KeyTable.linkLimit) {
      try renewed.makeKey(.earlierTables, from: link.secret, in: &newTable, cipher)
    }
    for purpose in table.purposes
    where !losesPasscode || purpose != KeyChange.passcode {
      try renewed.makeKey(purpose, in: &newTable, cipher)
    }
    renewed.ring.generation = newTable.generation
    renewed.table = newTable
    keys = renewed
  }

  /// Reseals the keys of the items' secrets under the new user key.
  private func resealSecretKeys(
    in newTable: inout KeyTable, _ ring: inout KeyRing
  ) throws(SecretStoreError) {
    var purposes: [UInt32: KeyPurpose] = [:]
    for secret in index.items.map(\.secret) {
      let purpose = KeyPurpose.secrets(secret.accessibility)
      purposes[secret.key] = purpose
      guard keys.ring[secret.key, for: purpose] == nil else { continue }
      throw .otherDevice("An item that is \(secret.accessibility)")
    }
    for key in keys.table?.keys ?? [] {
      guard let purpose = purposes[key.id], let secret = keys.ring[key.id, for: purpose] else {
        continue
      }
      newTable.keys.append(
        try ring.add(secret, for: key.purpose, id: key.id, by: newTable.sealer(cipher)))
    }
  }

  /// Reseals the keys of an earlier identity of this machine, in memory, if the vault is unlocked.
  mutating func renewDevice(_ device: DeviceState) throws(SecretStoreError) {
    guard keys.isDeviceOutdated, trustError == nil, let old = keys.ring.device,
      let user = keys.ring.user, var table = keys.table, let new = try device.secret()
    else { return }
    for slot in table.slots where try slot.isOfDevice(old, by: table.sealer(cipher)) {
      table.replaceSlot(
        with: try KeySlot(
          id: slot.id, name: slot.name, sealing: user, under: .device(new),
          by: table.sealer(cipher)))
    }
    try keys.ring.reseal(&table, forDevice: new, cipher)
    keys.table = table
    keys.isDeviceOutdated = false
  }
}

extension KeyTable {
  /// The distinct purposes of the keys, in key order.
  fileprivate var purposes: [KeyPurpose] {
    var purposes: [KeyPurpose] = []
    for key in keys where key.purpose != .earlierTables && !purposes.contains(key.purpose) {
      purposes.append(key.purpose)
    }
    return purposes
  }
}

extension VaultContents {
  /// The items whose secrets are sealed under a key that has a successor.
  var itemsUnderOldKeys: [VaultItem] {
    guard let table = keys.table, table.hasOldKeys else { return [] }
    return index.items.filter { $0.isUnderOldKey(of: table) }
  }

  /// Returns an item with its secret sealed under the newest key of its class, otherwise unchanged.
  func renewed(_ item: VaultItem) throws(SecretStoreError) -> VaultItem {
    // The item's ID and revision stay the same, so references to the item stay valid.
    let secret = try keys.seal(
      payload(of: item), of: item.id, revision: item.secret.revision,
      AccessControl(item.secret.accessibility, flags: item.secret.flags), cipher)
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
