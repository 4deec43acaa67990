// Computing digests and authentication codes, and deriving keys.
extension CryptoLibrary {
  private static let digestSize = 32

  /// Computes the SHA-256 digest of bytes (FIPS 180-4).
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
    try unsafe compute("HMAC_Final", Self.digestSize, key, message) { key, message, output in
      unsafe withMACContext { unsafe authenticate(message, under: key, into: output, $0) }
    }
  }

  /// Derives a 32-byte key with HKDF-SHA-256 (RFC 5869).
  package func hkdf(
    _ key: Secret, salt: ArraySlice<UInt8>, info: ArraySlice<UInt8>
  ) throws(SecretStoreError) -> Secret {
    // The library's functions for HKDF, and for HMAC in one call, look the algorithms up each time,
    // which takes three times as long. A missing salt is replaced with zeros, as the RFC requires.
    let salt = salt.isEmpty ? [UInt8](repeating: 0, count: Self.digestSize)[...] : salt
    return try unsafe compute("HMAC_Final", Self.digestSize, key, salt) { key, salt, output in
      unsafe withMACContext { context in
        // The output contains the extracted key until the expanded key replaces it.
        unsafe authenticate(key, under: salt, into: output, context)
          && (info + [1]).withUnsafeBytes { info in
            unsafe authenticate(info, under: UnsafeRawBufferPointer(output), into: output, context)
          }
      }
    }
  }

  /// Calls a closure with a new context, which is overwritten and freed afterwards.
  private func withMACContext(_ body: (Context) -> Bool) -> Bool {
    guard let context = unsafe macContextNew() else { return false }
    defer { unsafe macContextFree(context) }
    return unsafe body(context)
  }

  /// Computes HMAC-SHA-256, and returns whether that succeeded; the output may contain the key.
  private func authenticate(
    _ message: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer,
    into output: UnsafeMutableBufferPointer<UInt8>, _ context: Context
  ) -> Bool {
    guard let count = Int32(exactly: key.count) else { return false }
    // Without an address, the function would use the key of the context.
    let key = unsafe key.baseAddress ?? UnsafeRawPointer(output.baseAddress!)
    return unsafe macInit(context, key, count, sha256, nil) == 1
      && macUpdate(context, message.baseAddress, message.count) == 1
      && macFinal(context, output.baseAddress, nil) == 1
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

  /// Creates a secret of `count` bytes with a closure, which returns false if a function fails.
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
