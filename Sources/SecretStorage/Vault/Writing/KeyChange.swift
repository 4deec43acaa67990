/// A change to the keys of a vault, and to the items that depend on them.
struct KeyChange {
  var contents: VaultContents
  var table: KeyTable
  let user: Secret
  let device: DeviceState

  /// The purpose of the key that only a vault with a passphrase has.
  static let passcode = KeyPurpose.secrets(.whenPasscodeSetThisDeviceOnly)

  var isNew: Bool { contents.chain.first == nil }

  /// Adds a slot for a key and, with the first passphrase, the key that depends on it.
  mutating func addSlot(
    named name: String, _ key: SlotKey
  ) throws(SecretStoreError) -> KeySlot {
    let used = Set(table.slots.map(\.id))
    var id = (used.max() ?? 0) &+ 1
    while id == 0 || used.contains(id) { id &+= 1 }
    let slot = try KeySlot(id: id, name: name, sealing: user, under: key, by: table.sealer)
    table.slots.append(slot)
    if table.hasPassphrase, table.key(for: Self.passcode) == nil {
      // Without a device key, the new key would be sealed under nothing and lost with this process.
      _ = try deviceSecret()
      try contents.keys.makeKey(Self.passcode, in: &table)
    }
    return slot
  }

  /// Returns the device's secret, and creates the device key if there is none.
  mutating func deviceSecret() throws(SecretStoreError) -> Secret {
    let secret = try device.makeSecret()
    contents.keys.ring.device = secret
    return secret
  }

  /// Removes the items that need a passphrase, and their key, if the vault has no passphrase.
  mutating func removePassphraseDependentItems() {
    if table.hasPassphrase { return }
    table.keys.removeAll { $0.purpose == Self.passcode }
    contents.index.removeItems(.whenPasscodeSetThisDeviceOnly)
  }

  /// Returns whether this machine and version should be able to open a slot with the right key.
  func isOpenable(_ slot: KeySlot) throws(SecretStoreError) -> Bool {
    if slot.kind == .device {
      return try slot.isOfDevice(contents.keys.ring.device, by: table.sealer)
    }
    if let cost = slot.kind.cost { return cost.isAffordable && cost.isSufficient }
    return slot.kind.isKnown
  }
}

extension SecretVault {
  /// Rewrites or creates the vault with changed keys; appending would leave the old table readable.
  func changeKeys<Result>(
    _ change: (inout KeyChange) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    let device = try location.device
    var result: Result?
    try usingReserve { () throws(SecretStoreError) in
      try rewrite { contents throws(SecretStoreError) in
        contents.keys = try VaultDraft(contents, device).composer.keys
        guard let table = contents.keys.table, let user = contents.keys.ring.user else {
          throw contents.keys.lockReason
        }
        var changed = KeyChange(contents: contents, table: table, user: user, device: device)
        result = try change(&changed)
        guard changed.table.work <= max(KeyTable.workLimit, table.work) else {
          throw .invalid(
            """
            Together, the passphrases of a vault can use at most 32 GiB of memory, counting each \
            pass: remove a slot, or choose a lower cost
            """)
        }
        contents = changed.contents
        contents.keys.table = changed.table
      }
    }
    notifyObservers()
    guard let result else { fatalError("The keys of a vault were written but not changed.") }
    return result
  }
}
