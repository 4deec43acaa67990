import CLibrary
import StorageInternals

/// The key table of a vault, and its open keys.
struct VaultKeys: Sendable {
  enum Standing {
    /// A key has proven that the table belongs to the vault.
    case proven
    /// No key has proven yet that the table belongs to the vault.
    case candidate
    /// Only a slot of the table proves it, to a machine that recorded the vault without its keys.
    case unrecognized
    /// The table does not continue a generation that was seen.
    case detached
  }

  var table: KeyTable?
  var standing = Standing.proven
  /// The fingerprint of the table's generation: the keys in use between two rotations; nil if its
  /// link key is unavailable.
  var fingerprint: [UInt8]?
  var ring = KeyRing()
  /// The keys of a file that this object is about to install, for the first thread that reads it.
  var pendingRing: KeyRing?
  /// Whether the app locked the vault, so that it is not unlocked automatically.
  var isLockedByApp = false
  /// Whether the device's secret was derived from an earlier identity of the machine.
  var isDeviceOutdated = false
  /// The error that prevented an available unattended key from unlocking the vault.
  var unattendedError: SecretStoreError?

  /// Whether the vault is unlocked or does not exist yet.
  var isUnlocked: Bool { table == nil || ring.user != nil }

  var lockReason: SecretStoreError {
    let provided = self.table?.slots.map(\.kind).filter { $0.neededKey != nil } ?? []
    guard let table, !isLockedByApp, provided.allSatisfy({ $0.credentialName != nil }) else {
      return lockedError
    }
    if let unattendedError { return unattendedError }
    return table.hasDevice && provided.isEmpty ? .otherDevice("The vault") : lockedError
  }

  var lockedError: SecretStoreError {
    guard let table else { return .locked() }
    let device = isLockedByApp && table.hasDevice ? ["unlock()"] : []
    let keys = device + table.slots.compactMap(\.kind.neededKey)
    return .locked(
      keys.isEmpty ? "a newer version of Locket" : Diagnosis.list(keys, last: " or ", limit: 5))
  }

  mutating func adapt(to table: KeyTable) {
    if let pending = pendingRing, pending.vaultID == table.vaultID,
      pending.generation == table.generation
    {
      pendingRing = nil
      ring = pending
    } else {
      ring.adapt(to: table)
    }
  }

  /// Adds a given key or a new random one to a table that will be written.
  mutating func makeKey(
    _ purpose: KeyPurpose, from given: Secret? = nil, in table: inout KeyTable
  ) throws(SecretStoreError) {
    let secret = if let given { given } else { try Secret.random(32) }
    let used = Set(table.keys.map(\.id))
    // Random, because another process may still use the identifier of a removed key.
    var id: UInt32
    repeat {
      id = try mapErrors(KernelRandom.integer())
    } while used.contains(id)
    table.keys.append(try ring.add(secret, for: purpose, id: id, by: table.sealer))
  }

  var sealer: VaultSealer {
    get throws(SecretStoreError) {
      guard let table else { throw lockReason }
      return table.sealer
    }
  }

  func secretKey(for accessibility: Accessibility) throws(SecretStoreError) -> TableKey {
    guard let sealed = table?.key(for: .secrets(accessibility)) else {
      throw .unsupported(
        accessibility == .whenPasscodeSetThisDeviceOnly
          ? "\(accessibility), because the vault has no passphrase"
          : "\(accessibility), because the vault was an export and has no device keys")
    }
    if let key = ring[sealed] { return key }
    throw isUnlocked ? .otherDevice("The key of \(accessibility)") : lockReason
  }

  func seal(
    _ secret: Secret, of item: SecretItem.ID, revision: UInt64, _ access: AccessControl
  ) throws(SecretStoreError) -> SealedSecret {
    try SealedSecret.seal(
      secret, of: item, revision: revision, access, under: secretKey(for: access.accessibility),
      by: sealer)
  }

  func key(of secret: SealedSecret) throws(SecretStoreError) -> Secret {
    let purpose = KeyPurpose.secrets(secret.accessibility)
    if let key = ring[secret.key, for: purpose] { return key }
    throw isUnlocked || purpose.wrappings == [.device] ? .otherDevice("The item") : lockReason
  }

  func attributesKey(for accessibility: Accessibility) throws(SecretStoreError) -> TableKey {
    let key = table?.key(for: .attributes(of: accessibility)).flatMap { ring[$0] }
    guard let key else { throw lockReason }
    return key
  }
}

