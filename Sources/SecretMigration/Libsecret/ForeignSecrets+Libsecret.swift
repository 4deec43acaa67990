public import FoundationEssentials
public import SecretStorage
import StorageInternals
import ValueFormats

// The secrets of a keyring file of libsecret or oo7.
extension ForeignSecrets {
  /// Reads a keyring file in the format of libsecret's file backend, which oo7 also uses.
  ///
  /// In a sandbox, the file is `$XDG_DATA_HOME/keyrings/default.keyring`. The keyrings of
  /// gnome-keyring have a different format and are not supported. <doc:ForeignFormats> says what
  /// the attributes become.
  ///
  /// If no item can be decrypted, the passphrase is reported as wrong. libsecret does not check the
  /// passphrase before it writes, so some items may be encrypted with a different one. To migrate
  /// such a keyring, use `skippingUnreadable`, and migrate it once with each passphrase.
  ///
  /// - Returns: The items, the oldest first.
  /// - Throws: ``MigrationError/wrongPassphrase(path:)``; ``MigrationError/damaged(path:reason:)``;
  ///   ``MigrationError/malformed(path:reason:)``; ``MigrationError/unsupported(path:reason:)`` for
  ///   another version, an iteration count outside 1…10,000,000, more than 64 MiB or 100,000 items;
  ///   ``MigrationError/missingLibrary(_:)``; or ``MigrationError/system(call:path:code:)``.
  public static func libsecretKeyring(
    at url: URL, passphrase: Secret, skippingUnreadable: Bool = false
  ) throws -> ForeignSecrets {
    let (file, bytes) = try SourceFile.read(url)
    let keyring = try LibsecretFile(bytes, of: file.path)
    let key = try CryptoLibrary.use { (library) throws(Unavailable) -> Secret in
      try library.pbkdf2(
        passphrase, salt: keyring.salt, iterations: keyring.iterations, count: 16)
    }
    let cipher = AESCipher()
    var items: [(position: String, item: LibsecretItem)] = []
    var unreadable: [Unreadable] = []
    for (index, sealed) in keyring.items.enumerated() {
      let position = "item \(index + 1)"
      let item = try CryptoLibrary.use { (library) throws(Unavailable) -> LibsecretItem? in
        try sealed.opened(with: key, cipher, by: library)
      }
      if let item {
        items.append((position, item))
      } else {
        unreadable.append(
          Unreadable(
            position: position, reason: "It is damaged, or encrypted with another passphrase."))
      }
    }
    if items.isEmpty, !unreadable.isEmpty {
      throw MigrationError.wrongPassphrase(path: file.path)
    }
    if let first = unreadable.first, !skippingUnreadable {
      throw MigrationError.damaged(
        path: file.path,
        reason: "\(unreadable.count) items cannot be decrypted, the first being \(first.position)")
    }
    items.sort { $0.item.created < $1.item.created }
    var names: [ItemIdentity: Int] = [:]
    let secrets = items.map { $0.item.foreignSecret(at: $0.position, names: &names) }
    return ForeignSecrets(secrets, unreadable: unreadable, file: file)
  }
}

extension LibsecretFile.Item {
  /// Decrypts the item; returns nil if authentication fails.
  fileprivate func opened(
    with key: Secret, _ cipher: AESCipher, by library: CryptoLibrary
  ) throws(Unavailable) -> LibsecretItem? {
    let code = try library.authenticationCode(of: ciphertext + initializationVector, under: key)
    guard code == Secret(authenticationCode),
      let (count, bytes) = try cipher.decryptCBC(
        ciphertext, initializationVector: Array(initializationVector), under: key, by: library)
    else { return nil }
    // The closure copies the bytes.
    var content = unsafe bytes.withUnsafeBytes { unsafe Array($0.prefix(count)) }
    defer { content.wipe() }
    let item: LibsecretItem
    do throws(FormatError) {
      item = try LibsecretItem(content[...])
    } catch {
      return nil
    }
    // The code authenticates the ciphertext; the hashes authenticate the attributes outside of it.
    for (name, hash) in hashes {
      guard let value = item.attributes[name],
        try library.authenticationCode(of: Array(value.utf8)[...], under: key) == Secret(hash)
      else { return nil }
    }
    return item
  }
}
