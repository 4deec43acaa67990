public import FoundationEssentials
import SecretStorage

/// The attributes of an item, for both kinds of password properties.
///
/// They have the values of the last load, or those set later by the app. A save writes those that
/// are not nil; with ``KeychainDataRefreshPolicy/manual``, it clears those that were set to nil.
@available(*, deprecated, message: "Use `PasswordItem`, the projected value of SecretStorage.")
open class SingleValueKeychainItem {
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

  /// The access control for a save, which overrides ``accesible``; nil without authentication.
  var constrainedAccess: AccessControl?
  private(set) var shownIdentity: ItemIdentity
  let identity: ItemIdentity

  init(_ identity: ItemIdentity) {
    self.identity = identity
    shownIdentity = identity
  }

  func copyAttributes(of item: PasswordItem<Data>?) {
    let attributes = item?.attributes
    _description = QueryElement(found: attributes?.itemDescription)
    _comment = QueryElement(found: attributes?.comment)
    _creator = QueryElement(found: attributes?.creator.map(Int.init))
    _type = QueryElement(found: attributes?.type.map(Int.init))
    _label = QueryElement(found: attributes?.label)
    _isInvisible = QueryElement(found: attributes?.isInvisible)
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

  func attributes() throws(KeychainFailure) -> ItemAttributes {
    ItemAttributes(
      label: _label.wrappedValue, comment: _comment.wrappedValue,
      itemDescription: _description.wrappedValue, creator: try code(_creator.wrappedValue),
      type: try code(_type.wrappedValue), isInvisible: _isInvisible.wrappedValue)
  }

  private func code(_ number: CFNumber?) throws(KeychainFailure) -> UInt32? {
    guard let number else { return nil }
    if let code = UInt32(exactly: number) { return code }
    throw KeychainFailure(SecretStoreError.invalid("A creator or type must fit in a UInt32"))
  }

  /// The attributes with placeholders for those that were set to nil: a `PasswordItem` writes only
  /// changes, and after a placeholder, nil is one.
  func filled(_ attributes: ItemAttributes) -> ItemAttributes {
    var filled = attributes
    if _description.isCleared { filled.itemDescription = "" }
    if _comment.isCleared { filled.comment = "" }
    if _creator.isCleared { filled.creator = 0 }
    if _type.isCleared { filled.type = 0 }
    if _label.isCleared { filled.label = "" }
    if _isInvisible.isCleared { filled.isInvisible = false }
    return filled
  }

  func requestedAccessControl() throws(KeychainFailure) -> AccessControl? {
    if let constrainedAccess { return constrainedAccess }
    guard let accesible else { return nil }
    do throws(SecretStoreError) {
      return AccessControl(try Accessibility(keychainValue: accesible))
    } catch {
      throw KeychainFailure(accessControl: error)
    }
  }
}

@available(*, deprecated)
extension SingleValueKeychainItem: CustomReflectable {
  /// A mirror without children: neither attributes nor the value are shown.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
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
  fileprivate var isCleared = false

  /// Creates the storage of an attribute that was not loaded.
  public init() {}

  init(found value: T?) {
    wrappedValue = value
  }
}

@available(*, deprecated)
extension QueryElement: Sendable where T: Sendable {}
