/// The attributes of an item other than its identity and its secret.
///
/// An attribute that is nil is absent. To remove one, set it to nil and save.
public struct ItemAttributes: Hashable, Sendable {
  /// The name of the item, for the user.
  public var label: String?
  /// A comment for the user.
  public var comment: String?
  /// The kind of the item, for the user.
  public var itemDescription: String?
  /// The app that created the item, as a four-character code.
  public var creator: UInt32?
  /// The app's own type of the item, as a four-character code.
  public var type: UInt32?
  /// Whether the item should be hidden in lists.
  public var isInvisible: Bool?
  /// The condition under which the item can be read, and the proofs that reading it needs.
  public var accessControl: AccessControl

  /// Creates attributes, of which the omitted ones are absent.
  public init(
    label: String? = nil, comment: String? = nil, itemDescription: String? = nil,
    creator: UInt32? = nil, type: UInt32? = nil, isInvisible: Bool? = nil,
    accessControl: AccessControl = AccessControl()
  ) {
    self.label = label
    self.comment = comment
    self.itemDescription = itemDescription
    self.creator = creator
    self.type = type
    self.isInvisible = isInvisible
    self.accessControl = accessControl
  }
}

extension ItemAttributes: CustomStringConvertible, CustomReflectable {
  /// Only the accessibility, because the other attributes may be too private for a log.
  public var description: String { "ItemAttributes(\(accessControl.accessibility))" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// The limits on the size of an item, in bytes, in all stores of this module.
package enum ItemLimits {
  static let secretSize = 16 * 1024 * 1024
  static let textSize = 64 * 1024

  /// - Throws: ``SecretStoreError/invalid(_:)`` if a limit is exceeded.
  package static func check(
    identity: ItemIdentity, attributes: ItemAttributes, secretCount: Int
  ) throws(SecretStoreError) {
    try check(secretCount: secretCount)
    let texts = [
      identity.service, identity.account, identity.server, identity.securityDomain,
      identity.protocol?.rawValue, identity.authenticationType?.rawValue, identity.path,
      attributes.label, attributes.comment, attributes.itemDescription,
    ]
    let count = texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
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
}
