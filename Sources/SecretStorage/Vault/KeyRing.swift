/// The keys of a vault that are in memory now.
struct KeyRing: Sendable {
  /// The vault that the keys are of.
  var vaultID: [UInt8]?
  /// Which of the vault's user keys, earlier ones included, the keys go with.
  var generation: UInt32?
  /// The user key, while the vault is unlocked.
  var user: Secret?
  /// What this machine's device key and identity make, if they are here.
  var device: Secret?
  /// The table's keys by number.
  private var keys: [UInt32: (purpose: KeyPurpose, key: Secret)] = [:]

  /// A key, if the table gave it for this purpose and for no other.
  subscript(id: UInt32, for purpose: KeyPurpose) -> Secret? {
    guard let known = keys[id], known.purpose == purpose else { return nil }
    return known.key
  }

  /// A key of attributes, of either purpose.
  func attributesKey(_ id: UInt32) -> Secret? {
    self[id, for: .attributes] ?? self[id, for: .alwaysAttributes]
  }

  /// Whether the keys are of the same vault and go with the same user key as others.
  func goes(with other: KeyRing) -> Bool {
    vaultID == other.vaultID && generation == other.generation
  }

  /// Forgets the keys of another vault, or those that went with an earlier user key, which does not
  /// open the table.
  ///
  /// - Returns: Whether there were others.
  mutating func adapt(to table: KeyTable) -> Bool {
    if vaultID == table.vaultID, generation == table.generation { return false }
    let device = vaultID == table.vaultID ? device : nil
    self = KeyRing()
    self.device = device
    vaultID = table.vaultID
    generation = table.generation
    return true
  }

  /// Opens what the outer keys at hand open, and forgets what the table does not have any more.
  mutating func open(_ table: KeyTable, _ cipher: any SecretCipher) throws(SecretStoreError) {
    let present = Set(table.keys.map(\.id))
    keys = keys.filter { present.contains($0.key) }
    for key in table.keys where keys[key.id] == nil {
      for copy in key.copies {
        // What is sealed for another device, or by another user key, is missing: what needs this
        // key says so.
        guard let outer = outerKey(copy.wrapping),
          let opened = try key.open(copy, with: outer, in: table.vaultID, cipher)
        else { continue }
        keys[key.id] = (key.purpose, opened)
        break
      }
    }
  }

  /// Seals a new random key for a purpose.
  mutating func make(
    _ purpose: KeyPurpose, id: UInt32, in vaultID: [UInt8], _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> SealedKey {
    try add(.random(32), for: purpose, id: id, in: vaultID, cipher)
  }

  /// Seals a key for a purpose, which may be one that the vault had before.
  mutating func add(
    _ secret: Secret, for purpose: KeyPurpose, id: UInt32, in vaultID: [UInt8],
    _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> SealedKey {
    let shell = SealedKey(id: id, purpose: purpose, copies: [])
    var copies: [SealedKey.Copy] = []
    for wrapping in purpose.wrappings {
      guard let outer = outerKey(wrapping) else { continue }
      copies.append(try shell.seal(secret, as: wrapping, under: outer, in: vaultID, cipher))
    }
    keys[id] = (purpose, secret)
    return SealedKey(id: id, purpose: purpose, copies: copies)
  }

  /// Takes another secret of this device, under which a table has what it had under the old one.
  mutating func reseal(
    _ table: inout KeyTable, forDevice secret: Secret, _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    var renewed = self
    renewed.device = secret
    for (place, key) in table.keys.enumerated() {
      var copies: [SealedKey.Copy] = []
      for copy in key.copies {
        if copy.wrapping != .user, let old = outerKey(copy.wrapping),
          let new = renewed.outerKey(copy.wrapping),
          let opened = try key.open(copy, with: old, in: table.vaultID, cipher)
        {
          copies.append(
            try key.seal(opened, as: copy.wrapping, under: new, in: table.vaultID, cipher))
        } else {
          copies.append(copy)
        }
      }
      table.keys[place] = SealedKey(id: key.id, purpose: key.purpose, copies: copies)
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
  /// Opens a copy; nil if it is sealed under another key.
  func open(
    _ copy: Copy, with outer: Secret, in vaultID: [UInt8], _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Secret? {
    let wrapping = try cipher.deriveKey(from: outer, salt: copy.salt, purpose: "locket key")
    do {
      return try cipher.open(
        copy.sealed, with: wrapping, authenticating: context(in: vaultID, copy.wrapping))
    } catch {
      guard case .corrupted = error else { throw error }
      return nil
    }
  }

  fileprivate func seal(
    _ secret: Secret, as wrapping: KeyWrapping, under outer: Secret, in vaultID: [UInt8],
    _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Copy {
    let salt = try cipher.salt(for: secret, under: outer, sequence: UInt64(id))
    let key = try cipher.deriveKey(from: outer, salt: salt[...], purpose: "locket key")
    let sealed = try cipher.seal(secret, with: key, authenticating: context(in: vaultID, wrapping))
    return Copy(wrapping: wrapping, salt: salt[...], sealed: sealed[...])
  }

  /// What the sealing of a copy is bound to.
  private func context(in vaultID: [UInt8], _ wrapping: KeyWrapping) -> [UInt8] {
    var context = vaultID
    context.append(littleEndian: id)
    context.append(purpose.code)
    context.append(wrapping.rawValue)
    return context
  }
}
