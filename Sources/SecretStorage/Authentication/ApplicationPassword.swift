import Concurrency

/// A password that the app supplies, with a cache of keys, each of which takes tenths of a second.
final class ApplicationPassword: Sendable {
  private struct Derivation: Hashable {
    let salt: [UInt8]
    let cost: ScryptCost
  }

  private let password: Secret
  private let keys = Lock<[Derivation: Secret]>([:])
  private static let cacheLimit = 16
  private static let sizeLimit = 64 * 1024

  init(_ password: Secret) {
    self.password = password
  }

  func check() throws(SecretStoreError) {
    if password.count == 0 { throw .invalid("An application password must not be empty") }
    if password.count > Self.sizeLimit {
      throw .invalid(
        """
        An application password must not exceed \(Self.sizeLimit) bytes; this one has \(password.count)
        """)
    }
  }

  func salt(for secret: Secret, _ cipher: any SecretCipher) throws(SecretStoreError) -> [UInt8] {
    try cipher.salt(for: secret, under: password, sequence: 0)
  }

  /// Returns the key for a salt, from the cache if possible; `check` may cancel the derivation.
  func key(
    salt: [UInt8], cost: ScryptCost, _ cipher: any SecretCipher,
    checking check: () throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) -> Secret {
    let derivation = Derivation(salt: salt, cost: cost)
    if let key = keys.withLock({ $0[derivation] }) { return key }
    let key = try cipher.stretch(password, salt: salt[...], cost: cost, checking: check)
    keys.withLock { keys in
      if keys.count >= Self.cacheLimit { keys.removeAll() }
      keys[derivation] = key
    }
    return key
  }
}
