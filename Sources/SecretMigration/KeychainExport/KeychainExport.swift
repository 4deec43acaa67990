public import FoundationEssentials
public import SecretStorage
import ValueFormats

/// An encrypted export of the items of an Apple keychain.
struct KeychainExport: Decodable {
  static let format = "keychain items, PBKDF2-HMAC-SHA256, AES-256-GCM"
  static let supportedIterations = 1_000...10_000_000
  /// The size of the nonce, in bytes.
  private static let nonceSize = 12

  let format: String
  let version: Int
  let iterations: Int
  let salt: Data
  /// The nonce, the ciphertext and the tag, in the order of CryptoKit's combined representation.
  let sealed: Data

  /// Decrypts the document of the items.
  ///
  /// The salt and iteration count need no authentication, because changing them changes the key.
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
    guard sealed.count >= Self.nonceSize + OpenSSLCipher.tagSize else {
      throw .malformed(path: path, reason: "the encrypted part is too short")
    }
    let bytes = [UInt8](sealed)
    let opened = try CryptoLibrary.use { (library) throws(SecretStoreError) -> Secret? in
      let key = try library.pbkdf2(
        passphrase, salt: [UInt8](salt)[...], iterations: iterations, count: 32)
      return try OpenSSLCipher().decrypt(
        bytes.dropFirst(Self.nonceSize).dropLast(OpenSSLCipher.tagSize),
        tag: bytes.suffix(OpenSSLCipher.tagSize), under: key,
        nonce: Array(bytes.prefix(Self.nonceSize)), by: library)
    }
    guard let opened else { throw .wrongPassphrase(path: path) }
    return opened
  }

  init(document bytes: [UInt8], of path: String) throws(MigrationError) {
    let tree = try Self.tree(document: bytes, of: path)
    do throws(ValueCodingError) {
      self = try TreeDecoder().decode(Self.self, from: tree)
    } catch {
      throw .malformed(path: path, reason: error.reason)
    }
  }

  static func items(
    document bytes: [UInt8], of path: String
  ) throws(MigrationError) -> [KeychainItem] {
    guard case .array(let elements) = try tree(document: bytes, of: path) else {
      throw .malformed(path: path, reason: "its items are not an array")
    }
    try ForeignSecrets.checkCount(elements.count, of: path)
    return try elements.enumerated().map { index, element throws(MigrationError) in
      try KeychainItem(element, at: "item \(index + 1)", of: path)
    }
  }

  /// Parses an untrusted document: a binary or XML property list, or JSON.
  private static func tree(
    document bytes: [UInt8], of path: String
  ) throws(MigrationError) -> ValueTree {
    do throws(FormatError) {
      // The limit allows tens of thousands of items with all attributes.
      return try ForeignDocument.tree(
        bytes, valueLimit: 1_000_000, sizeLimit: SourceFile.sizeLimit)
    } catch {
      throw .malformed(path: path, reason: error.reason)
    }
  }
}

extension ForeignSecrets {
  /// Reads the items that an app exported from an Apple keychain, encrypted with a passphrase.
  ///
  /// <doc:TheKeychainExport> describes the format and the preserved attributes. The access flags
  /// are not preserved, because a keychain does not reveal them. `@GenericPassword` can decode the
  /// secrets.
  ///
  /// - Returns: The items, the oldest first.
  /// - Throws: ``MigrationError/wrongPassphrase(path:)``, including if the encrypted part was
  ///   changed; ``MigrationError/malformed(path:reason:)``;
  ///   ``MigrationError/unsupported(path:reason:)`` for another version, an iteration count outside
  ///   1,000…10,000,000, a salt outside 16…64 bytes, more than 64 MiB or 100,000 items, or an
  ///   unknown class or accessibility of an item;
  ///   ``MigrationError/missingLibrary(_:)``; or ``MigrationError/system(call:path:code:)``.
  public static func keychainExport(at url: URL, passphrase: Secret) throws -> ForeignSecrets {
    let (file, bytes) = try SourceFile.read(url)
    let export = try KeychainExport(document: bytes, of: file.path)
    let content = try export.opened(with: passphrase, of: file.path)
    let decrypted = unsafe content.withUnsafeBytes { unsafe [UInt8]($0) }
    var secrets: [(date: Date, secret: ForeignSecret)] = []
    for item in try KeychainExport.items(document: decrypted, of: file.path) {
      let date = try item.creationDate() ?? .distantPast
      // A date that is NaN cannot be ordered.
      let isOrdered = !date.timeIntervalSinceReferenceDate.isNaN
      secrets.append((isOrdered ? date : .distantPast, try item.foreignSecret()))
    }
    // The sort is stable, so items with equal dates keep their order.
    return ForeignSecrets(
      secrets: secrets.sorted { $0.date < $1.date }.map(\.secret), unreadable: [], file: file)
  }
}
