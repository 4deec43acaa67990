package import SecretStorage

/// OpenSSL's cipher, but with passphrases stretched by HKDF, which costs next to nothing.
///
/// Only tests whose subject is scrypt, or vaults that another program wrote, need the real one.
package struct TestCipher: SecretCipher {
  private let cipher = OpenSSLCipher()

  package init() {}

  package func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
  ) throws(SecretStoreError) -> Secret {
    let numbers = "\(cost.logarithmicCost) \(cost.blockSize) \(cost.parallelization)"
    return try cipher.deriveKey(from: passphrase, salt: salt, purpose: "stretched \(numbers)")
  }

  package func digest(_ bytes: ArraySlice<UInt8>) throws(SecretStoreError) -> [UInt8] {
    try cipher.digest(bytes)
  }

  package func deriveKey(
    from key: Secret, salt: ArraySlice<UInt8>, purpose: String
  ) throws(SecretStoreError) -> Secret {
    try cipher.deriveKey(from: key, salt: salt, purpose: purpose)
  }

  package func seal(
    _ plaintext: Secret, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> [UInt8] {
    try cipher.seal(plaintext, with: key, authenticating: context)
  }

  package func open(
    _ sealed: ArraySlice<UInt8>, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> Secret {
    try cipher.open(sealed, with: key, authenticating: context)
  }

  package func eraseKeys() {
    cipher.eraseKeys()
  }
}
