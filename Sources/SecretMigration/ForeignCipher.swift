import Concurrency
import SecretStorage
import StorageInternals

/// The cryptographic primitives of foreign formats, implemented by libcrypto.
struct ForeignCipher: Sendable {
  private let library: CryptoLibrary
  private let aes = AESCipher()

  init() throws(MigrationError) {
    do {
      library = try CryptoLibrary.shared.get()
    } catch {
      throw .missingLibrary("\(error)")
    }
  }

  /// Calls a closure, and converts its error.
  private func convertingError<Result>(
    _ body: () throws(Unavailable) -> Result
  ) throws(MigrationError) -> Result {
    do {
      return try body()
    } catch {
      throw .unavailable("\(error)")
    }
  }

  /// Derives a key with PBKDF2-HMAC-SHA-256 (RFC 8018).
  func key(
    of passphrase: Secret, salt: ArraySlice<UInt8>, iterations: Int, count: Int
  ) throws(MigrationError) -> Secret {
    try convertingError { () throws(Unavailable) in
      try library.pbkdf2(passphrase, salt: salt, iterations: iterations, count: count)
    }
  }

  /// Returns the HMAC-SHA-256 (RFC 2104) as a secret, so that comparing it takes constant time.
  func authenticationCode(
    of bytes: some Collection<UInt8>, under key: Secret
  ) throws(MigrationError) -> Secret {
    try convertingError { () throws(Unavailable) in
      try library.authenticationCode(of: Array(bytes)[...], under: key)
    }
  }

  /// Decrypts AES-256-GCM, with the tag at the end; returns nil if authentication fails.
  func open(
    _ sealed: ArraySlice<UInt8>, nonce: ArraySlice<UInt8>, key: Secret
  ) throws(MigrationError) -> Secret? {
    try convertingError { () throws(Unavailable) in
      try aes.open(sealed, under: key, nonce: Array(nonce), authenticating: [], by: library)
    }
  }

  /// Decrypts AES-128-CBC with PKCS #7 padding; returns nil if the padding is wrong.
  func decrypt(
    _ ciphertext: ArraySlice<UInt8>, initializationVector: ArraySlice<UInt8>, key: Secret
  ) throws(MigrationError) -> Secret? {
    guard initializationVector.count == 16, key.count == 16 else { return nil }
    let decrypted = try convertingError { () throws(Unavailable) in
      try aes.decryptCBC(
        ciphertext, initializationVector: Array(initializationVector), under: key, by: library)
    }
    guard let (count, bytes) = decrypted else { return nil }
    return unsafe bytes.withUnsafeBytes { unsafe Secret($0.prefix(count)) }
  }
}
