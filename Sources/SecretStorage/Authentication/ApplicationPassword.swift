import Concurrency

/// A password of the app, with a cache of its keys, because deriving one takes tenths of a second.
final class ApplicationPassword: Sendable {
  struct Derivation: Hashable {
    let cost: ScryptCost
    let salt: [UInt8]
  }

  let password: Secret
  private let keys = Lock<[Derivation: Secret]>([:])
  private static let cacheLimit = 16
  private static let sizeLimit = 64 * 1024

  init(_ password: Secret) { self.password = password }

  /// Throws `invalid` if the password is empty or too long.
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

  /// Returns a key, derived or from the cache; `check` throws an error to cancel the derivation.
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
