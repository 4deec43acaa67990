package import SecretStorage

/// OpenSSL's cipher, but with passphrases stretched by HKDF, which costs next to nothing.
///
/// Only tests whose subject is scrypt, or vaults that another program wrote, need the real one.
package struct TestCipher: ForwardingCipher {
  package let cipher = OpenSSLCipher()

  package init() {}

  package func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
  ) throws(SecretStoreError) -> Secret {
    let numbers = "\(cost.logarithmicCost) \(cost.blockSize) \(cost.parallelization)"
    return try cipher.deriveKey(from: passphrase, salt: salt, purpose: "stretched \(numbers)")
  }
}
