public import FoundationEssentials
public import SecretStorage
import StorageInternals
import ValueFormats

// The secrets of a keyring file of libsecret or oo7.
extension ForeignSecrets {
  /// Reads a keyring file in the format of libsecret's file backend, which oo7 also uses.
  ///
  /// In a sandbox, the file is `$XDG_DATA_HOME/keyrings/default.keyring`. The different format of
  /// gnome-keyring is not supported. <doc:ForeignFormats> describes the conversion of attributes.
  ///
  /// If no item can be decrypted, the passphrase is reported as wrong. libsecret does not check the
  /// passphrase before it writes, so some items may be encrypted with a different one. To migrate
  /// such a keyring, use `skippingUnreadable`, and migrate it once with each passphrase.
  ///
  /// - Returns: The items, the oldest first.
  /// - Throws: ``MigrationError/wrongPassphrase(path:)``; ``MigrationError/damaged(path:reason:)``;
  ///   ``MigrationError/malformed(path:reason:)``; ``MigrationError/unsupported(path:reason:)`` for
  ///   another version, an iteration count outside 1…10,000,000, a salt outside 8…1,024 bytes, or
  ///   more than 64 MiB or 100,000 items;
  ///   ``MigrationError/missingLibrary(_:)``; or ``MigrationError/system(call:path:code:)``.
  public static func libsecretKeyring(
    at url: URL, passphrase: Secret, skippingUnreadable: Bool = false
  ) throws -> ForeignSecrets {
    let (file, bytes) = try SourceFile.read(url)
    let keyring = try LibsecretFile(bytes, of: file.path)
    var items: [(position: String, item: LibsecretItem)] = []
    var unreadable: [Unreadable] = []
    try CryptoLibrary.use { library throws(SecretStoreError) in
      let key = try library.pbkdf2(
        passphrase, salt: keyring.salt, iterations: keyring.iterations, count: 16)
      let cipher = OpenSSLCipher()
      for (index, sealed) in keyring.items.enumerated() {
        let position = "item \(index + 1)"
        if let item = try sealed.opened(with: key, cipher, by: library) {
          items.append((position, item))
        } else {
          unreadable.append(
            Unreadable(
              position: position, reason: "It is damaged, or encrypted with another passphrase."))
        }
      }
    }
    if items.isEmpty, !unreadable.isEmpty {
      throw MigrationError.wrongPassphrase(path: file.path)
    }
    if let first = unreadable.first, !skippingUnreadable {
      throw MigrationError.damaged(
        path: file.path,
        reason: """
          \(unreadable.count) of \(keyring.items.count) items cannot be decrypted; the first is \
          \(first.position)
          """)
    }
    items.sort { $0.item.created < $1.item.created }
    var names: [ItemIdentity: Int] = [:]
    let secrets = items.map { $0.item.foreignSecret(at: $0.position, names: &names) }
    return ForeignSecrets(secrets: secrets, unreadable: unreadable, file: file)
  }
}

extension LibsecretFile.Item {
  /// Decrypts the item; returns nil if authentication fails.
  fileprivate func opened(
    with key: Secret, _ cipher: OpenSSLCipher, by library: CryptoLibrary
  ) throws(SecretStoreError) -> LibsecretItem? {
    let code = try library.authenticationCode(of: ciphertext + initializationVector, under: key)
    guard code == Secret(authenticationCode),
      let bytes = try cipher.decrypt(
        ciphertext, under: key, nonce: Array(initializationVector), by: library)
    else { return nil }
    // The closure copies the bytes.
    var content = unsafe bytes.withUnsafeBytes { unsafe Array($0) }
    defer { content.wipe() }
    guard let item = try? LibsecretItem(content[...]) else { return nil }
    // The code authenticates the ciphertext; the hashes authenticate the attributes outside of it.
    for (name, hash) in hashes {
      guard let value = item.attributes[name],
        try library.authenticationCode(of: Array(value.utf8)[...], under: key) == Secret(hash)
      else { return nil }
    }
    return item
  }
}

/// A parsed keyring file of libsecret, the GVariant `(uayutua(a{say}ay))`; its items are encrypted.
struct LibsecretFile {
  struct Item {
    /// The HMAC-SHA-256 of the value of each attribute, by the name of the attribute.
    let hashes: [String: ArraySlice<UInt8>]
    let ciphertext: ArraySlice<UInt8>
    let initializationVector: ArraySlice<UInt8>
    let authenticationCode: ArraySlice<UInt8>

    // These sizes are in bytes.
    private static let blockSize = 16
    private static let codeSize = 32

    init(_ element: ArraySlice<UInt8>) throws(FormatError) {
      let (ends, body) = try element.members(ends: 1)
      hashes = try body.part(0, ends[0]).entries()
      let blob = try body.part(ends[0], body.count)
      let count = blob.count - Self.blockSize - Self.codeSize
      guard count > 0, count % Self.blockSize == 0,
        hashes.values.allSatisfy({ $0.count == Self.codeSize })
      else { throw .malformedVariant }
      ciphertext = blob.prefix(count)
      initializationVector = blob.dropFirst(count).prefix(Self.blockSize)
      authenticationCode = blob.suffix(Self.codeSize)
    }
  }

  static let supportedIterations = 1...10_000_000
  private static let magic = Array("GnomeKeyring\n\r\0\n".utf8)

  let salt: ArraySlice<UInt8>
  let iterations: Int
  let items: [Item]

  init(_ bytes: [UInt8], of path: String) throws(MigrationError) {
    guard bytes.starts(with: Self.magic), bytes.count >= Self.magic.count + 2 else {
      throw .malformed(path: path, reason: "it is not a keyring file")
    }
    let version = bytes[Self.magic.count..<Self.magic.count + 2]
    guard version == [1, 0] else {
      throw .unsupported(
        path: path,
        reason: """
          the keyring has version \(version.map(String.init).joined(separator: ".")); only version \
          1.0, which libsecret and oo7 use, is supported
          """)
    }
    do throws(FormatError) {
      let (ends, body) = try bytes[(Self.magic.count + 2)...].members(ends: 1)
      salt = try body.part(4, ends[0])
      guard try Int(body.integer(at: 0, size: 4)) == salt.count else { throw .malformedVariant }
      let iterationsOffset = ends[0].aligned(to: 4)
      iterations = Int(try body.integer(at: iterationsOffset, size: 4))
      // The date of the last change and a counter precede the items.
      let itemsOffset = (iterationsOffset + 4).aligned(to: 8) + 12
      let items = try body.part(itemsOffset, body.count).elements()
      self.items = try items.prefix(ForeignSecrets.countLimit + 1).map {
        element throws(FormatError) in try Item(element)
      }
    } catch {
      throw .malformed(path: path, reason: error.reason)
    }
    try ForeignSecrets.checkCount(items.count, of: path)
    guard Self.supportedIterations.contains(iterations) else {
      throw .unsupported(
        path: path, reason: "the iteration count is outside \(Self.supportedIterations)")
    }
    guard (8...1024).contains(salt.count) else {
      throw .unsupported(path: path, reason: "the salt is not 8 to 1024 bytes long")
    }
  }
}
