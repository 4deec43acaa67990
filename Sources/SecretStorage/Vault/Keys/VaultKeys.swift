import CLibrary
import StorageInternals

/// The key table of a vault, and the keys in memory.
struct VaultKeys: Sendable {
  var table: KeyTable?
  var ring = KeyRing()
  /// The table as read, until a key proves that it is the vault's own.
  var unproven: KeyTableRecord?
  /// The last known generation of the vault's keys.
  var known: KnownGeneration?
  /// The keys of a file that this object is installing, for the first thread that reads the file.
  var coming: KeyRing?
  /// Whether the app locked the vault, so that only the app unlocks it.
  var isLockedByApp = false

  /// Whether the device's secret in memory is mixed with an earlier identity of the machine.
  var isDeviceOutdated = false
  /// Whether the table has format version 1, without tags that a locked vault can check.
  var isOfVersion1 = false
  /// Whether the table does not continue the last known one.
  var isDetached = false
  /// The error that kept an available unattended key from opening the vault.
  var obstacle: SecretStoreError?

  /// Whether the vault is unlocked; one that does not exist yet counts as unlocked.
  var isUnlocked: Bool { table == nil || ring.user != nil }

  /// The reason why the vault's items are inaccessible.
  var lockReason: SecretStoreError {
    guard let table, !isLockedByApp, !table.slots.contains(where: \.kind.isAttended) else {
      return .locked
    }
    if let obstacle { return obstacle }
    let knowsOthers = table.slots.contains { $0.kind.credentialName != nil }
    return table.hasDevice && !knowsOthers ? .otherDevice("The vault") : .locked
  }

  /// Adapts the keys to the key table of a log that is read from its beginning.
  ///
  /// - Returns: Whether the keys in memory changed.
  mutating func adapt(to table: KeyTable) -> Bool {
    if let coming, coming.vaultID == table.vaultID, coming.generation == table.generation {
      self.coming = nil
      ring = coming
      return true
    }
    return ring.adapt(to: table)
  }

  /// Adds a key for a purpose, a new one unless given, to a table that will be written.
  ///
  /// Its number is random, so that no later key gets the number of a removed one, which another
  /// process may still have in memory.
  mutating func makeKey(
    _ purpose: KeyPurpose, from given: Secret? = nil, in table: inout KeyTable,
    _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    let secret = if let given { given } else { try Secret.random(32) }
    let used = Set(table.keys.map(\.id))
    let random = { () throws(SecretStoreError) in
      try system { () throws(SystemError) in try KernelRandom.integer(UInt32.self) }
    }
    var id = try random()
    while used.contains(id) { id = try random() }
    table.keys.append(try ring.add(secret, for: purpose, id: id, by: table.sealer(cipher)))
  }

  /// Returns the sealer of the table's vault; throws the lock's reason if there is no table.
  func sealer(_ cipher: any SecretCipher) throws(SecretStoreError) -> VaultSealer {
    guard let table else { throw lockReason }
    return table.sealer(cipher)
  }

  /// Returns the key that seals new secrets of an accessibility.
  func secretKey(
    for accessibility: Accessibility
  ) throws(SecretStoreError) -> TableKey {
    guard let sealed = table?.key(for: .secrets(accessibility)) else {
      throw .unsupported(
        accessibility == .whenPasscodeSetThisDeviceOnly
          ? "\(accessibility), as long as the vault has no passphrase"
          : "\(accessibility) in a vault that was an export, which has no keys for a device")
    }
    if let key = ring[sealed] { return key }
    throw isUnlocked ? .otherDevice("The key of \(accessibility)") : lockReason
  }

  /// Returns the key that sealed a secret.
  func key(of secret: SealedSecret) throws(SecretStoreError) -> Secret {
    let purpose = KeyPurpose.secrets(secret.accessibility)
    if let key = ring[secret.key, for: purpose] { return key }
    throw isUnlocked || purpose.wrappings == [.device] ? .otherDevice("The item") : lockReason
  }

  /// Returns the key that seals the attributes of items of an accessibility.
  func attributesKey(
    for accessibility: Accessibility
  ) throws(SecretStoreError) -> TableKey {
    let key = table?.key(for: .attributes(of: accessibility)).flatMap { ring[$0] }
    guard let key else { throw lockReason }
    return key
  }
}

extension VaultKeys {
  /// Creates the keys of a new vault with one slot: all keys for a device, or the portable ones
  /// for an export.
  init(
    slot name: String, _ key: SlotKey, device: Secret?, exportEnd: UInt64? = nil,
    _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    let user = try Secret.random(32)
    var table = KeyTable(vaultID: try .random(KeyTable.idCount), slots: [], keys: [])
    table.exportEnd = exportEnd
    table.slots = [
      try KeySlot(id: 1, name: name, sealing: user, under: key, by: table.sealer(cipher))
    ]
    (ring.user, ring.device) = (user, device)
    for purpose in KeyPurpose.ofNewVaults
    where purpose.isPortable || device != nil && purpose != KeyChange.passcode {
      try makeKey(purpose, in: &table, cipher)
    }
    (ring.vaultID, ring.generation) = (table.vaultID, table.generation)
    self.table = table
  }

  /// Opens a table with the first available unattended key, if there is one.
  ///
  /// A damaged slot or a wrong credential does not prevent opening with another key.
  ///
  /// - Throws: A transient error; retrying may succeed.
  mutating func openUnattended(
    _ table: KeyTable, _ device: DeviceState, _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    obstacle = nil
    for slot in table.slots {
      do {
        guard let key = try unattendedKey(for: slot, device) else { continue }
        if let user = try slot.open(with: key, by: table.sealer(cipher)) {
          ring.user = user
          obstacle = nil
          return
        }
        if let name = slot.kind.credentialName {
          obstacle = UnlockKey.credential(named: name).refusal
        }
      } catch {
        guard error.isOfUnattendedKey else { throw error }
        obstacle = error
      }
    }
  }

  /// Returns the unattended key of a slot, if it is available.
  func unattendedKey(
    for slot: KeySlot, _ device: DeviceState
  ) throws(SecretStoreError) -> SlotKey? {
    switch slot.kind {
    case .device: ring.device.map { .device($0) }
    case .credential(let name):
      try device.credential(named: name).map { SlotKey(kind: slot.kind, secret: $0) }
    case .passphrase, .keyFile, .recoveryCode, .unknown: nil
    }
  }
}

extension SecretStoreError {
  /// Whether an unattended key is invalid, so that retrying cannot help.
  var isOfUnattendedKey: Bool {
    switch self {
    case .invalid, .corrupted, .system(_, _, EACCES), .system(_, _, EPERM): true
    default: false
    }
  }
}
