import StorageInternals

/// The table of a vault's keys, and those of them that are in memory.
struct VaultKeys: Sendable {
  var table: KeyTable?
  var ring = KeyRing()
  /// The keys of a file that this object is putting in place, for whichever thread reads it first.
  var coming: KeyRing?
  /// Whether the app locked the vault, so that only the app unlocks it.
  var isLockedByApp = false

  /// Whether the device's secret in memory is mixed with an earlier identity of the machine.
  var isDeviceOutdated = false
  /// What kept a key that needs nobody from opening the vault, though it is here.
  var obstacle: SecretStoreError?

  /// A vault that does not exist yet has nothing that could be locked.
  var isUnlocked: Bool { table == nil || ring.user != nil }

  /// Why the vault's items cannot be reached, where they cannot.
  var lockReason: SecretStoreError {
    guard let table, !isLockedByApp, !table.slots.contains(where: \.needsSomebody) else {
      return .locked
    }
    if let obstacle { return obstacle }
    let knowsOthers = table.slots.contains { $0.credentialName != nil }
    return table.hasDevice && !knowsOthers ? .otherDevice("The vault") : .locked
  }

  /// Gets ready for the table of keys of a log that is read from its beginning.
  ///
  /// - Returns: Whether the keys in memory are others now.
  mutating func adapt(to table: KeyTable) -> Bool {
    if let coming, coming.vaultID == table.vaultID, coming.generation == table.generation {
      self.coming = nil
      ring = coming
      return true
    }
    return ring.adapt(to: table)
  }

  /// Makes a key for a purpose and adds it to a table that will be written.
  ///
  /// Its number is random, so that no later key gets the number of a removed one, which another
  /// process may still have in memory.
  mutating func makeKey(
    _ purpose: KeyPurpose, in table: inout KeyTable, _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    let used = Set(table.keys.map(\.id))
    let random = { () throws(SecretStoreError) in
      try system { () throws(SystemError) in try KernelRandom.integer(UInt32.self) }
    }
    var id = try random()
    while used.contains(id) { id = try random() }
    table.keys.append(try ring.make(purpose, id: id, in: table.vaultID, cipher))
  }

  /// The key that new secrets of an accessibility are sealed under.
  func secretKey(
    for accessibility: Accessibility
  ) throws(SecretStoreError) -> (id: UInt32, key: Secret) {
    guard let sealed = table?.key(for: .secrets(accessibility)) else {
      throw .unsupported(
        accessibility == .whenPasscodeSetThisDeviceOnly
          ? "\(accessibility), as long as the vault has no passphrase"
          : "\(accessibility) in a vault that was an export, which has no keys for a device")
    }
    guard let key = ring[sealed.id, for: sealed.purpose] else {
      throw isUnlocked ? .otherDevice("The key of \(accessibility)") : lockReason
    }
    return (sealed.id, key)
  }

  /// The key that a secret was sealed under.
  func key(of secret: SealedSecret) throws(SecretStoreError) -> Secret {
    let purpose = KeyPurpose.secrets(secret.accessibility)
    if let key = ring[secret.key, for: purpose] { return key }
    let wrappings = purpose.wrappings
    throw isUnlocked || wrappings == [.device] ? .otherDevice("The item") : lockReason
  }

  /// The key that attributes of items of an accessibility are sealed under.
  func attributesKey(
    for accessibility: Accessibility
  ) throws(SecretStoreError) -> (id: UInt32, key: Secret) {
    guard let sealed = table?.key(for: .attributes(of: accessibility)),
      let key = ring[sealed.id, for: sealed.purpose]
    else { throw lockReason }
    return (sealed.id, key)
  }
}