extension VaultKeys {
  /// Creates the keys of a new vault with one slot; without a device, only the portable keys.
  init(
    slot name: String, _ key: SlotKey, device: Secret?, _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    let user = try Secret.random(32)
    let sealer = VaultSealer(vaultID: try .random(KeyTable.idSize), cipher: cipher)
    var table = KeyTable(
      sealer: sealer,
      slots: [try KeySlot(id: 1, name: name, sealing: user, under: key, by: sealer)])
    (ring.user, ring.device) = (user, device)
    for purpose in KeyPurpose.ofNewVaults
    where purpose.isPortable || device != nil && purpose != KeyChange.passcode {
      try makeKey(purpose, in: &table)
    }
    (ring.vaultID, ring.generation) = (table.vaultID, table.generation)
    try replaceTable(with: table)
  }

  /// Opens a table with the first available unattended key, if any.
  ///
  /// Skips damaged slots and invalid credentials. Throws transient errors: a retry may succeed.
  mutating func openUnattended(_ table: KeyTable, _ device: DeviceState) throws(SecretStoreError) {
    unattendedError = nil
    for slot in table.slots {
      do {
        guard let key = try unattendedKey(for: slot, device) else { continue }
        if let user = try slot.open(with: key, by: table.sealer) {
          ring.user = user
          unattendedError = nil
          return
        }
        if let name = slot.kind.credentialName {
          unattendedError = UnlockKey.credential(named: name).wrongKeyError
        }
      } catch {
        guard Self.isInvalidKey(error) else { throw error }
        unattendedError = error
      }
    }
  }

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

  /// Whether an error means that an unattended key is invalid, so that retrying cannot succeed.
  static func isInvalidKey(_ error: SecretStoreError) -> Bool {
    switch error {
    case .invalid, .corrupted, .system(_, _, EACCES), .system(_, _, EPERM): true
    default: false
    }
  }

  /// Adopts a key table and opens its keys; on an error, such as an invalid tag, nothing changes.
  ///
  /// A valid tag under the user key or its generation's link key, which the device's secret opens,
  /// proves a table. Others remain candidates until the vault is unlocked.
  mutating func adopt(
    _ read: KeyTableRecord, from device: DeviceState?, seen: SeenVault
  ) throws(SecretStoreError) {
    var new = self
    if let device, !isLockedByApp, ring.user == nil {
      try new.openUnattended(read.table, device)
    }
    try new.ring.open(read.table)
    let link = try new.ring.linkKey(of: read.table)
    var isAuthentic = true
    if let user = new.ring.user {
      let isTagged = try read.isAuthentic(user: user)
      isAuthentic = try new.ring.matches(user: user, on: read.table) && isTagged
    }
    if let link, isAuthentic { isAuthentic = try read.isLinked(to: link) }
    let isProven = new.ring.user != nil || link != nil
    let isFirst = table == nil || standing == .candidate
    guard isAuthentic, isProven || isFirst else {
      throw .corrupted("A key table is not authentic")
    }
    new.table = read.table
    new.fingerprint = try link?.fingerprint(by: read.table.sealer)
    if isFirst { new.standing = isProven ? .proven : .candidate }
    if isProven {
      for fingerprint in seen.generations(of: read.table.vaultID)
      where try !new.ring.isContinuation(read, of: fingerprint) { new.standing = .detached }
      if isFirst, seen.lacksKeys(of: read.table.vaultID),
        try read.table.key(for: .alwaysAttributes)?
          .isOfDevice(new.ring.device, by: read.table.sealer) != true
      {
        new.standing = .unrecognized
      }
    }
    self = new
  }

  mutating func replaceTable(with new: KeyTable) throws(SecretStoreError) {
    table = new
    fingerprint = try ring.linkKey(of: new)?.fingerprint(by: new.sealer)
  }

  private static let maximumCachedKeys = 1024

  /// Returns the key of an item's secret, which is derived once.
  mutating func recordKey(of item: VaultItem) throws(SecretStoreError) -> Secret {
    let secret = item.secret
    // The revision does not suffice: branches of a vault use the same one for different secrets.
    if let cached = ring.recordKeys[item.id], cached.classKey == secret.key,
      cached.salt[...] == secret.salt
    {
      return cached.key
    }
    let key = try secret.recordKey(from: key(of: secret), sealer.cipher).wipedByForking
    if ring.recordKeys.count >= Self.maximumCachedKeys {
      ring.recordKeys.removeAll(keepingCapacity: true)
    }
    ring.recordKeys[item.id] = (Array(secret.salt), secret.key, key)
    return key
  }
}
