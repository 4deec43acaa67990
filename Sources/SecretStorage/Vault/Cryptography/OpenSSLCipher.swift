import StorageInternals

/// A cipher that uses OpenSSL's libcrypto.
///
/// On first use, the cipher loads `libcrypto.so.3` or, if that is missing, `libcrypto.so.1.1`.
/// Without both, it throws ``SecretStoreError/missingLibrary(_:)``, and the next use retries.
public final class OpenSSLCipher: SecretCipher {
  private static let nonce = [UInt8](repeating: 0, count: 12)

  private let aes = AESCipher()

  /// Creates a cipher without loading the library.
  public init() {}

  /// Overwrites the keys in the library's unused contexts and frees the contexts.
  public func eraseKeys() {
    aes.eraseKeys()
  }

  /// Computes the SHA-256 digest of bytes.
  public func digest(_ bytes: ArraySlice<UInt8>) throws(SecretStoreError) -> [UInt8] {
    try CryptoLibrary.use { library throws(Unavailable) in try library.digest(of: bytes) }
  }

  /// Derives a key with HKDF-SHA-256.
  public func deriveKey(
    from key: Secret, salt: ArraySlice<UInt8>, purpose: String
  ) throws(SecretStoreError) -> Secret {
    try CryptoLibrary.use { library throws(Unavailable) in
      try library.hkdf(key, salt: salt, info: Array(purpose.utf8)[...])
    }
  }

  /// Derives a key from a passphrase with scrypt.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` if there is not enough memory for the cost.
  public func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
  ) throws(SecretStoreError) -> Secret {
    try CryptoLibrary.use { library throws(Unavailable) in
      // scrypt needs slightly more memory than `cost.memory`, so the limit is set to about twice.
      let key = try library.scrypt(
        passphrase, salt: salt, logarithmicCost: cost.logarithmicCost, blockSize: cost.blockSize,
        parallelization: cost.parallelization, memory: 2 * (cost.memory ?? 0) + 1 << 20)
      // Overwrites key material in vector registers before it can be saved to memory.
      _ = try library.digest(of: salt)
      return key
    }
  }

  /// Encrypts a message with AES-256-GCM.
  public func seal(
    _ plaintext: Secret, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> [UInt8] {
    try CryptoLibrary.use { library throws(Unavailable) in
      try aes.seal(
        plaintext, under: key, nonce: Self.nonce, authenticating: context, by: library)
    }
  }

  /// Decrypts a sealed message, and throws if it is not authentic.
  public func open(
    _ sealed: ArraySlice<UInt8>, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> Secret {
    let opened = try CryptoLibrary.use { library throws(Unavailable) in
      try aes.open(sealed, under: key, nonce: Self.nonce, authenticating: context, by: library)
    }
    guard let opened else { throw .corrupted("A sealed message is not authentic") }
    return opened
  }
}
