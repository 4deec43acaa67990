/// A way to get at a vault's user key.
struct KeySlot: Sendable {
  enum Content: Sendable {
    /// Sealed under the device's key.
    case device(salt: ArraySlice<UInt8>, sealed: ArraySlice<UInt8>)
    /// Sealed under a key that scrypt makes of a passphrase.
    case passphrase(cost: ScryptCost, SealedUserKey)
    /// Sealed under the content of a file.
    case keyFile(SealedUserKey)
    /// Sealed under a credential that systemd hands to a service.
    case credential(name: String, SealedUserKey)
    /// Sealed under random bytes that a person has written down.
    case recoveryCode(SealedUserKey)
    /// What a newer version wrote, which is kept as it is.
    case unknown(type: UInt8, bytes: ArraySlice<UInt8>)
  }

  let id: UInt32
  let name: String
  let content: Content
}

/// A user key that is sealed under a key made of a secret.
struct SealedUserKey: Sendable {
  static let checkCount = 16

  let salt: ArraySlice<UInt8>
  /// Tells a wrong secret from a damaged slot.
  let check: ArraySlice<UInt8>
  let sealed: ArraySlice<UInt8>
}

/// What opens a slot, at hand.
enum SlotKey: Sendable {
  /// The device's key, mixed with the machine's identity.
  case device(Secret)
  case passphrase(Secret)
  case keyFile(Secret)
  case credential(name: String, Secret)
  case recoveryCode(Secret)
}

extension KeySlot {
  /// Seals a user key, so that a key opens it.
  init(
    id: UInt32, name: String, sealing user: Secret, under sealing: SlotSealing, in vaultID: [UInt8],
    _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    self.id = id
    self.name = name
    switch sealing {
    case .device(let device):
      let salt = try [UInt8].random(32)
      let wrapping = try cipher.deriveKey(
        from: device, salt: salt[...], purpose: "locket device slot")
      let sealed = try cipher.seal(user, with: wrapping, authenticating: vaultID)
      content = .device(salt: salt[...], sealed: sealed[...])
    case .passphrase(let cost, let salt, let stretched):
      content = .passphrase(
        cost: cost,
        try SealedUserKey(user, under: stretched, salt: salt, "passphrase", in: vaultID, cipher))
    case .keyFile(let bytes):
      content = .keyFile(try SealedUserKey(user, under: bytes, "key file", in: vaultID, cipher))
    case .credential(let name, let bytes):
      content = .credential(
        name: name, try SealedUserKey(user, under: bytes, "credential", in: vaultID, cipher))
    case .recoveryCode(let bytes):
      content = .recoveryCode(
        try SealedUserKey(user, under: bytes, "recovery code", in: vaultID, cipher))
    }
  }

  /// The user key, if the slot is of the key's kind and the key is right.
  ///
  /// - Throws: ``SecretStoreError/corrupted(_:)`` when the key is right but the slot is damaged, or
  ///   when it asks for more work than a slot may, or for less.
  func open(
    with key: SlotKey, in vaultID: [UInt8], _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Secret? {
    switch (content, key) {
    case (.device(let salt, let sealed), .device(let device)):
      let wrapping = try cipher.deriveKey(from: device, salt: salt, purpose: "locket device slot")
      do {
        return try cipher.open(sealed, with: wrapping, authenticating: vaultID)
      } catch {
        guard case .corrupted = error else { throw error }
        return nil
      }
    case (.passphrase(let cost, let key), .passphrase(let passphrase)):
      guard cost.isBearable else {
        throw .corrupted("The key slot \"\(name)\" asks for an absurd amount of work")
      }
      guard cost.isSufficient else {
        // Who can put such a slot into the file gets a passphrase that is easily guessed.
        throw .corrupted("The key slot \"\(name)\" asks for too little work to be safe")
      }
      let stretched = try cipher.stretch(passphrase, salt: key.salt, cost: cost)
      return try open(key, with: stretched, "passphrase", in: vaultID, cipher)
    case (.keyFile(let key), .keyFile(let bytes)):
      return try open(key, with: bytes, "key file", in: vaultID, cipher)
    case (.credential(let name, let key), .credential(let given, let bytes)) where name == given:
      return try open(key, with: bytes, "credential", in: vaultID, cipher)
    case (.recoveryCode(let key), .recoveryCode(let bytes)):
      return try open(key, with: bytes, "recovery code", in: vaultID, cipher)
    default:
      return nil
    }
  }

  private func open(
    _ key: SealedUserKey, with secret: Secret, _ kind: String, in vaultID: [UInt8],
    _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Secret? {
    guard try key.isFor(secret, kind, cipher) else { return nil }
    do {
      return try key.open(with: secret, kind, in: vaultID, cipher)
    } catch {
      guard case .corrupted = error else { throw error }
      throw .corrupted("The key slot \"\(name)\" is damaged: the \(kind) is right")
    }
  }
}

extension SealedUserKey {
  fileprivate init(
    _ user: Secret, under secret: Secret, salt given: ArraySlice<UInt8>? = nil,
    _ kind: String, in vaultID: [UInt8], _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    let salt = if let given { given } else { try [UInt8].random(32)[...] }
    self.salt = salt
    check = try Self.check(secret, salt, kind, cipher)
    let wrapping = try cipher.deriveKey(from: secret, salt: salt, purpose: "locket \(kind) slot")
    sealed = try cipher.seal(user, with: wrapping, authenticating: vaultID)[...]
  }

  fileprivate func isFor(
    _ secret: Secret, _ kind: String, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Bool {
    try Self.check(secret, salt, kind, cipher) == check
  }

  fileprivate func open(
    with secret: Secret, _ kind: String, in vaultID: [UInt8], _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Secret {
    let wrapping = try cipher.deriveKey(from: secret, salt: salt, purpose: "locket \(kind) slot")
    return try cipher.open(sealed, with: wrapping, authenticating: vaultID)
  }

  private static func check(
    _ secret: Secret, _ salt: ArraySlice<UInt8>, _ kind: String, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> ArraySlice<UInt8> {
    let derived = try cipher.deriveKey(from: secret, salt: salt, purpose: "locket \(kind) check")
    return unsafe derived.withUnsafeBytes { unsafe Array($0.prefix(checkCount))[...] }
  }
}
