@testable import SecretStorage

/// A cipher that does what OpenSSL's does, but for what a test lets it do otherwise.
protocol ForwardingCipher: SecretCipher {
  var cipher: OpenSSLCipher { get }
}

extension ForwardingCipher {
  func digest(_ bytes: ArraySlice<UInt8>) throws(SecretStoreError) -> [UInt8] {
    try cipher.digest(bytes)
  }

  func deriveKey(
    from key: Secret, salt: ArraySlice<UInt8>, purpose: String
  ) throws(SecretStoreError) -> Secret {
    try cipher.deriveKey(from: key, salt: salt, purpose: purpose)
  }

  func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
  ) throws(SecretStoreError) -> Secret {
    try cipher.stretch(passphrase, salt: salt, cost: cost)
  }

  func seal(
    _ plaintext: Secret, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> [UInt8] {
    try cipher.seal(plaintext, with: key, authenticating: context)
  }

  func open(
    _ sealed: ArraySlice<UInt8>, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> Secret {
    try cipher.open(sealed, with: key, authenticating: context)
  }

  func forgetKeys() {
    cipher.forgetKeys()
  }
}
