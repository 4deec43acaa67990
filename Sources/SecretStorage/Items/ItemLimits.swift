/// The limits on the size of an item, which are the same in all stores of this library.
public enum ItemLimits: Sendable {
  /// The maximum size of a secret: 16 MiB, in bytes.
  public static let secretSize = 16 * 1024 * 1024
  /// The maximum total size of the strings of an item's identity and attributes: 64 KiB, in bytes
  /// of UTF-8.
  public static let stringSize = 64 * 1024

  /// Checks the size of an item before a store changes anything.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` if a limit is exceeded.
  public static func check(
    identity: ItemIdentity, attributes: ItemAttributes, secretCount: Int
  ) throws(SecretStoreError) {
    try check(secretCount: secretCount)
    let strings = [
      identity.service, identity.account, identity.server, identity.securityDomain,
      identity.protocol?.rawValue, identity.authenticationType?.rawValue, identity.path,
      attributes.label, attributes.comment, attributes.itemDescription,
    ]
    let count = strings.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    if count > stringSize {
      throw .invalid(
        """
        The strings of an item's identity and attributes must not exceed \(stringSize) bytes of \
        UTF-8 in total; these have \(count)
        """)
    }
  }

  /// - Throws: ``SecretStoreError/invalid(_:)`` if a limit is exceeded.
  static func check(secretCount: Int) throws(SecretStoreError) {
    if secretCount > secretSize {
      throw .invalid("A secret must not exceed \(secretSize) bytes; this one has \(secretCount)")
    }
  }
}
