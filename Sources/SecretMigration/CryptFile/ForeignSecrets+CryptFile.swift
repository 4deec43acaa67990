public import FoundationEssentials
import LibCrypto
public import SecretStorage

extension ForeignSecrets {
  /// Reads a keyring of Python's `keyrings.cryptfile`, versions 0.1 to 1.3.9.
  ///
  /// By default, the file is `~/.local/share/python_keyring/cryptfile_pass.cfg`. The service and
  /// the user name become the service and the account. The file stores user names in lowercase, so
  /// the original case is determined by trial: the user name is authenticated together with the
  /// password. This can fail for a name with many letters, because the number of combinations of
  /// uppercase and lowercase letters that are tried is limited.
  ///
  /// Each password requires an Argon2id key derivation with 15 passes over 64 MiB, which takes a
  /// few tenths of a second.
  ///
  /// - Parameters:
  ///   - url: The URL of the file.
  ///   - passphrase: The passphrase of the keyring.
  ///   - skippingUnreadable: Whether to skip passwords that are damaged or whose user name cannot
  ///     be determined, instead of throwing an error.
  ///   - report: Called after each password on the calling thread; it can cancel the operation.
  /// - Returns: The passwords, in the order of the file.
  /// - Throws: ``MigrationError/wrongPassphrase(path:)``; ``MigrationError/damaged(path:reason:)``;
  ///   ``MigrationError/malformed(path:reason:)``; ``MigrationError/unsupported(path:reason:)`` for
  ///   a scheme other than AES-GCM, or more than 64 MiB or 100,000 passwords;
  ///   ``MigrationError/missingLibrary(_:)`` if Argon2id is missing;
  ///   ``MigrationError/libraryFailed(_:)`` if there is too little memory;
  ///   ``MigrationError/cancelled``; or ``MigrationError/system(call:path:code:)``.
  public static func cryptFile(
    at url: URL, passphrase: Secret, skippingUnreadable: Bool = false,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws -> ForeignSecrets {
    try cryptFile(
      at: url, passphrase: passphrase, skippingUnreadable: skippingUnreadable,
      derivingBy: { passphrase, salt, cost throws(MigrationError) in
        try Argon2().key(of: passphrase, salt: salt, cost: cost)
      }, reporting: report)
  }

  static func cryptFile(
    at url: URL, passphrase: Secret, skippingUnreadable: Bool = false,
    derivingBy derivation: Argon2.Derivation,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws(MigrationError) -> ForeignSecrets {
    let (file, bytes) = try SourceFile.read(url)
    let keyring = try CryptFile(ConfigurationFile(bytes, of: file.path), of: file.path)
    let cipher = try ForeignCipher()
    try checkProgress(0, of: keyring.entries.count, report)
    try keyring.check(passphrase, derivation, cipher, of: file.path)
    var secrets: [ForeignSecret] = []
    var unreadable: [Unreadable] = []
    for entry in keyring.entries {
      let decrypted = try entry.value.decrypted(
        with: passphrase, derivation, cipher, service: entry.service, account: entry.account,
        variants: entry.account.caseVariants)
      if let decrypted {
        secrets.append(
          ForeignSecret(
            position: entry.position,
            identity: .generic(service: entry.service.string, account: decrypted.account.string),
            secret: decrypted.secret))
      } else if skippingUnreadable {
        unreadable.append(
          Unreadable(
            position: entry.position,
            reason: "It is damaged, or the case of its user name could not be determined."))
      } else {
        throw .damaged(path: file.path, reason: "\(entry.position) cannot be decrypted")
      }
      try checkProgress(secrets.count + unreadable.count, of: keyring.entries.count, report)
    }
    return ForeignSecrets(secrets, unreadable: unreadable, file: file)
  }
}
