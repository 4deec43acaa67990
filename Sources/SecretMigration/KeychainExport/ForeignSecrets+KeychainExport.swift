public import FoundationEssentials
public import SecretStorage

extension ForeignSecrets {
  /// Reads the items that an app exported from an Apple keychain, encrypted with a passphrase.
  ///
  /// <doc:TheKeychainExport> describes the format, and has code that writes it. Identities, labels,
  /// comments, descriptions, creators, types, visibility and accessibility are preserved. The bytes
  /// of the secrets do not change, so `@GenericPassword` can decode them. Access flags are not
  /// exported, because a keychain does not reveal them.
  ///
  /// - Parameters:
  ///   - url: The URL of the file, which is a property list or JSON.
  ///   - passphrase: The passphrase of the export.
  /// - Returns: The items, the oldest first.
  /// - Throws: ``MigrationError/wrongPassphrase(path:)``, also if the encrypted part was changed;
  ///   ``MigrationError/malformed(path:reason:)``; ``MigrationError/unsupported(path:reason:)`` for
  ///   another version, an iteration count outside 1,000…10,000,000, more than 64 MiB or 100,000
  ///   items, or another class of items; ``MigrationError/missingLibrary(_:)``; or
  ///   ``MigrationError/system(call:path:code:)``.
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
      let position = "item \(index + 1)"
      // NaN cannot be ordered.
      let date = item.cdat.flatMap { $0.timeIntervalSinceReferenceDate.isNaN ? nil : $0 }
      secrets.append(
        (date ?? .distantPast, try item.foreignSecret(at: position, of: file.path)))
    }
    // The sort is stable, so items with equal dates keep their order.
    return ForeignSecrets(secrets.sorted { $0.date < $1.date }.map(\.secret), file: file)
  }
}
