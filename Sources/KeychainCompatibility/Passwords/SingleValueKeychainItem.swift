public import FoundationEssentials
import SecretStorage

/// What the properties of both classes of passwords note about their item.
///
/// The attributes are as the last loading found them or as the app set them since; a save writes those
/// that are not nil, and leaves those that are nil as they are in the store. The attributes of a
/// `PasswordItem` can also be cleared.
@available(*, deprecated, message: "Use `PasswordItem`, the projected value of SecretStorage.")
open class SingleValueKeychainItem {
  /// What kind of item it is, for a person to read.
  @available(*, deprecated, message: "Use `attributes.itemDescription` of the projected value.")
  public var description: String?
  /// A comment for a person to read.
  @available(*, deprecated, message: "Use `attributes.comment` of the projected value.")
  public var comment: String?
  /// The app that made the item, as the number of a four-character code.
  @available(*, deprecated, message: "Use `attributes.creator` of the projected value.")
  public var creator: CFNumber?
  /// The app's own kind of item, as the number of a four-character code.
  @available(*, deprecated, message: "Use `attributes.type` of the projected value.")
  public var type: CFNumber?
  /// The name that a person sees.
  @available(*, deprecated, message: "Use `attributes.label` of the projected value.")
  public var label: String?
  /// Whether lists should leave the item out.
  @available(*, deprecated, message: "Use `attributes.isInvisible` of the projected value.")
  public var isInvisible: Bool?
  /// When the item can be read: a constant `kSecAttrAccessible…`.
  ///
  /// A save ignores it while there is an access control, which says it as well.
  @available(
    *, deprecated, message: "Use `attributes.accessControl.accessibility` of the projected value."
  )
  public var accesible: CFString?
  /// When the item was added, as the last loading or saving found it.
  @available(*, deprecated, message: "Use `creationDate` of the projected value.")
  public private(set) var creationDate: Date?
  /// When the item was last changed, as the last loading or saving found it.
  @available(*, deprecated, message: "Use `modificationDate` of the projected value.")
  public private(set) var modificationDate: Date?

  /// What a save gives the item, also in place of ``accesible``; nil means that nothing has to be
  /// proved, or that nothing is said about it.
  var constrainedAccess: AccessControl?

  init() {}

  /// Takes what an item has, or forgets everything if there is none.
  func take(_ item: PasswordItem<Data>?) {
    let attributes = item?.attributes
    description = attributes?.itemDescription
    comment = attributes?.comment
    creator = attributes?.creator.map(Int.init)
    type = attributes?.type.map(Int.init)
    label = attributes?.label
    isInvisible = attributes?.isInvisible
    accesible = attributes?.accessControl.accessibility.keychainValue
    constrainedAccess =
      attributes?.accessControl.flags.isEmpty == false ? attributes?.accessControl : nil
    takeDates(of: item)
  }

  func takeDates(of item: PasswordItem<Data>?) {
    creationDate = item?.creationDate
    modificationDate = item?.modificationDate
  }

  /// The access control that a save gives the item, or nil if it keeps the one it has.
  func wantedAccess() throws(KeychainFailure) -> AccessControl? {
    if let constrainedAccess { return constrainedAccess }
    guard let accesible else { return nil }
    do throws(SecretStoreError) {
      return AccessControl(try Accessibility(keychainValue: accesible))
    } catch {
      throw KeychainFailure(accessControl: error)
    }
  }

  /// What is set here, with the access control that an item has from the beginning.
  func attributes() throws(KeychainFailure) -> ItemAttributes {
    ItemAttributes(
      label: label, comment: comment, itemDescription: description,
      creator: try creator.map { number throws(KeychainFailure) in try code(number) },
      type: try type.map { number throws(KeychainFailure) in try code(number) },
      isInvisible: isInvisible)
  }

  private func code(_ number: Int) throws(KeychainFailure) -> UInt32 {
    if let code = UInt32(exactly: number) { return code }
    throw KeychainFailure(.invalid("A creator or type is a number of 32 bits without a sign"))
  }
}

@available(*, deprecated)
extension SingleValueKeychainItem: CustomReflectable {
  /// A mirror without children: neither attributes nor the value are shown.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

@available(*, unavailable, message: "It is for one thread at a time. Use `PasswordItem`.")
extension SingleValueKeychainItem: Sendable {}
