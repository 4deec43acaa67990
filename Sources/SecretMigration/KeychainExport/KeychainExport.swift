public import FoundationEssentials
public import SecretStorage
import StorageInternals
import ValueFormats

/// An export of keychain items.
struct KeychainExport: Decodable {
  static let format = "keychain items, PBKDF2-HMAC-SHA256, AES-256-GCM"
  static let supportedIterations = 1_000...10_000_000
  private static let nonceSize = 12

  let format: String
  let version: Int
  let iterations: Int
  let salt: Data
  /// The nonce, the ciphertext and the tag, in the order of CryptoKit's combined representation.
  let sealed: Data

  /// Decrypts the items; the salt and the iteration count need no authentication, because changing
  /// them changes the key.
  func opened(with passphrase: Secret, of path: String) throws(MigrationError) -> Secret {
    guard format == Self.format else {
      throw .malformed(path: path, reason: "its format is not \"\(Self.format)\"")
    }
    guard version == 1 else {
      throw .unsupported(path: path, reason: "only version 1 of the format is supported")
    }
    guard Self.supportedIterations.contains(iterations) else {
      throw .unsupported(
        path: path, reason: "the iteration count is outside \(Self.supportedIterations)")
    }
    guard (16...64).contains(salt.count) else {
      throw .unsupported(path: path, reason: "the salt is not 16 to 64 bytes long")
    }
    guard sealed.count >= Self.nonceSize + AESCipher.tagSize else {
      throw .malformed(path: path, reason: "the encrypted part is too short")
    }
    let bytes = [UInt8](sealed)
    let opened = try CryptoLibrary.use { (library) throws(Unavailable) -> Secret? in
      let key = try library.pbkdf2(
        passphrase, salt: [UInt8](salt)[...], iterations: iterations, count: 32)
      return try AESCipher().open(
        bytes.dropFirst(Self.nonceSize), under: key, nonce: Array(bytes.prefix(Self.nonceSize)),
        authenticating: [], by: library)
    }
    guard let opened else { throw .wrongPassphrase(path: path) }
    return opened
  }
}

extension Decodable {
  /// Decodes an untrusted document: a binary or XML property list, or JSON.
  init(document bytes: [UInt8], of path: String) throws(MigrationError) {
    let tree: ValueTree
    do throws(FormatError) {
      // Enough values for tens of thousands of items with all attributes.
      tree = try ForeignDocument.tree(
        bytes, valueLimit: 1_000_000, sizeLimit: SourceFile.sizeLimit)
    } catch {
      throw .malformed(path: path, reason: error.reason)
    }
    do throws(ValueCodingError) {
      self = try TreeDecoder().decode(Self.self, from: tree)
    } catch {
      throw .malformed(path: path, reason: error.reason)
    }
  }
}

extension ForeignSecrets {
  /// Reads the items that an app exported from an Apple keychain, encrypted with a passphrase.
  ///
  /// <doc:TheKeychainExport> describes the format and what is preserved: all but the access flags,
  /// which a keychain does not reveal. `@GenericPassword` can decode the secrets.
  ///
  /// - Returns: The items, the oldest first.
  /// - Throws: ``MigrationError/wrongPassphrase(path:)``, including if the encrypted part was
  ///   changed; ``MigrationError/malformed(path:reason:)``;
  ///   ``MigrationError/unsupported(path:reason:)`` for another version, an iteration count outside
  ///   1,000…10,000,000, more than 64 MiB or 100,000 items, or another class of items;
  ///   ``MigrationError/missingLibrary(_:)``; or ``MigrationError/system(call:path:code:)``.
  public static func keychainExport(at url: URL, passphrase: Secret) throws -> ForeignSecrets {
    let (file, bytes) = try SourceFile.read(url)
    let export = try KeychainExport(document: bytes, of: file.path)
    let content = try export.opened(with: passphrase, of: file.path)
    let decrypted = unsafe content.withUnsafeBytes { unsafe [UInt8]($0) }
    let list = try KeychainItems(document: decrypted, of: file.path)
    try checkCount(list.items.count, of: file.path)
    var secrets: [(date: Date, secret: ForeignSecret)] = []
    for (index, item) in list.items.enumerated() {
      let position = "item \(index + 1)"
      // NaN cannot be ordered.
      let date = item.cdat.flatMap { $0.timeIntervalSinceReferenceDate.isNaN ? nil : $0 }
      secrets.append((date ?? .distantPast, try item.foreignSecret(at: position, of: file.path)))
    }
    // The sort is stable, so items with equal dates keep their order.
    return ForeignSecrets(secrets.sorted { $0.date < $1.date }.map(\.secret), file: file)
  }
}
