public import FoundationEssentials
public import SecretStorage

extension ForeignSecrets {
  /// Reads a keyring file of libsecret's file backend, which oo7 also writes.
  ///
  /// In sandboxes it is `$XDG_DATA_HOME/keyrings/default.keyring`. The keyrings of gnome-keyring
  /// have another format and are refused. Items with the attribute `server` become internet
  /// passwords, the others generic ones: `service` or `application` is the service, and `username`,
  /// `account` or `user` the account. Other attributes go into the comment, or form the account if
  /// there is none. <doc:ForeignFormats> has the full table.
  ///
  /// The format cannot tell a wrong passphrase from damage. If no item can be decrypted, the
  /// passphrase counts as wrong. Some of the items may be encrypted with another passphrase,
  /// because libsecret accepts any for writing. Each migration then takes the items of its
  /// passphrase, if it skips the unreadable ones.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - passphrase: The passphrase of the keyring.
  ///   - skippingUnreadable: Whether to skip items that are damaged or encrypted with another
  ///     passphrase, instead of throwing.
  /// - Returns: The items, the oldest first.
  /// - Throws: ``MigrationError/wrongPassphrase(path:)``; ``MigrationError/damaged(path:reason:)``;
  ///   ``MigrationError/malformed(path:reason:)``; ``MigrationError/unsupported(path:reason:)`` for
  ///   another version, an iteration count outside 1…10,000,000, more than 64 MiB or 100,000 items;
  ///   ``MigrationError/missingLibrary(_:)``; or the error that kept the file from being read.
  public static func libsecretKeyring(
    at url: URL, passphrase: Secret, skippingUnreadable: Bool = false
  ) throws -> ForeignSecrets {
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
    if secrets.isEmpty, !unreadable.isEmpty {
      throw MigrationError.wrongPassphrase(path: file.path)
    }
    if let first = unreadable.first, !skippingUnreadable {
      throw MigrationError.damaged(
        path: file.path,
        reason: "\(first.place) is the first of \(unreadable.count) that cannot be decrypted")
    }
    return ForeignSecrets(
      secrets.sorted { $0.created < $1.created }.map(\.secret), unreadable: unreadable, file: file)
  }
}

extension LibsecretFile.Item {
  /// Decrypts the item; nil if it is not authentic.
  fileprivate func opened(
    with key: Secret, _ cipher: ForeignCipher
  ) throws(MigrationError) -> LibsecretItem? {
    guard try cipher.code(of: ciphertext + initialization, under: key) == Secret(code),
      let content = try cipher.decrypt(ciphertext, initialization: initialization, key: key),
      let item = LibsecretItem(content)
    else { return nil }
    // The item's code protects only the ciphertext; these hashes protect the attributes beside it.
    for (name, hash) in hashes {
      guard let value = item.attributes[name],
        try cipher.code(of: value.utf8, under: key) == Secret(hash)
      else { return nil }
    }
    return item
  }
}
