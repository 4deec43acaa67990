/// The limits on the size of an item, in bytes, in all stores of this module.
package enum ItemLimits {
  static let secretSize = 16 * 1024 * 1024
  static let textSize = 64 * 1024

  /// - Throws: ``SecretStoreError/invalid(_:)`` if a limit is exceeded.
  package static func check(
    identity: ItemIdentity, attributes: ItemAttributes, secretCount: Int
  ) throws(SecretStoreError) {
    try check(secretCount: secretCount)
    let count = textCount(of: identity, attributes)
    if count > textSize {
      throw .invalid(
        """
        The texts of an item's identity and attributes must not exceed \(textSize) bytes of UTF-8 in \
        total; these have \(count)
        """)
    }
  }

  /// - Throws: ``SecretStoreError/invalid(_:)`` if a limit is exceeded.
  static func check(secretCount: Int) throws(SecretStoreError) {
    if secretCount > secretSize {
      throw .invalid("A secret must not exceed \(secretSize) bytes; this one has \(secretCount)")
    }
  }

  /// Returns the number of UTF-8 bytes in all texts of an item.
  static func textCount(of identity: ItemIdentity, _ attributes: ItemAttributes) -> Int {
    func count(_ text: String?) -> Int { text?.utf8.count ?? 0 }
    return count(identity.service) + count(identity.account) + count(identity.server)
      + count(identity.securityDomain) + count(identity.protocol?.rawValue)
      + count(identity.authenticationType?.rawValue) + count(identity.path)
      + count(attributes.label) + count(attributes.comment) + count(attributes.itemDescription)
  }
}
