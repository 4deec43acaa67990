/// The cryptographic primitives of a vault.
///
/// By default, a vault uses ``OpenSSLCipher``. On a system without OpenSSL, an app can provide its
/// own cipher. It must compute the same functions, so that other ciphers can open its vaults.
public protocol SecretCipher: Sendable {
  /// Computes the SHA-256 digest of bytes (FIPS 180-4).
  func digest(_ bytes: ArraySlice<UInt8>) throws(SecretStoreError) -> [UInt8]

  /// Derives a 32-byte key with HKDF-SHA-256 (RFC 5869).
  ///
  /// The key is the input keying material, and the UTF-8 bytes of the purpose are the context
  /// information.
  func deriveKey(
    from key: Secret, salt: ArraySlice<UInt8>, purpose: String
  ) throws(SecretStoreError) -> Secret

  /// Derives a 32-byte key from a passphrase with scrypt (RFC 7914).
  func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
  ) throws(SecretStoreError) -> Secret

  /// Encrypts a message with AES-256-GCM (NIST SP 800-38D) and a nonce of twelve zero bytes.
  ///
  /// The nonce can be constant because the vault uses each key for only one message.
  ///
  /// - Returns: The ciphertext, which is as long as the plaintext, followed by the 16-byte tag.
  func seal(
    _ plaintext: Secret, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> [UInt8]

  /// Decrypts the result of ``seal(_:with:authenticating:)``.
  ///
  /// - Throws: ``SecretStoreError/corrupted(_:)`` if the bytes are not authentic under the key and
  ///   the context.
  func open(
    _ sealed: ArraySlice<UInt8>, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> Secret

  /// Overwrites any key material that the cipher keeps between calls.
  ///
  /// A vault calls this method when it is locked, after it has erased its own keys.
  func eraseKeys()
}

extension SecretCipher {
  /// Returns a random 32-byte salt for one message under one key.
  ///
  /// The salt also depends on the message and the sequence number. If the kernel's generator
  /// repeats its output, for example in clones of a running virtual machine, different messages
  /// under one key still get different salts. Tests replace the random bytes with `given`.
  func salt(
    for message: Secret, under key: Secret, sequence: UInt64, mixing given: [UInt8]? = nil
  ) throws(SecretStoreError) -> [UInt8] {
    var random = if let given { given } else { try [UInt8].random(32) }
    random.append(littleEndian: sequence)
    random.append(littleEndian: UInt64(key.count))
    let salt = try deriveKey(
      from: key.followed(by: message), salt: random[...], purpose: "locket salt")
    // A salt is not secret.
    return unsafe salt.withUnsafeBytes { unsafe Array($0) }
  }
}
