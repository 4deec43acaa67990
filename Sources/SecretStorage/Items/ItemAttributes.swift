/// The attributes of an item other than its identity and its secret.
///
/// A nil attribute is absent. To remove an attribute, set it to nil and save.
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

/// Unsaved changes to an item's attributes; an inner nil removes an attribute.
struct AttributeEdits: Hashable, Sendable {
  private var label: String??
  private var comment: String??
  private var itemDescription: String??
  private var creator: UInt32??
  private var type: UInt32??
  private var isInvisible: Bool??
  var accessControl: AccessControl?

  var isEmpty: Bool { self == AttributeEdits() }

  mutating func record(from old: ItemAttributes, to new: ItemAttributes) {
    if new.label != old.label { label = .some(new.label) }
    if new.comment != old.comment { comment = .some(new.comment) }
    if new.itemDescription != old.itemDescription { itemDescription = .some(new.itemDescription) }
    if new.creator != old.creator { creator = .some(new.creator) }
    if new.type != old.type { type = .some(new.type) }
    if new.isInvisible != old.isInvisible { isInvisible = .some(new.isInvisible) }
    if new.accessControl != old.accessControl { accessControl = new.accessControl }
  }

  func applied(to attributes: ItemAttributes) -> ItemAttributes {
    ItemAttributes(
      label: label ?? attributes.label, comment: comment ?? attributes.comment,
      itemDescription: itemDescription ?? attributes.itemDescription,
      creator: creator ?? attributes.creator, type: type ?? attributes.type,
      isInvisible: isInvisible ?? attributes.isInvisible,
      accessControl: accessControl ?? attributes.accessControl)
  }
}
