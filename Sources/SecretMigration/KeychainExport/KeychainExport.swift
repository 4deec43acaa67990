import FoundationEssentials
import SecretStorage

/// An export of keychain items: the parameters of the encryption, and the encrypted items.
struct KeychainExport: Decodable {
  static let format = "keychain items, PBKDF2-HMAC-SHA256, AES-256-GCM"
  static let iterations = 1_000...10_000_000

  let format: String
  let version: Int
  let iterations: Int
  let salt: Data
  /// The nonce, the ciphertext and the tag, in the order of CryptoKit's combined representation.
  let sealed: Data

  private static let nonceCount = 12
  private static let tagCount = 16

  /// Decrypts the items.
  ///
  /// The salt and the iteration count need no authentication, because changing them changes the
  /// key.
  func opened(with passphrase: Secret, of path: String) throws(MigrationError) -> Secret {
    guard format == Self.format else {
      throw .malformed(path: path, reason: "its format is not \"\(Self.format)\"")
    }
    guard version == 1 else {
      throw .unsupported(path: path, reason: "only version 1 of the format is supported")
    }
    guard Self.iterations.contains(iterations) else {
      throw .unsupported(
        path: path, reason: "the iteration count is not in \(Self.iterations)")
    }
    guard (16...64).contains(salt.count) else {
      throw .unsupported(path: path, reason: "the salt does not have 16 to 64 bytes")
    }
    guard sealed.count >= Self.nonceCount + Self.tagCount else {
      throw .malformed(path: path, reason: "the encrypted part is too short")
    }
    let cipher = try ForeignCipher()
    let key = try cipher.key(
      of: passphrase, salt: [UInt8](salt)[...], iterations: iterations, count: 32)
    let bytes = [UInt8](sealed)
    let opened = try cipher.open(
      bytes[Self.nonceCount..<(bytes.count - Self.tagCount)], tag: bytes.suffix(Self.tagCount),
      nonce: bytes.prefix(Self.nonceCount), key: key)
    guard let opened else { throw .wrongPassphrase(path: path) }
    return opened
  }
}
