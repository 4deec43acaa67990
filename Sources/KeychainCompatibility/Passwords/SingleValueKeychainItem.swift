public import FoundationEssentials
import SecretStorage

/// The attributes of an item, for both kinds of password properties.
///
/// They have the values of the last load, or those set later by the app. A save writes those that
/// are not nil; with ``KeychainDataRefreshPolicy/manual``, it clears those that were set to nil.
@available(*, deprecated, message: "Use `PasswordItem`, the projected value of SecretStorage.")
open class SingleValueKeychainItem: CustomReflectable {
  /// The kind of item, for the user.
  @available(*, deprecated, message: "Use `attributes.itemDescription` of the projected value.")
  @QueryElement open var description: String?
  /// A comment for the user.
  @available(*, deprecated, message: "Use `attributes.comment` of the projected value.")
  @QueryElement open var comment: String?
  /// The app that created the item, as the numeric value of a four-character code.
  @available(*, deprecated, message: "Use `attributes.creator` of the projected value.")
  @QueryElement open var creator: CFNumber?
  /// The app's own kind of item, as the numeric value of a four-character code.
  @available(*, deprecated, message: "Use `attributes.type` of the projected value.")
  @QueryElement open var type: CFNumber?
  /// The name shown to the user.
  @available(*, deprecated, message: "Use `attributes.label` of the projected value.")
  @QueryElement open var label: String?
  /// Whether lists should omit the item.
  @available(*, deprecated, message: "Use `attributes.isInvisible` of the projected value.")
  @QueryElement open var isInvisible: Bool?
  /// The accessibility of the item: a constant `kSecAttrAccessible…`.
  ///
  /// A save ignores it if there is an access control, which includes the accessibility. The
  /// misspelled name is that of the original package.
  @available(
    *, deprecated, message: "Use `attributes.accessControl.accessibility` of the projected value."
  )
  open var accesible: CFString?
  /// The date when the item was added, from the last load or save.
  @available(*, deprecated, message: "Use `creationDate` of the projected value.")
  open private(set) var creationDate: Date?
  /// The date of the last change of the item, from the last load or save.
  @available(*, deprecated, message: "Use `modificationDate` of the projected value.")
  open private(set) var modificationDate: Date?

  /// The class of the item: a constant `kSecClass…`; an override has no effect.
  @available(*, deprecated, message: "It is the case of an `ItemIdentity`.")
  open var itemClass: CFString {
    identity.itemClass == .generic ? kSecClassGenericPassword : kSecClassInternetPassword
  }
  /// The identifying attributes of the class: constants `kSecAttr…`; an override has no effect.
  @available(*, deprecated, message: "They are the parts of an `ItemIdentity`.")
  open var primaryKey: Set<CFString> {
    if identity.itemClass == .generic { return [kSecAttrAccount, kSecAttrService] }
    return [
      kSecAttrAccount, kSecAttrServer, kSecAttrSecurityDomain, kSecAttrProtocol,
      kSecAttrAuthenticationType, kSecAttrPort, kSecAttrPath,
    ]
  }

  /// The access control last set, or loaded with flags; a save applies it instead of ``accesible``.
  var constrainedAccess: AccessControl?
  /// The identity of the item that was found, or else the declared one.
  private(set) var shownIdentity: ItemIdentity
  let identity: ItemIdentity

  /// A mirror without children: neither attributes nor the value are shown.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }

  init(_ identity: ItemIdentity) {
    self.identity = identity
    shownIdentity = identity
  }

  func copyAttributes(of item: PasswordItem<Data>?) {
    let attributes = item?.attributes
    _description.wrappedValue = attributes?.itemDescription
    _comment.wrappedValue = attributes?.comment
    _creator.wrappedValue = attributes?.creator.map(Int.init)
    _type.wrappedValue = attributes?.type.map(Int.init)
    _label.wrappedValue = attributes?.label
    _isInvisible.wrappedValue = attributes?.isInvisible
    let accessControl = attributes?.accessControl
    accesible = accessControl?.accessibility.keychainValue
    constrainedAccess = accessControl?.flags.isEmpty == false ? accessControl : nil
    didSave(item)
  }

  func didSave(_ item: PasswordItem<Data>?) {
    _description.isCleared = false
    _comment.isCleared = false
    _creator.isCleared = false
    _type.isCleared = false
    _label.isCleared = false
    _isInvisible.isCleared = false
    shownIdentity = item?.foundIdentity ?? identity
    creationDate = item?.creationDate
    modificationDate = item?.modificationDate
  }

  /// Returns the attributes for a save; `isFilled` gives those that were set to nil placeholders.
  ///
  /// A `PasswordItem` writes only changes: nil is a change if a placeholder precedes it.
  func attributes(
    _ accessControl: AccessControl?, isFilled: Bool = false
  ) throws(KeychainFailure) -> ItemAttributes {
    let (text, number) = isFilled ? ("", 0) : (nil, nil)
    return ItemAttributes(
      label: _label.value(or: text), comment: _comment.value(or: text),
      itemDescription: _description.value(or: text), creator: try code(_creator.value(or: number)),
      type: try code(_type.value(or: number)),
      isInvisible: _isInvisible.value(or: isFilled ? false : nil),
      accessControl: accessControl ?? AccessControl())
  }

  private func code(_ number: CFNumber?) throws(KeychainFailure) -> UInt32? {
    guard let number else { return nil }
    if let code = UInt32(exactly: number) { return code }
    throw KeychainFailure(SecretStoreError.invalid("A creator or type must fit in a UInt32"))
  }

  /// Returns the access control that the app has set; nil to keep that of the item.
  func requestedAccessControl() throws(KeychainFailure) -> AccessControl? {
    if let constrainedAccess { return constrainedAccess }
    guard let accesible else { return nil }
    return AccessControl(try Accessibility(constant: accesible))
  }
}

@available(*, unavailable, message: "It is for one thread at a time. Use `PasswordItem`.")
extension SingleValueKeychainItem: Sendable {}

/// The storage of an attribute of a password.
@available(*, deprecated, message: "Use `attributes` of the projected value.")
@propertyWrapper
public struct QueryElement<T> {
  /// The value; nil if it was cleared or not loaded.
  public var wrappedValue: T? {
    didSet { isCleared = wrappedValue == nil }
  }
  /// Whether the value was set to nil since the last load or save.
  fileprivate var isCleared = false

  /// Creates the storage of an attribute that was not loaded.
  public init() {}

  fileprivate func value(or placeholder: T?) -> T? { isCleared ? placeholder : wrappedValue }
}

@available(*, deprecated)
extension QueryElement: Sendable where T: Sendable {}
