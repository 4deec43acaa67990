/// The keys of a vault while they are changed, and the items that depend on them.
struct KeyChange {
  var keys: VaultKeys
  var table: KeyTable
  let user: Secret
  var index: VaultIndex
  /// Whether the vault is being made.
  let isNew: Bool
  let device: DeviceState
  let cipher: any SecretCipher

  /// Adds a slot, and returns it.
  mutating func addSlot(
    named name: String, _ sealing: SlotSealing
  ) throws(SecretStoreError) -> KeySlot {
    let slot = try KeySlot(
      id: table.unusedSlotID, name: name, sealing: user, under: sealing, in: table.vaultID, cipher)
    table.slots.append(slot)
    if table.hasPassphrase { try makePasscodeKey() }
    return slot
  }

  /// The device's key, which is made if there is none.
  mutating func deviceSecret() throws(SecretStoreError) -> Secret {
    let secret = try device.makeSecret()
    keys.ring.device = secret
    return secret
  }

  private static let passcode = KeyPurpose.secrets(.whenPasscodeSetThisDeviceOnly)

  private mutating func makePasscodeKey() throws(SecretStoreError) {
    if table.key(for: Self.passcode) != nil { return }
    // Without it, the key would be sealed under nothing, and gone with this process.
    _ = try deviceSecret()
    try keys.makeKey(Self.passcode, in: &table, cipher)
  }

  /// Removes the items that need a passphrase, and their key, if there is none.
  mutating func removeWhatNeedsAPassphrase() {
    if table.hasPassphrase { return }
    table.keys.removeAll { $0.purpose == Self.passcode }
    index.removeItems(.whenPasscodeSetThisDeviceOnly)
  }

  /// Whether a slot opens, here and by this version, as far as that can be told without its key.
  func isOpenable(_ slot: KeySlot) throws(SecretStoreError) -> Bool {
    switch slot.content {
    case .device: return try slot.isOfDevice(keys.ring.device, in: table.vaultID, cipher)
    case .passphrase(let cost, _): return cost.isBearable && cost.isSufficient
    case .keyFile, .credential, .recoveryCode: return true
    case .unknown: return false
    }
  }
}

extension KeySlot {
  /// Whether this is the slot of a device.
  func isOfDevice(
    _ secret: Secret?, in vaultID: [UInt8], _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Bool {
    guard let secret else { return false }
    return try open(with: .device(secret), in: vaultID, cipher) != nil
  }
}

extension KeyTable {
  /// A number for a new slot: the next one, or the first that is free if there is none.
  fileprivate var unusedSlotID: UInt32 {
    let used = Set(slots.map(\.id))
    let (next, isOver) = (used.max() ?? 0).addingReportingOverflow(1)
    guard isOver else { return next }
    var id: UInt32 = 1
    while used.contains(id) { id += 1 }
    return id
  }
}

extension SecretVault {
  /// Writes the vault to a new file with other keys, or makes it with them.
  ///
  /// A table that was merely appended would leave the one before in the file, for whoever has what
  /// opens that.
  func changeKeys<Result>(
    _ change: (inout KeyChange) throws(SecretStoreError) -> Result
  ) throws(SecretStoreError) -> Result {
    let device = try parts.device
    var result: Result?
    try withReserve { () throws(SecretStoreError) in
      try rewrite { contents throws(SecretStoreError) in
        let isNew = contents.keys.table == nil
        let keys = try VaultDraft(contents, device).keys
        guard let table = keys.table, let user = keys.ring.user else { throw keys.lockReason }
        var changed = KeyChange(
          keys: keys, table: table, user: user, index: contents.index, isNew: isNew, device: device,
          cipher: cipher)
        result = try change(&changed)
        guard changed.table.work <= max(KeyTable.workLimit, table.work) else {
          throw .invalid(
            """
            The passphrases of a vault take at most 32 GiB of memory together, each pass counted: \
            remove a slot, or choose a lower cost
            """)
        }
        changed.keys.table = changed.table
        contents.keys = changed.keys
        contents.index = changed.index
      }
    }
    announce()
    guard let result else { fatalError("The keys of a vault were written but not changed.") }
    return result
  }
}
