package import SecretStorage

/// A cipher that forwards all that it does not implement itself to another one.
package protocol ForwardingCipher: SecretCipher {
  associatedtype Base: SecretCipher

  var cipher: Base { get }
}

extension ForwardingCipher {
  package func digest(_ bytes: ArraySlice<UInt8>) throws(SecretStoreError) -> [UInt8] {
    try cipher.digest(bytes)
  }

  package func deriveKey(
    from key: Secret, salt: ArraySlice<UInt8>, purpose: String
  ) throws(SecretStoreError) -> Secret {
    try cipher.deriveKey(from: key, salt: salt, purpose: purpose)
  }

  package func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
  ) throws(SecretStoreError) -> Secret {
    try cipher.stretch(passphrase, salt: salt, cost: cost)
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

  package func eraseKeys() { cipher.eraseKeys() }
}
