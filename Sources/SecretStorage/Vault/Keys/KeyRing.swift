/// The open keys of a vault, which forked child processes do not inherit.
struct KeyRing: Sendable {
  var vaultID: [UInt8]?
  var generation: UInt32?
  var user: Secret? { didSet { user = user?.wipedByForking } }
  /// The secret derived from this machine's device key and identity, if available.
  var device: Secret? { didSet { device = device?.wipedByForking } }
  private var keys: [UInt32: (purpose: KeyPurpose, key: Secret)] = [:]
  /// The keys of opened secrets, each with the salt and the class key for its derivation.
  var recordKeys: [SecretItem.ID: (salt: [UInt8], classKey: UInt32, key: Secret)] = [:]

  subscript(id: UInt32, for purpose: KeyPurpose) -> Secret? {
    guard let entry = keys[id], entry.purpose == purpose else { return nil }
    return entry.key
  }

  subscript(sealed: SealedKey) -> TableKey? {
    self[sealed.id, for: sealed.purpose].map { TableKey(id: sealed.id, secret: $0) }
  }

  func attributesKey(_ id: UInt32) -> Secret? {
    self[id, for: .attributes] ?? self[id, for: .alwaysAttributes]
  }

  mutating func adapt(to table: KeyTable) {
    if vaultID == table.vaultID, generation == table.generation { return }
    self = KeyRing(
      vaultID: table.vaultID, generation: table.generation,
      device: vaultID == table.vaultID ? device : nil)
  }

  /// Prepares an empty ring for a table, with the user key that one of the given keys opens.
  mutating func unlock(
    _ table: KeyTable, with unlockKeys: [UnlockKey], _ state: DeviceState,
    checking check: () throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) {
    adapt(to: table)
    var failure = SecretStoreError.locked()
    for unlockKey in unlockKeys {
      do throws(SecretStoreError) {
        let key = try unlockKey.slotKey(state, for: table)
        if key.kind == .device { device = key.secret }
        if user != nil { continue }
        user = try table.open(with: key, otherwise: unlockKey.wrongKeyError, checking: check)
      } catch {
        if error == .cancelled { throw error }
        failure = error
      }
    }
    if user == nil { throw failure }
  }

  /// Opens as many keys of a table as possible, and removes keys that the table does not have.
  mutating func open(_ table: KeyTable) throws(SecretStoreError) {
    let present = Set(table.keys.map(\.id))
    keys = keys.filter { present.contains($0.key) }
    for key in table.keys where keys[key.id] == nil {
      // A copy under the device's secret takes precedence, because only this device can create it.
      for copy in key.copies.reversed() {
        // A key that cannot be opened is skipped; the operations that need it report the error.
        guard let outer = outerKey(copy.wrapping),
          let opened = try key.open(copy, with: outer, by: table.sealer)
        else { continue }
        keys[key.id] = (key.purpose, opened.wipedByForking)
        break
      }
    }
  }

  mutating func add(
    _ secret: Secret, for purpose: KeyPurpose, id: UInt32, by sealer: VaultSealer
  ) throws(SecretStoreError) -> SealedKey {
    var sealed = SealedKey(id: id, purpose: purpose, copies: [])
    for wrapping in purpose.wrappings {
      guard let outer = outerKey(wrapping) else { continue }
      sealed.copies.append(try sealed.seal(secret, as: wrapping, under: outer, by: sealer))
    }
    keys[id] = (purpose, secret.wipedByForking)
    return sealed
  }

  mutating func keep(_ earlier: KeyRing) {
    keys.merge(earlier.keys) { own, _ in own }
  }

  /// Replaces the device's secret, and reseals the table's keys that the old one sealed.
  mutating func reseal(_ table: inout KeyTable, forDevice secret: Secret) throws(SecretStoreError) {
    var renewed = self
    renewed.device = secret
    let sealer = table.sealer
    for (keyIndex, key) in table.keys.enumerated() {
      for (copyIndex, copy) in key.copies.enumerated() where copy.wrapping != .user {
        guard let old = outerKey(copy.wrapping), let new = renewed.outerKey(copy.wrapping),
          let opened = try key.open(copy, with: old, by: sealer)
        else { continue }
        table.keys[keyIndex].copies[copyIndex] = try key.seal(
          opened, as: copy.wrapping, under: new, by: sealer)
      }
    }
    self = renewed
  }

  mutating func lock() {
    user = nil
    recordKeys = [:]
    keys = keys.filter { !KeyPurpose.erasedByLocking.contains($0.value.purpose) }
  }

  private func outerKey(_ wrapping: KeyWrapping) -> Secret? {
    switch wrapping {
    case .user: user
    case .device: device
    case .userAndDevice:
      if let user, let device { user.followed(by: device) } else { nil }
    }
  }
}

/// An open key of the key table, or a key derived from one, with its identifier.
struct TableKey: Sendable {
  static let fingerprintSize = 16

  let id: UInt32
  let secret: Secret

  /// Returns the fingerprint of the generation that a link key belongs to.
  func fingerprint(by sealer: VaultSealer) throws(SecretStoreError) -> [UInt8] {
    let derived = try sealer.cipher.deriveKey(
      from: secret, salt: sealer.vaultID[...], purpose: "locket generation")
    return unsafe derived.withUnsafeBytes {
      unsafe Array($0.prefix(Self.fingerprintSize))
    }
  }
}

// Tags under link keys prove to a reader without the user key that a table continues a generation.
extension KeyRing {
  /// Returns the link keys of a table, that of its own generation last.
  func linkKeys(of table: KeyTable) throws(SecretStoreError) -> [TableKey] {
    let earlier = table.keys.filter { $0.purpose == .earlierTables }.compactMap { self[$0] }
    return earlier + [try linkKey(of: table)].compactMap(\.self)
  }

  /// Returns the link key of a table's own generation; nil if no key in memory opens it.
  func linkKey(of table: KeyTable) throws(SecretStoreError) -> TableKey? {
    guard let key = table.key(for: .alwaysAttributes).flatMap({ self[$0] }) else { return nil }
    return TableKey(
      id: key.id,
      secret: try table.sealer.cipher.deriveKey(
        from: key.secret, salt: table.vaultID[...], purpose: "locket continuity"))
  }

  /// Returns whether a table belongs to the generation with a fingerprint or continues it.
  func isContinuation(
    _ read: KeyTableRecord, of fingerprint: [UInt8]
  ) throws(SecretStoreError) -> Bool {
    for link in try linkKeys(of: read.table)
    where try link.fingerprint(by: read.table.sealer) == fingerprint {
      return try read.isLinked(to: link)
    }
    return false
  }

  func matches(user: Secret, on table: KeyTable) throws(SecretStoreError) -> Bool {
    for key in table.keys {
      guard let opened = self[key.id, for: key.purpose] else { continue }
      for copy in key.copies where copy.wrapping == .user {
        if try key.open(copy, with: user, by: table.sealer) != opened { return false }
      }
    }
    return true
  }
}
