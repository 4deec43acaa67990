/// An opened key of a table, or one derived from it, with its number.
struct TableKey: Sendable {
  let id: UInt32
  let secret: Secret
}

/// The keys of a vault in memory, which forked child processes do not inherit.
struct KeyRing: Sendable {
  /// The vault of the keys.
  var vaultID: [UInt8]?
  /// The generation of the user key that the keys belong to.
  var generation: UInt32?
  /// The user key, while the vault is unlocked.
  var user: Secret? { didSet { user = user?.wipedByForking } }
  /// The secret made of this machine's device key and identity, if these are available.
  var device: Secret? { didSet { device = device?.wipedByForking } }
  /// The table's keys by number.
  private var keys: [UInt32: (purpose: KeyPurpose, key: Secret)] = [:]

  /// The key with a number, if the table has it for exactly this purpose.
  subscript(id: UInt32, for purpose: KeyPurpose) -> Secret? {
    guard let known = keys[id], known.purpose == purpose else { return nil }
    return known.key
  }

  subscript(sealed: SealedKey) -> TableKey? {
    self[sealed.id, for: sealed.purpose].map { TableKey(id: sealed.id, secret: $0) }
  }

  /// Returns an attributes key of either purpose.
  func attributesKey(_ id: UInt32) -> Secret? {
    self[id, for: .attributes] ?? self[id, for: .alwaysAttributes]
  }

  /// Forgets the keys of another vault or of an earlier user key, which does not open the table.
  ///
  /// - Returns: Whether the vault or the user key changed.
  mutating func adapt(to table: KeyTable) -> Bool {
    if vaultID == table.vaultID, generation == table.generation { return false }
    let device = vaultID == table.vaultID ? device : nil
    self = KeyRing()
    self.device = device
    vaultID = table.vaultID
    generation = table.generation
    return true
  }

  /// Opens the keys that the available outer keys open, and forgets those missing from the table.
  mutating func open(_ table: KeyTable, _ cipher: any SecretCipher) throws(SecretStoreError) {
    let present = Set(table.keys.map(\.id))
    keys = keys.filter { present.contains($0.key) }
    for key in table.keys where keys[key.id] == nil {
      // A copy under this device's secret takes precedence: only this device can make one.
      for copy in key.copies.reversed() {
        // A key sealed for another device or by another user key stays missing; operations that
        // need it report that.
        guard let outer = outerKey(copy.wrapping),
          let opened = try key.open(copy, with: outer, by: table.sealer(cipher))
        else { continue }
        keys[key.id] = (key.purpose, opened.wipedByForking)
        break
      }
    }
  }

  /// Seals a key for a purpose, new or from before, and adds it to the ring.
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

  /// Adopts a new secret of this device, and reseals the table's keys of the old secret under it.
  mutating func reseal(
    _ table: inout KeyTable, forDevice secret: Secret, _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    var renewed = self
    renewed.device = secret
    let sealer = table.sealer(cipher)
    for (place, key) in table.keys.enumerated() {
      for (number, copy) in key.copies.enumerated() where copy.wrapping != .user {
        guard let old = outerKey(copy.wrapping), let new = renewed.outerKey(copy.wrapping),
          let opened = try key.open(copy, with: old, by: sealer)
        else { continue }
        table.keys[place].copies[number] = try key.seal(
          opened, as: copy.wrapping, under: new, by: sealer)
      }
    }
    self = renewed
  }

  /// Forgets the user key and the keys that may be in memory only while the vault is unlocked.
  mutating func lock() {
    user = nil
    keys = keys.filter { !$0.value.purpose.isForgottenByLocking }
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

extension SealedKey {
  /// Opens a copy; returns nil if it is sealed under another key.
  func open(
    _ copy: Copy, with outer: Secret, by sealer: VaultSealer
  ) throws(SecretStoreError) -> Secret? {
    do {
      return try sealer.open(
        copy.sealed, under: outer, salt: copy.salt, purpose: "locket key",
        authenticating: context(in: sealer.vaultID, copy.wrapping))
    } catch {
      guard case .corrupted = error else { throw error }
      return nil
    }
  }

  fileprivate func seal(
    _ secret: Secret, as wrapping: KeyWrapping, under outer: Secret, by sealer: VaultSealer
  ) throws(SecretStoreError) -> Copy {
    let salt = try sealer.cipher.salt(for: secret, under: outer, sequence: UInt64(id))
    let sealed = try sealer.seal(
      secret, under: outer, salt: salt[...], purpose: "locket key",
      authenticating: context(in: sealer.vaultID, wrapping))
    return Copy(wrapping: wrapping, salt: salt[...], sealed: sealed[...])
  }

  /// Returns the authenticated context of a copy.
  private func context(in vaultID: [UInt8], _ wrapping: KeyWrapping) -> [UInt8] {
    var context = vaultID
    context.append(littleEndian: id)
    context.append(purpose.code)
    context.append(wrapping.rawValue)
    return context
  }
}
