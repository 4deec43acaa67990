/// The attributes that an app sets for an item, besides its identity and its secret.
///
/// An attribute that is nil is absent; setting one to nil and saving clears it.
public struct ItemAttributes: Hashable, Sendable {
  /// The name that the user sees.
  public var label: String?
  /// A comment for the user.
  public var comment: String?
  /// The kind of the item, for the user.
  public var itemDescription: String?
  /// The app that created the item, as a four-character code.
  public var creator: UInt32?
  /// The app's own type of the item, as a four-character code.
  public var type: UInt32?
  /// Whether lists should omit the item.
  public var isInvisible: Bool?
  /// The condition and the proofs for reading the item.
  public var accessControl: AccessControl

  /// Makes attributes; an omitted one is absent.
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
  /// The accessibility alone, because the other attributes may be too private for a log.
  public var description: String { "ItemAttributes(\(accessControl.accessibility))" }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
