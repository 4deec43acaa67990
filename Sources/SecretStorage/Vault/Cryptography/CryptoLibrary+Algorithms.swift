// Digests, authentication codes and the derivation of keys.
extension CryptoLibrary {
  private static let digestSize = 32

  package func digest(of bytes: ArraySlice<UInt8>) throws(SecretStoreError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Self.digestSize)
    let succeeded = unsafe bytes.withUnsafeBytes { bytes in
      unsafe self.digest(bytes.baseAddress, bytes.count, &digest, nil, sha256, nil) == 1
    }
    guard succeeded else { throw .failedCall("EVP_Digest") }
    return digest
  }

  /// Computes HMAC-SHA-256 (RFC 2104).
  package func authenticationCode(
    of message: ArraySlice<UInt8>, under key: Secret
  ) throws(SecretStoreError) -> Secret {
    try unsafe compute("HMAC", Self.digestSize, key, message) { key, message, output in
      unsafe authenticate(message, under: key, into: output)
    }
  }

  /// Computes HMAC-SHA-256; the key may be in the output.
  private func authenticate(
    _ message: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer,
    into output: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    guard let count = Int32(exactly: key.count) else { return false }
    return unsafe hmac(
      sha256, key.baseAddress, count, message.baseAddress, message.count, output.baseAddress, nil)
      != nil
  }

  /// Derives a 32-byte key with HKDF-SHA-256 (RFC 5869).
  package func hkdf(
    _ key: Secret, salt: ArraySlice<UInt8>, info: ArraySlice<UInt8>
  ) throws(SecretStoreError) -> Secret {
    // The RFC replaces a missing salt by zeros. The library's own HKDF takes four times as long.
    let salt = salt.isEmpty ? [UInt8](repeating: 0, count: Self.digestSize)[...] : salt
    return try unsafe compute("HMAC", Self.digestSize, key, salt) { key, salt, output in
      // The extracted key is in the output, until the expanded one replaces it.
      unsafe authenticate(key, under: salt, into: output)
        && (info + [1]).withUnsafeBytes { info in
          unsafe authenticate(info, under: UnsafeRawBufferPointer(output), into: output)
        }
    }
  }

  /// Derives a key of `count` bytes with PBKDF2-HMAC-SHA-256 (RFC 8018).
  package func pbkdf2(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, iterations: Int, count: Int
  ) throws(SecretStoreError) -> Secret {
    try unsafe compute("PKCS5_PBKDF2_HMAC", count, passphrase, salt) { passphrase, salt, output in
      unsafe pbkdf2(
        passphrase.baseAddress, Int32(passphrase.count), salt.baseAddress, Int32(salt.count),
        Int32(iterations), sha256, Int32(output.count), output.baseAddress) == 1
    }
  }

  /// Creates a secret with a closure that returns false if the named library function fails.
  func compute(
    _ function: String, _ count: Int, _ secret: Secret, _ bytes: ArraySlice<UInt8>,
    _ body: (
      UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeMutableBufferPointer<UInt8>
    ) -> Bool
  ) throws(SecretStoreError) -> Secret {
    try unsafe Secret(count: count) { output throws(SecretStoreError) in
      let succeeded = unsafe secret.withUnsafeBytes { secret in
        unsafe bytes.withUnsafeBytes { unsafe body(secret, $0, output) }
      }
      guard succeeded else { throw .failedCall(function) }
    }
  }
}
