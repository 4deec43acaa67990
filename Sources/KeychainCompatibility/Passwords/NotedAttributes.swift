import SecretStorage

/// The attributes of an item as they were found, or as the app set them since.
@available(*, deprecated)
struct NotedAttributes {
  /// One attribute.
  struct Attribute<Value> {
    private(set) var value: Value?
    /// Whether the app set it to nil, which is more than that nothing is known of it.
    fileprivate(set) var wasSetToNil = false

    init(_ found: Value? = nil) {
      value = found
    }

    mutating func set(_ new: Value?) {
      value = new
      wasSetToNil = new == nil
    }
  }

  var description = Attribute<String>()
  var comment = Attribute<String>()
  var creator = Attribute<CFNumber>()
  var type = Attribute<CFNumber>()
  var label = Attribute<String>()
  var isInvisible = Attribute<Bool>()

  init() {}

  init(_ found: ItemAttributes?) {
    description = Attribute(found?.itemDescription)
    comment = Attribute(found?.comment)
    creator = Attribute(found?.creator.map(Int.init))
    type = Attribute(found?.type.map(Int.init))
    label = Attribute(found?.label)
    isInvisible = Attribute(found?.isInvisible)
  }

  /// Takes the attributes as those that are in the store.
  mutating func didSave() {
    description.wasSetToNil = false
    comment.wasSetToNil = false
    creator.wasSetToNil = false
    type.wasSetToNil = false
    label.wasSetToNil = false
    isInvisible.wasSetToNil = false
  }

  /// The attributes, with the access control that an item has from the beginning.
  func attributes() throws(KeychainFailure) -> ItemAttributes {
    ItemAttributes(
      label: label.value, comment: comment.value, itemDescription: description.value,
      creator: try creator.value.map { number throws(KeychainFailure) in try code(number) },
      type: try type.value.map { number throws(KeychainFailure) in try code(number) },
      isInvisible: isInvisible.value)
  }

  /// The same, but with something in the place of what was set to nil.
  ///
  /// A `PasswordItem` writes what was changed. When it first has these, nil is such a change.
  func filled(_ attributes: ItemAttributes) -> ItemAttributes {
    var filled = attributes
    if description.wasSetToNil { filled.itemDescription = "" }
    if comment.wasSetToNil { filled.comment = "" }
    if creator.wasSetToNil { filled.creator = 0 }
    if type.wasSetToNil { filled.type = 0 }
    if label.wasSetToNil { filled.label = "" }
    if isInvisible.wasSetToNil { filled.isInvisible = false }
    return filled
  }

  private func code(_ number: Int) throws(KeychainFailure) -> UInt32 {
    if let code = UInt32(exactly: number) { return code }
    throw KeychainFailure(.invalid("A creator or type is a number of 32 bits without a sign"))
  }
}
