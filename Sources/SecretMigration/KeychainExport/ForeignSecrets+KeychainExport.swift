public import FoundationEssentials
public import SecretStorage

extension ForeignSecrets {
  /// Reads the items of an Apple keychain that an app exported, encrypted to a passphrase.
  ///
  /// <doc:TheKeychainExport> has the format, and the code that writes it on the other side. Identities,
  /// labels, comments, descriptions, creators, types, visibility and accessibility are kept; the secrets'
  /// bytes stay as they are, which is how `@GenericPassword` decodes what was encoded there. Access flags
  /// cannot be asked of a keychain, so they are not in an export.
  ///
  /// - Parameters:
  ///   - url: The file: a property list or JSON.
  ///   - passphrase: The passphrase of the export.
  /// - Returns: The items, the oldest first.
  /// - Throws: ``MigrationError/wrongPassphrase(path:)``, also if what is encrypted was changed;
  ///   ``MigrationError/malformed(path:reason:)``; ``MigrationError/unsupported(path:reason:)`` for another
  ///   version, an iteration count out of 1,000…10,000,000, more than 64 MiB or 100,000 items, or another class
  ///   of items; ``MigrationError/missingLibrary(_:)``; or what kept the file from being read.
  public static func keychainExport(
    at url: URL, passphrase: Secret
  ) throws(MigrationError) -> ForeignSecrets {
    let (file, bytes) = try SourceFile.read(url)
    let export: KeychainExport = try AppleDocument(bytes, of: file.path).decode()
    let content = try export.opened(with: passphrase, of: file.path)
    let list: KeychainItems = try AppleDocument(content, of: file.path).decode()
    try checkCount(list.items.count, of: file.path)
    var secrets: [(date: Date, secret: ForeignSecret)] = []
    for (index, item) in list.items.enumerated() {
      let place = "item \(index + 1)"
      do throws(KeychainItem.Failure) {
        // A date that is no number has no place in an order.
        let date = item.cdat.flatMap { $0.timeIntervalSinceReferenceDate.isNaN ? nil : $0 }
        secrets.append((date ?? .distantPast, try item.foreignSecret(at: place)))
      } catch {
        throw error.error(path: file.path, place: place)
      }
    }
    // Items of one age keep their order, because the sorting is stable.
    return ForeignSecrets(secrets.sorted { $0.date < $1.date }.map(\.secret), file: file)
  }
}
