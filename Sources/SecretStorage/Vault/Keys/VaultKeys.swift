import CLibrary
import StorageInternals

/// The key table of a vault, and its open keys.
struct VaultKeys: Sendable {
  var table: KeyTable?
  var ring = KeyRing()
  /// Whether no key has proven yet that the table belongs to this vault.
  var isCandidate = false
  /// The last generation that a proven key table belonged to.
  var lastGeneration: KeyGeneration?
  /// The keys of a file that this object is about to install, for the first thread that reads it.
  var pendingRing: KeyRing?
  /// Whether the app locked the vault, so that it is not unlocked automatically.
  var isLockedByApp = false

  /// Whether the device's secret was derived from an earlier identity of the machine.
  var isDeviceOutdated = false
  /// Whether the table does not continue the last recorded generation.
  var isDetached = false
  /// Whether only a slot of the table proves it, to a machine that recorded the vault without its
  /// generation.
  var isUnrecognized = false
  /// The error that prevented an available unattended key from unlocking the vault.
  var unattendedError: SecretStoreError?

  /// Whether the vault is unlocked or does not exist yet.
  var isUnlocked: Bool { table == nil || ring.user != nil }

  /// The error for an access that requires the vault to be unlocked.
  var lockReason: SecretStoreError {
    guard let table, !isLockedByApp, !table.slots.contains(where: \.kind.isAttended) else {
      return lockedError
    }
    if let unattendedError { return unattendedError }
    let hasCredential = table.slots.contains { $0.kind.credentialName != nil }
    return table.hasDevice && !hasCredential ? .otherDevice("The vault") : lockedError
  }

  /// The error of a locked vault, with the keys that open it.
  var lockedError: SecretStoreError {
    guard let table else { return .locked() }
    let device = isLockedByApp && table.hasDevice ? ["unlock()"] : []
    let keys = device + table.slots.compactMap(\.kind.neededKey)
    return .locked(
      keys.isEmpty ? "a newer version of Locket" : Diagnosis.list(keys, last: " or ", limit: 5))
  }

  /// Adapts the open keys to a log's first key table, and returns whether they changed.
  mutating func adapt(to table: KeyTable) -> Bool {
    if let pending = pendingRing, pending.vaultID == table.vaultID,
      pending.generation == table.generation
    {
      pendingRing = nil
      ring = pending
      return true
    }
    return ring.adapt(to: table)
  }

  /// Restores the keys from before an untrusted log was read, except for that log's key table.
  mutating func restore(_ earlier: VaultKeys) {
    let table = table
    self = earlier
    self.table = table
  }

  /// Adds a given key or a new random one to a table that will be written.
  ///
  /// The key's identifier is random, because another process may still use that of a removed key.
  mutating func makeKey(
    _ purpose: KeyPurpose, from given: Secret? = nil, in table: inout KeyTable,
    _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    let secret = if let given { given } else { try Secret.random(32) }
    let used = Set(table.keys.map(\.id))
    let random = { () throws(SecretStoreError) in
      try mapErrors { () throws(SystemError) in try KernelRandom.integer(UInt32.self) }
    }
    var id = try random()
    while used.contains(id) { id = try random() }
    table.keys.append(try ring.add(secret, for: purpose, id: id, by: table.sealer(cipher)))
  }

  func sealer(_ cipher: any SecretCipher) throws(SecretStoreError) -> VaultSealer {
    guard let table else { throw lockReason }
    return table.sealer(cipher)
  }

  /// Returns the key that seals new secrets with an accessibility.
  func secretKey(
    for accessibility: Accessibility
  ) throws(SecretStoreError) -> TableKey {
    guard let sealed = table?.key(for: .secrets(accessibility)) else {
      throw .unsupported(
        accessibility == .whenPasscodeSetThisDeviceOnly
          ? "\(accessibility), because the vault has no passphrase"
          : "\(accessibility), because the vault was an export and has no device keys")
    }
    if let key = ring[sealed] { return key }
    throw isUnlocked ? .otherDevice("The key of \(accessibility)") : lockReason
  }

  func key(of secret: SealedSecret) throws(SecretStoreError) -> Secret {
    let purpose = KeyPurpose.secrets(secret.accessibility)
    if let key = ring[secret.key, for: purpose] { return key }
    throw isUnlocked || purpose.wrappings == [.device] ? .otherDevice("The item") : lockReason
  }

  /// Returns the key that seals the attributes of new items with an accessibility.
  func attributesKey(
    for accessibility: Accessibility
  ) throws(SecretStoreError) -> TableKey {
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
    var table = KeyTable(vaultID: try .random(KeyTable.idSize), slots: [], keys: [])
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

  /// Opens a table with the first available unattended key, if any.
  ///
  /// Skips damaged slots and invalid credentials. Throws transient errors: a retry may succeed.
  mutating func openUnattended(
    _ table: KeyTable, _ device: DeviceState, _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    unattendedError = nil
    for slot in table.slots {
      do {
        guard let key = try unattendedKey(for: slot, device) else { continue }
        if let user = try slot.open(with: key, by: table.sealer(cipher)) {
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
  /// A table is proven by a valid tag under the user key, or under its generation's link key, which
  /// the device's secret opens. Other tables remain candidates until the vault is unlocked. A table
  /// must also continue the generations that this object and this machine have recorded.
  mutating func adopt(
    _ read: KeyTableRecord, from device: DeviceState?, remembered: RememberedVault?,
    _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    var new = self
    if let device, !isLockedByApp, ring.user == nil {
      try new.openUnattended(read.table, device, cipher)
    }
    try new.ring.open(read.table, cipher)
    let link = try new.ring.linkKey(of: read.table, cipher)
    var isAuthentic = true
    if let user = new.ring.user {
      isAuthentic = try read.isAuthentic(user: user, cipher)
      if isAuthentic {
        isAuthentic = try new.ring.matches(user: user, on: read.table, cipher) != false
      }
    }
    if let link, isAuthentic { isAuthentic = try read.isLinked(to: link, cipher) }
    let isProven = new.ring.user != nil || link != nil
    let isFirst = table == nil || isCandidate
    guard isAuthentic, isProven || isFirst else {
      throw .corrupted("A key table is not authentic")
    }
    new.table = read.table
    new.isCandidate = !isProven
    if isProven {
      let own = lastGeneration?.vaultID == read.table.vaultID ? lastGeneration?.fingerprint : nil
      for fingerprint in Set([own, remembered?.keys?.generation].compactMap(\.self))
      where fingerprint != RememberedVault.Keys.noGeneration && !new.isDetached {
        new.isDetached = try !new.ring.isContinuation(read, of: fingerprint, cipher)
      }
      if isFirst, own == nil, let remembered, remembered.keys == nil {
        new.isUnrecognized = try !new.ring.isLinkedToDevice(read.table, cipher)
      }
      if !new.isDetached { try new.recordGeneration(cipher) }
    }
    self = new
  }

  /// Records the generation of the current key table, if its link key is available.
  mutating func recordGeneration(_ cipher: any SecretCipher) throws(SecretStoreError) {
    guard let table, let link = try ring.linkKey(of: table, cipher) else { return }
    lastGeneration = KeyGeneration(
      vaultID: table.vaultID, fingerprint: try link.fingerprint(by: table.sealer(cipher)))
  }

}

/// A generation of a vault's keys: all keys that are in use between two rotations.
struct KeyGeneration: Hashable, Sendable {
  let vaultID: [UInt8]
  /// A digest of the generation's link key, which reveals nothing else about that key.
  let fingerprint: [UInt8]

  /// The size of a fingerprint, in bytes.
  static let fingerprintSize = 16
}
