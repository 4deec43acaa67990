extension VaultContents {
  /// Gives the vault a new user key and a new key for each purpose, in memory.
  ///
  /// The keys of items' secrets stay, under the new user key, as long as those of items are needed;
  /// those of attributes need not, because a file that is written anew has all attributes under the
  /// newest.
  mutating func renewKeys(
    keeping kept: [UnlockKey], removingOtherSlots: Bool, _ device: DeviceState
  ) throws(SecretStoreError) {
    if let distrust { throw distrust }
    guard damage.isEmpty else {
      throw .corrupted(
        """
        The keys of a vault are not rotated before it is repaired, by repair(); damaged: \
        \(damage.description)
        """)
    }
    guard let table = keys.table, let user = keys.ring.user else { throw keys.lockReason }
    guard table.unknown.isEmpty else { throw .newerFormat("A part of the vault's table of keys") }
    let newUser = try Secret.random(32)
    var renewed = VaultKeys()
    renewed.ring.vaultID = table.vaultID
    renewed.ring.user = newUser
    renewed.ring.device = keys.ring.device
    if keys.ring.device == nil { renewed.ring.device = try device.makeSecret() }
    var slots = SlotRenewal(table, user, device, cipher)
    try slots.open(with: kept, unattended: self)
    var newTable = KeyTable(
      vaultID: table.vaultID,
      slots: try slots.sealed(for: newUser, removingOthers: removingOtherSlots), keys: [])
    let losesPasscode = table.hasPassphrase && !newTable.hasPassphrase
    // These items go with the last passphrase.
    if losesPasscode { index.removeItems(.whenPasscodeSetThisDeviceOnly) }
    try keepKeys(in: &newTable, &renewed.ring)
    for purpose in table.purposes
    where !losesPasscode || purpose != .secrets(.whenPasscodeSetThisDeviceOnly) {
      try renewed.makeKey(purpose, in: &newTable, cipher)
    }
    renewed.ring.generation = newTable.generation
    renewed.table = newTable
    keys = renewed
  }

  /// Seals the keys of the items' secrets under the new user key.
  private func keepKeys(
    in newTable: inout KeyTable, _ ring: inout KeyRing
  ) throws(SecretStoreError) {
    var purposes: [UInt32: KeyPurpose] = [:]
    for entry in index.items {
      let secret = entry.secret
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
        try ring.add(secret, for: key.purpose, id: key.id, in: newTable.vaultID, cipher))
    }
  }
}

extension KeyTable {
  /// What the keys are for, each once, in their order.
  fileprivate var purposes: [KeyPurpose] {
    var purposes: [KeyPurpose] = []
    for key in keys where !purposes.contains(key.purpose) { purposes.append(key.purpose) }
    return purposes
  }
}
