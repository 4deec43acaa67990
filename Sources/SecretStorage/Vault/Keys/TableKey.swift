/// An open key of the key table, or a key derived from one, with its number.
struct TableKey: Sendable {
  let id: UInt32
  let secret: Secret

  /// Returns the fingerprint of the generation that a link key belongs to.
  func fingerprint(by sealer: VaultSealer) throws(SecretStoreError) -> [UInt8] {
    let derived = try sealer.cipher.deriveKey(
      from: secret, salt: sealer.vaultID[...], purpose: "locket generation")
    return unsafe derived.withUnsafeBytes {
      unsafe Array($0.prefix(KnownGeneration.fingerprintCount))
    }
  }
}
