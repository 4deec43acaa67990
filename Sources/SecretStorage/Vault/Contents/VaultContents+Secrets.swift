extension VaultContents {
  private static let cachedKeys = 1024

  /// Opens an item's payload: its secret, or with access flags, an encoded ``ConstrainedSecret``.
  mutating func open(_ item: VaultItem) throws(SecretStoreError) -> Secret {
    try open(item, with: recordKey(of: item))
  }

  /// Opens an item's payload for the app, after checking the proofs that its access flags require.
  mutating func open(
    _ item: VaultItem, for access: SecretAccess, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> Secret {
    // A locked vault throws before the user is asked for a proof.
    let key = try recordKey(of: item)
    let flags = item.accessControl.flags
    if !flags.isEmpty { try access.check(AccessConstraints(flags), authorization) }
    return try open(item, with: key)
  }

  func open(_ item: VaultItem, with key: Secret) throws(SecretStoreError) -> Secret {
    do {
      return try item.secret.open(of: item.id, with: key, by: keys.sealer(cipher))
    } catch {
      guard case .corrupted = error else { throw error }
      throw .corrupted("The secret of item \(item.id.uuid) is not authentic")
    }
  }

  private mutating func recordKey(of item: VaultItem) throws(SecretStoreError) -> Secret {
    let secret = item.secret
    // The revision is no cache key: branches of a vault use the same one for different secrets.
    if let cached = recordKeys[item.id], cached.classKey == secret.key,
      cached.salt[...] == secret.salt
    {
      return cached.key
    }
    let key = try secret.recordKey(from: keys.key(of: secret), cipher).wipedByForking
    if recordKeys.count >= Self.cachedKeys { recordKeys.removeAll(keepingCapacity: true) }
    recordKeys[item.id] = (Array(secret.salt), secret.key, key)
    return key
  }
}

extension VaultContents {
  /// Loads this machine's secret for a log's first key table, unless it is in memory.
  mutating func findDevice(
    _ device: DeviceState, for table: KeyTable
  ) throws(SecretStoreError) {
    if keys.ring.device != nil, !keys.isDeviceOutdated { return }
    let found = try device.secret(for: table)
    keys.ring.device = found?.secret
    keys.isDeviceOutdated = found?.isOfPresentIdentity == false
  }

  /// Reseals the keys of an earlier identity of this machine, in memory, if the vault is unlocked.
  mutating func renewDevice(_ device: DeviceState) throws(SecretStoreError) {
    guard keys.isDeviceOutdated, distrust == nil, let old = keys.ring.device,
      let user = keys.ring.user, var table = keys.table, let new = try device.secret()
    else { return }
    for slot in table.slots where try slot.isOfDevice(old, by: table.sealer(cipher)) {
      table.replace(
        by: try KeySlot(
          id: slot.id, name: slot.name, sealing: user, under: .device(new),
          by: table.sealer(cipher)))
    }
    try keys.ring.reseal(&table, forDevice: new, cipher)
    keys.table = table
    keys.isDeviceOutdated = false
  }
}

extension KeyTable {
  /// Returns whether a secret of a device opens a slot or a key.
  func hasSealing(
    under device: Secret, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Bool {
    let sealer = sealer(cipher)
    for slot in slots where try slot.isOfDevice(device, by: sealer) { return true }
    for key in keys {
      for copy in key.copies where copy.wrapping == .device {
        if try key.open(copy, with: device, by: sealer) != nil { return true }
      }
    }
    return false
  }
}

// Earlier versions drew item IDs from a generator that repeats itself if no file can be opened, so
// that an item could overwrite another one. The log has both until it is rewritten.
extension VaultContents {
  var overwrittenDescriptions: [String] {
    overwritten.values.map {
      "an item of the name \($0.id.uuid), which another one of the same name has overwritten"
    }.sorted()
  }

  /// Restores the overwritten items under new IDs.
  ///
  /// Throws if an item's key is unavailable, except in a repair, which keeps the old file.
  mutating func restoreOverwritten(isRepair: Bool) throws(SecretStoreError) {
    if keys.table == nil { return }
    for item in overwritten.values.sorted(by: { $0.created < $1.created }) {
      let payload: Secret
      do {
        payload = try self.payload(of: item)
      } catch {
        switch error {
        case .corrupted: continue
        case .otherDevice where isRepair: continue
        default: throw error
        }
      }
      let id = try SecretItem.ID.unused { index[$0] != nil }
      let sealed = try item.sealing(
        payload, as: id, revision: item.revision,
        under: keys.secretKey(for: item.secret.accessibility), by: keys.sealer(cipher))
      index.put(item.copy(as: id, revision: item.revision, with: sealed))
    }
    overwritten = [:]
  }
}
