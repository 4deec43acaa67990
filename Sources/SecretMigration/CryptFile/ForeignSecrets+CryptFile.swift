public import FoundationEssentials
public import SecretStorage

extension ForeignSecrets {
  /// Reads a keyring of Python's `keyrings.cryptfile`, of any version from 0.1 to 1.3.9.
  ///
  /// It is `~/.local/share/python_keyring/cryptfile_pass.cfg` unless the app chose another. Service
  /// and user name become service and account. The file does not keep upper case in user names. As
  /// the name is authenticated with the password, it is found by trying, unless it has very many
  /// letters of both cases.
  ///
  /// Each password costs an Argon2id derivation of 15 passes over 64 MiB, some tenths of a second.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - passphrase: The passphrase of the keyring.
  ///   - skippingUnreadable: Whether to skip passwords that are damaged or whose user name is not
  ///     found, instead of throwing.
  ///   - report: Called on this thread after each password, with the number of processed passwords;
  ///     it may cancel the work.
  /// - Returns: The passwords, in the file's order.
  /// - Throws: ``MigrationError/wrongPassphrase(path:)``; ``MigrationError/damaged(path:reason:)``;
  ///   ``MigrationError/malformed(path:reason:)``; ``MigrationError/unsupported(path:reason:)`` for
  ///   a scheme other than AES-GCM, or over 64 MiB or 100,000 passwords;
  ///   ``MigrationError/missingLibrary(_:)`` without Argon2id; ``MigrationError/unavailable(_:)``
  ///   without enough memory; ``MigrationError/cancelled``; or the error of reading the file.
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
      let opened = try entry.value.opened(
        with: passphrase, derivation, cipher, service: entry.service, account: entry.account,
        spellings: entry.account.spellings)
      if let opened {
        secrets.append(
          ForeignSecret(
            place: entry.place,
            identity: .generic(service: entry.service.text, account: opened.account.text),
            secret: opened.secret))
      } else if skippingUnreadable {
        unreadable.append(
          Unreadable(
            place: entry.place,
            reason: "It is damaged, or it is not known how its user name was written."))
      } else {
        throw .damaged(path: file.path, reason: "\(entry.place) cannot be decrypted")
      }
      try checkProgress(secrets.count + unreadable.count, of: keyring.entries.count, report)
    }
    return ForeignSecrets(secrets, unreadable: unreadable, file: file)
  }
}
