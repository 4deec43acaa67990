extension VaultContents {
  /// Finds this machine's secret for a log's first table of keys, unless it is in memory.
  mutating func findDevice(
    _ device: DeviceState, for table: KeyTable
  ) throws(SecretStoreError) {
    if keys.ring.device != nil, !keys.isDeviceOutdated { return }
    let found = try device.secret(for: table)
    keys.ring.device = found?.secret
    keys.isDeviceOutdated = found?.isOfPresentIdentity == false
  }

  /// Seals what was sealed for an earlier identity of this machine for the present one, in memory.
  ///
  /// The vault is unlocked, or else nothing is changed.
  mutating func renewDevice(_ device: DeviceState) throws(SecretStoreError) {
    guard keys.isDeviceOutdated, distrust == nil, let old = keys.ring.device,
      let user = keys.ring.user, var table = keys.table, let new = try device.secret()
    else { return }
    for slot in table.slots where try slot.isOfDevice(old, in: table.vaultID, cipher) {
      let renewed = try KeySlot(
        id: slot.id, name: slot.name, sealing: user, under: .device(new), in: table.vaultID, cipher)
      table.replace(slot, by: renewed)
    }
    try keys.ring.reseal(&table, forDevice: new, cipher)
    keys.table = table
    keys.isDeviceOutdated = false
  }
}

extension KeyTable {
  /// Whether a secret of a device opens a slot or a key.
  func hasSealing(
    under device: Secret, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Bool {
    for slot in slots where try slot.isOfDevice(device, in: vaultID, cipher) { return true }
    for key in keys {
      for copy in key.copies where copy.wrapping == .device {
        if try key.open(copy, with: device, in: vaultID, cipher) != nil { return true }
      }
    }
    return false
  }
}
