/// What an app notes about an item, beside its identity and its secret.
///
/// An attribute that is nil is absent; setting one to nil and saving clears it.
public struct ItemAttributes: Hashable, Sendable {
  /// The name that a person sees.
  public var label: String?
  /// A comment for a person to read.
  public var comment: String?
  /// What kind of item it is, for a person to read.
  public var itemDescription: String?
  /// The app that made the item, by a four-character code.
  public var creator: UInt32?
  /// The app's own kind of item, by a four-character code.
  public var type: UInt32?
  /// Whether lists should leave the item out.
  public var isInvisible: Bool?
  /// When the item can be read, and by whom.
  public var accessControl: AccessControl

  /// Collects attributes; what is left out is absent.
  public init(
    label: String? = nil,
    comment: String? = nil,
    itemDescription: String? = nil,
    creator: UInt32? = nil,
    type: UInt32? = nil,
    isInvisible: Bool? = nil,
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
