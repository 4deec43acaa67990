public import FoundationEssentials
public import SecretStorage

/// The unencrypted envelope of the items of a keychain.
struct KeychainExport: Decodable {
  static let format = "keychain items, PBKDF2-HMAC-SHA256, AES-256-GCM"
  static let iterations = 1_000...10_000_000

  let format: String
  let version: Int
  let iterations: Int
  let salt: Data
  /// The nonce, the ciphertext and the tag, as CryptoKit combines them.
  let sealed: Data

  private static let nonceCount = 12
  private static let tagCount = 16

  /// Decrypts the items.
  ///
  /// The other members need no authentication: a changed salt or iteration count gives another key.
  func opened(with passphrase: Secret, of path: String) throws(MigrationError) -> Secret {
    guard format == Self.format else {
      throw .malformed(path: path, reason: "its format is not \"\(Self.format)\"")
    }
    guard version == 1 else {
      throw .unsupported(path: path, reason: "only version 1 of the format is known")
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

extension ForeignSecrets {
  /// Reads the items of an Apple keychain that an app exported, encrypted with a passphrase.
  ///
  /// <doc:TheKeychainExport> describes the format, with code that writes it. Identities, labels,
  /// comments, descriptions, creators, types, visibility and accessibility are kept. The secrets'
  /// bytes are unchanged, so that `@GenericPassword` decodes the values that were encoded there. A
  /// keychain does not reveal access flags, so they are not in an export.
  ///
  /// - Parameters:
  ///   - url: The file: a property list or JSON.
  ///   - passphrase: The passphrase of the export.
  /// - Returns: The items, the oldest first.
  /// - Throws: ``MigrationError/wrongPassphrase(path:)``, also if the encrypted part was changed;
  ///   ``MigrationError/malformed(path:reason:)``; ``MigrationError/unsupported(path:reason:)`` for
  ///   another version, an iteration count outside 1,000…10,000,000, more than 64 MiB or 100,000
  ///   items, or another class of items; ``MigrationError/missingLibrary(_:)``; or the error that
  ///   kept the file from being read.
  public static func keychainExport(
    at url: URL, passphrase: Secret
  ) throws -> ForeignSecrets {
    let (file, bytes) = try SourceFile.read(url)
    let export: KeychainExport = try AppleDocument(bytes, of: file.path).decode()
    let content = try export.opened(with: passphrase, of: file.path)
    let list: KeychainItems = try AppleDocument(content, of: file.path).decode()
    try checkCount(list.items.count, of: file.path)
    var secrets: [(date: Date, secret: ForeignSecret)] = []
    for (index, item) in list.items.enumerated() {
      let place = "item \(index + 1)"
      // NaN cannot be ordered.
      let date = item.cdat.flatMap { $0.timeIntervalSinceReferenceDate.isNaN ? nil : $0 }
      secrets.append(
        (date ?? .distantPast, try item.foreignSecret(at: place, of: file.path)))
    }
    // The sort is stable, so items with the same date keep their order.
    return ForeignSecrets(secrets.sorted { $0.date < $1.date }.map(\.secret), file: file)
  }
}
