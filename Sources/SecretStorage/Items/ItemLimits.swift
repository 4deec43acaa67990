/// How large an item may be, in every store of this module.
enum ItemLimits {
  static let secretSize = 16 * 1024 * 1024
  static let textSize = 64 * 1024

  /// - Throws: ``SecretStoreError/invalid(_:)``, naming the limit that was passed.
  static func check(
    identity: ItemIdentity, attributes: ItemAttributes, secretCount: Int
  ) throws(SecretStoreError) {
    if secretCount > secretSize {
      throw .invalid("A secret holds at most \(secretSize) bytes, and this one has \(secretCount)")
    }
    let texts = [
      identity.service, identity.account, identity.server, identity.securityDomain,
      identity.protocol?.rawValue, identity.authenticationType?.rawValue, identity.path,
      attributes.label, attributes.comment, attributes.itemDescription,
    ]
    let count = texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    if count > textSize {
      throw .invalid(
        """
        The texts of an item's identity and attributes have at most \(textSize) bytes of UTF-8 \
        together, and these have \(count)
        """)
    }
  }
}
