/// The unsaved changes of an item's attributes; an inner nil removes an attribute.
struct AttributeEdits: Hashable, Sendable {
  private var label: String??
  private var comment: String??
  private var itemDescription: String??
  private var creator: UInt32??
  private var type: UInt32??
  private var isInvisible: Bool??
  private var accessControl: AccessControl?

  var isEmpty: Bool { self == AttributeEdits() }

  /// Records the differences between two values of the attributes.
  mutating func record(from old: ItemAttributes, to new: ItemAttributes) {
    if new.label != old.label { label = .some(new.label) }
    if new.comment != old.comment { comment = .some(new.comment) }
    if new.itemDescription != old.itemDescription { itemDescription = .some(new.itemDescription) }
    if new.creator != old.creator { creator = .some(new.creator) }
    if new.type != old.type { type = .some(new.type) }
    if new.isInvisible != old.isInvisible { isInvisible = .some(new.isInvisible) }
    if new.accessControl != old.accessControl { accessControl = new.accessControl }
  }

  /// Records a new access control; nil discards the recorded one.
  mutating func record(_ accessControl: AccessControl?) {
    self.accessControl = accessControl
  }

  func applied(to attributes: ItemAttributes) -> ItemAttributes {
    ItemAttributes(
      label: label ?? attributes.label,
      comment: comment ?? attributes.comment,
      itemDescription: itemDescription ?? attributes.itemDescription,
      creator: creator ?? attributes.creator,
      type: type ?? attributes.type,
      isInvisible: isInvisible ?? attributes.isInvisible,
      accessControl: accessControl ?? attributes.accessControl)
  }
}
