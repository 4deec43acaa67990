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

extension ItemAttributes: CustomStringConvertible, CustomReflectable {
  /// Only the accessibility, because the other attributes may be too private for a log.
  public var description: String { "ItemAttributes(\(accessControl.accessibility))" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
