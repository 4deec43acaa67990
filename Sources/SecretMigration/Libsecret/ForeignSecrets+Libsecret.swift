public import FoundationEssentials
public import SecretStorage

extension ForeignSecrets {
  /// Reads a keyring file of libsecret's file backend, which oo7 writes as well.
  ///
  /// In sandboxes it is `$XDG_DATA_HOME/keyrings/default.keyring`. Not every keyring is such a file: one of
  /// gnome-keyring has another format and is refused. Items with the attribute `server` become internet
  /// passwords, the others generic ones: `service` or `application` is the service, and `username`,
  /// `account` or `user` the account. Other attributes stand in the comment, or together are the account
  /// where there is none. <doc:ForeignFormats> has the whole table.
  ///
  /// The format has no way to tell a wrong passphrase from damage: when nothing in the file can be decrypted,
  /// the passphrase is taken to be wrong. Some of the items may be encrypted under another passphrase,
  /// because libsecret accepts any for writing; each migration takes those that its passphrase opens, if it
  /// is told to leave out the rest.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - passphrase: The passphrase of the keyring.
  ///   - skippingUnreadable: Whether to leave out items that are damaged or encrypted under another
  ///     passphrase, instead of refusing the file.
  /// - Returns: The items, the oldest first.
  /// - Throws: ``MigrationError/wrongPassphrase(path:)``; ``MigrationError/damaged(path:reason:)``;
  ///   ``MigrationError/malformed(path:reason:)``; ``MigrationError/unsupported(path:reason:)`` for another
  ///   version, an iteration count out of 1…10,000,000, more than 64 MiB or 100,000 items;
  ///   ``MigrationError/missingLibrary(_:)``; or what kept the file from being read.
  public static func libsecretKeyring(
    at url: URL, passphrase: Secret, skippingUnreadable: Bool = false
  ) throws(MigrationError) -> ForeignSecrets {
    let (file, bytes) = try SourceFile.read(url)
    let keyring = try LibsecretFile(bytes, of: file.path)
    let cipher = try ForeignCipher()
    let key = try cipher.key(
      of: passphrase, salt: keyring.salt, iterations: keyring.iterations, count: 16)
    var secrets: [(created: UInt64, secret: ForeignSecret)] = []
    var unreadable: [Unreadable] = []
    for (index, sealed) in keyring.items.enumerated() {
      let place = "item \(index + 1)"
      if let item = try sealed.opened(with: key, cipher) {
        secrets.append((item.created, item.foreignSecret(at: place)))
      } else {
        unreadable.append(
          Unreadable(
            place: place, reason: "It is damaged, or encrypted under another passphrase."))
      }
    }
    if secrets.isEmpty, !unreadable.isEmpty { throw .wrongPassphrase(path: file.path) }
    if let first = unreadable.first, !skippingUnreadable {
      throw .damaged(
        path: file.path,
        reason: "\(first.place) is the first of \(unreadable.count) that cannot be decrypted")
    }
    return ForeignSecrets(
      secrets.sorted { $0.created < $1.created }.map(\.secret), unreadable: unreadable, file: file)
  }
}

extension LibsecretFile.Item {
  /// The item decrypted; nil when it is not authentic.
  fileprivate func opened(
    with key: Secret, _ cipher: ForeignCipher
  ) throws(MigrationError) -> LibsecretItem? {
    guard try cipher.code(of: ciphertext + initialization, under: key) == Secret(code),
      let content = try cipher.decrypt(ciphertext, initialization: initialization, key: key),
      let item = LibsecretItem(content)
    else { return nil }
    // The code does not protect what stands beside the ciphertext, but this does.
    for (name, hash) in hashes {
      guard let value = item.attributes[name],
        try cipher.code(of: value.utf8, under: key) == Secret(hash)
      else { return nil }
    }
    return item
  }
}
