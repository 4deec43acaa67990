/// The secret that opens slots of one kind, loaded from an ``UnlockKey``.
struct SlotKey: Sendable {
  /// The kind of slots that the key opens; the cost of a passphrase is valid once it is stretched.
  let kind: SlotKind
  let secret: Secret
  /// The salt with which a passphrase was stretched; empty for any other key.
  var salt: ArraySlice<UInt8> = []

  static func device(_ secret: Secret) -> SlotKey { SlotKey(kind: .device, secret: secret) }

  static func passphrase(_ secret: Secret) -> SlotKey {
    SlotKey(kind: .passphrase(.standard), secret: secret)
  }

  /// Returns the key for sealing a new slot: a stretched passphrase, or any other key unchanged.
  ///
  /// Call this before taking the vault's lock, so that other writers do not wait for the
  /// derivation.
  ///
  /// - Parameters:
  ///   - given: The cost of a passphrase; nil for the calibrated one.
  ///   - user: The user key that the slot will seal, if it is known yet. It only affects the salt.
  ///   - cipher: The cipher that derives the key.
  ///   - check: Cancels the derivation by throwing.
  /// - Throws: ``SecretStoreError/invalid(_:)`` for a cost that is not allowed.
  func stretched(
    cost given: ScryptCost?, for user: Secret?, _ cipher: any SecretCipher,
    checking check: () throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) -> SlotKey {
    if kind.cost == nil { return self }
    let cost = if let given { given } else { try ScryptCost.calibratedDefault(cipher) }
    try cost.check()
    let salt = try cipher.salt(for: user ?? Secret([]), under: secret, sequence: 0)[...]
    let stretched = try cipher.stretch(secret, salt: salt, cost: cost, checking: check)
    return SlotKey(kind: .passphrase(cost), secret: stretched, salt: salt)
  }
}
