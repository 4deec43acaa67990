/// The keys of a vault that are in memory now.
struct KeyRing: Sendable {
  /// The vault that the keys are of.
  var vaultID: [UInt8]?
  /// The user key, while the vault is unlocked.
  var user: Secret?
  /// What this machine's device key and identity make, if they are here.
  var device: Secret?
  /// The table's keys by number.
  private var keys: [UInt32: (purpose: KeyPurpose, key: Secret)] = [:]

  subscript(id: UInt32) -> Secret? { keys[id]?.key }

  /// Opens what the outer keys at hand open.
  mutating func open(_ table: KeyTable, _ cipher: any SecretCipher) throws(SecretStoreError) {
    for key in table.keys where keys[key.id] == nil {
      for copy in key.copies {
        guard let outer = outerKey(copy.wrapping) else { continue }
        do {
          let wrapping = try cipher.deriveKey(from: outer, salt: copy.salt, purpose: "locket key")
          let opened = try cipher.open(
            copy.sealed, with: wrapping,
            authenticating: key.context(in: table.vaultID, copy.wrapping))
          keys[key.id] = (key.purpose, opened)
          break
        } catch {
          // Sealed for another device, or by another user key: what needs this key says so.
          guard case .corrupted = error else { throw error }
        }
      }
    }
  }

  /// Seals a new random key for a purpose.
  mutating func make(
    _ purpose: KeyPurpose, id: UInt32, in vaultID: [UInt8], _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> SealedKey {
    let secret = Secret.random(32)
    let shell = SealedKey(id: id, purpose: purpose, copies: [])
    var copies: [SealedKey.Copy] = []
    for wrapping in purpose.wrappings {
      guard let outer = outerKey(wrapping) else { continue }
      let salt = [UInt8].random(32)
      let key = try cipher.deriveKey(from: outer, salt: salt[...], purpose: "locket key")
      let sealed = try cipher.seal(
        secret, with: key, authenticating: shell.context(in: vaultID, wrapping))
      copies.append(SealedKey.Copy(wrapping: wrapping, salt: salt[...], sealed: sealed[...]))
    }
    keys[id] = (purpose, secret)
    return SealedKey(id: id, purpose: purpose, copies: copies)
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
  /// What the sealing of a copy is bound to.
  fileprivate func context(in vaultID: [UInt8], _ wrapping: KeyWrapping) -> [UInt8] {
    var context = vaultID
    context.append(littleEndian: id)
    context.append(purpose.code)
    context.append(wrapping.rawValue)
    return context
  }
}

extension KeySlot {
  static let checkCount = 16

  /// Seals a user key under the device's key.
  static func device(
    id: UInt32, sealing user: Secret, under device: Secret, in vaultID: [UInt8],
    _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> KeySlot {
    let salt = [UInt8].random(32)
    let key = try cipher.deriveKey(from: device, salt: salt[...], purpose: "locket device slot")
    let sealed = try cipher.seal(user, with: key, authenticating: vaultID)
    return KeySlot(
      id: id, name: "this device", content: .device(salt: salt[...], sealed: sealed[...]))
  }

  /// Seals a user key under a passphrase.
  static func passphrase(
    id: UInt32, sealing user: Secret, under passphrase: Secret, cost: ScryptCost,
    in vaultID: [UInt8], _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> KeySlot {
    let salt = [UInt8].random(32)
    let stretched = try cipher.stretch(passphrase, salt: salt[...], cost: cost)
    let sealed = try cipher.seal(
      user, with: try wrappingKey(stretched, salt[...], cipher), authenticating: vaultID)
    let check = try check(stretched, salt[...], cipher)
    return KeySlot(
      id: id, name: "passphrase",
      content: .passphrase(cost: cost, salt: salt[...], check: check, sealed: sealed[...]))
  }

  /// The user key, if this is the device's slot and of this device.
  func open(
    withDevice device: Secret, in vaultID: [UInt8], _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Secret? {
    guard case .device(let salt, let sealed) = content else { return nil }
    let key = try cipher.deriveKey(from: device, salt: salt, purpose: "locket device slot")
    do {
      return try cipher.open(sealed, with: key, authenticating: vaultID)
    } catch {
      guard case .corrupted = error else { throw error }
      return nil
    }
  }

  /// The user key, if this is a passphrase's slot and the passphrase is right.
  ///
  /// - Throws: ``SecretStoreError/corrupted(_:)`` when the passphrase is right but the slot is
  ///   damaged, or asks for more memory than a slot may.
  func open(
    withPassphrase passphrase: Secret, in vaultID: [UInt8], _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Secret? {
    guard case .passphrase(let cost, let salt, let check, let sealed) = content else { return nil }
    guard cost.isBearable else {
      throw .corrupted("The key slot \"\(name)\" asks for an absurd amount of work")
    }
    let stretched = try cipher.stretch(passphrase, salt: salt, cost: cost)
    guard try Self.check(stretched, salt, cipher) == check else { return nil }
    do {
      let key = try Self.wrappingKey(stretched, salt, cipher)
      return try cipher.open(sealed, with: key, authenticating: vaultID)
    } catch {
      guard case .corrupted = error else { throw error }
      throw .corrupted("The key slot \"\(name)\" is damaged: the passphrase is right")
    }
  }

  private static func wrappingKey(
    _ stretched: Secret, _ salt: ArraySlice<UInt8>, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Secret {
    try cipher.deriveKey(from: stretched, salt: salt, purpose: "locket passphrase slot")
  }

  private static func check(
    _ stretched: Secret, _ salt: ArraySlice<UInt8>, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> ArraySlice<UInt8> {
    let derived = try cipher.deriveKey(
      from: stretched, salt: salt, purpose: "locket passphrase check")
    return unsafe derived.withUnsafeBytes { unsafe Array($0.prefix(checkCount))[...] }
  }
}
