import Concurrency

/// A password that the app supplies, with a cache of the keys derived from it.
///
/// Key derivation takes some tenths of a second, so reusing a context pays that cost once.
final class ApplicationPassword: Sendable {
  private struct Stretching: Hashable {
    let salt: [UInt8]
    let cost: ScryptCost
  }

  private let password: Secret
  private let keys = Lock<[Stretching: Secret]>([:], inForkedChild: { [:] })
  private static let keptKeys = 16
  private static let largest = 64 * 1024

  init(_ password: Secret) {
    self.password = password
  }

  /// - Throws: ``SecretStoreError/invalid(_:)`` when the password is empty or too long.
  func check() throws(SecretStoreError) {
    if password.count == 0 { throw .invalid("An application password must not be empty") }
    if password.count > Self.largest {
      throw .invalid(
        """
        An application password has at most \(Self.largest) bytes, and this one has \(password.count)
        """)
    }
  }

  /// Returns a salt for sealing a secret.
  func salt(
    for secret: Secret, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> [UInt8] {
    try cipher.salt(for: secret, under: password, sequence: 0)
  }

  /// Derives the key for a salt, or returns it from the cache; the check cancels by throwing.
  func key(
    salt: [UInt8], cost: ScryptCost, _ cipher: any SecretCipher,
    checking check: () throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) -> Secret {
    let stretching = Stretching(salt: salt, cost: cost)
    if let key = keys.withLock({ $0[stretching] }) { return key }
    let key = try cipher.stretch(password, salt: salt[...], cost: cost, checking: check)
    keys.withLock { keys in
      if keys.count >= Self.keptKeys { keys.removeAll() }
      keys[stretching] = key
    }
    return key
  }
}
