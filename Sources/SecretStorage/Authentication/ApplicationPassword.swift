import Concurrency

/// A password that the app supplies, with a cache of the keys derived from it.
///
/// Deriving a key takes tenths of a second.
final class ApplicationPassword: Sendable {
  struct Derivation: Hashable {
    let cost: ScryptCost
    let salt: [UInt8]
  }

  private let password: Secret
  private let keys = Lock<[Derivation: Secret]>([:])
  private static let cacheLimit = 16
  /// The maximum size of a password, in bytes.
  private static let sizeLimit = 64 * 1024

  init(_ password: Secret) {
    self.password = password
  }

  /// - Throws: ``SecretStoreError/invalid(_:)`` if the password is empty or too long.
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

  /// Derives a key, or returns it from the cache; `check` may cancel the derivation.
  func key(
    _ derivation: Derivation, _ cipher: any SecretCipher,
    checking check: () throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) -> Secret {
    if let key = keys.withLock({ $0[derivation] }) { return key }
    let salt = derivation.salt[...]
    let stretched = try cipher.stretch(password, salt: salt, cost: derivation.cost, checking: check)
    let key = try cipher.deriveKey(
      from: stretched, salt: salt, purpose: "locket application password")
    keys.withLock { keys in
      if keys.count >= Self.cacheLimit { keys.removeAll() }
      keys[derivation] = key
    }
    return key
  }
}
