/// What a slot is to be sealed under, with the work done that takes long.
///
/// A passphrase is stretched before the vault's lock is taken, so that other writers need not wait
/// for it.
enum SlotSealing: Sendable {
  case device(Secret)
  case passphrase(ScryptCost, salt: ArraySlice<UInt8>, stretched: Secret)
  case keyFile(Secret)
  case credential(name: String, Secret)
  case recoveryCode(Secret)

  /// Prepares a slot for a key.
  ///
  /// The cost is that of a passphrase, nil for the calibrated one; other keys are random already.
  /// The user key is the one that the slot is likely to seal.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` for a cost that a slot may not have.
  init(
    _ key: SlotKey, cost: ScryptCost?, for user: Secret?, _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    switch key {
    case .device(let secret): self = .device(secret)
    case .passphrase(let passphrase):
      var chosen = cost
      if chosen == nil { chosen = try .calibrated(cipher: cipher) }
      guard let cost = chosen else { fatalError("A passphrase was given no cost.") }
      try cost.check()
      let salt = try cipher.salt(for: user ?? Secret([]), under: passphrase, sequence: 0)[...]
      let stretched = try cipher.stretch(passphrase, salt: salt, cost: cost)
      self = .passphrase(cost, salt: salt, stretched: stretched)
    case .keyFile(let bytes): self = .keyFile(bytes)
    case .credential(let name, let bytes): self = .credential(name: name, bytes)
    case .recoveryCode(let bytes): self = .recoveryCode(bytes)
    }
  }
}

extension ScryptCost {
  /// Throws ``SecretStoreError/invalid(_:)`` for a cost that nothing may have that is to be opened
  /// again.
  func check() throws(SecretStoreError) {
    if !isBearable { throw .invalid("What has that cost could not be opened again") }
    if !isSufficient {
      throw .invalid(
        """
        A password of that cost would be guessed too easily: N × r × p must be 2^17 or more, as it \
        is with N = 2^14, r = 8 and p = 1
        """)
    }
  }
}
