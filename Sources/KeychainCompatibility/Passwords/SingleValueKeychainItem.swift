public import FoundationEssentials
import SecretStorage

/// What the properties of both classes of passwords note about their item.
///
/// The attributes are as the last loading found them or as the app set them since; a save writes those
/// that are not nil. One that is nil stays as it is in the store. But where the refresh policy is
/// ``KeychainDataRefreshPolicy/manual``, a save clears what was set to nil, as a save of a `PasswordItem`
/// always does.
@available(*, deprecated, message: "Use `PasswordItem`, the projected value of SecretStorage.")
open class SingleValueKeychainItem {
  /// What kind of item it is, for a person to read.
  @available(*, deprecated, message: "Use `attributes.itemDescription` of the projected value.")
  open var description: String? {
    get { noted.description.value }
    set { noted.description.set(newValue) }
  }
  /// A comment for a person to read.
  @available(*, deprecated, message: "Use `attributes.comment` of the projected value.")
  open var comment: String? {
    get { noted.comment.value }
    set { noted.comment.set(newValue) }
  }
  /// The app that made the item, as the number of a four-character code.
  @available(*, deprecated, message: "Use `attributes.creator` of the projected value.")
  open var creator: CFNumber? {
    get { noted.creator.value }
    set { noted.creator.set(newValue) }
  }
  /// The app's own kind of item, as the number of a four-character code.
  @available(*, deprecated, message: "Use `attributes.type` of the projected value.")
  open var type: CFNumber? {
    get { noted.type.value }
    set { noted.type.set(newValue) }
  }
  /// The name that a person sees.
  @available(*, deprecated, message: "Use `attributes.label` of the projected value.")
  open var label: String? {
    get { noted.label.value }
    set { noted.label.set(newValue) }
  }
  /// Whether lists should leave the item out.
  @available(*, deprecated, message: "Use `attributes.isInvisible` of the projected value.")
  open var isInvisible: Bool? {
    get { noted.isInvisible.value }
    set { noted.isInvisible.set(newValue) }
  }
  /// When the item can be read: a constant `kSecAttrAccessible…`.
  ///
  /// A save ignores it while there is an access control, which says it as well.
  @available(
    *, deprecated, message: "Use `attributes.accessControl.accessibility` of the projected value."
  )
  open var accesible: CFString? {
    get { notedAccessibility }
    set { notedAccessibility = newValue }
  }
  /// When the item was added, as the last loading or saving found it.
  @available(*, deprecated, message: "Use `creationDate` of the projected value.")
  open private(set) var creationDate: Date?
  /// When the item was last changed, as the last loading or saving found it.
  @available(*, deprecated, message: "Use `modificationDate` of the projected value.")
  open private(set) var modificationDate: Date?

  /// What a save gives the item, also in place of ``accesible``; nil means that nothing has to be
  /// proved, or that nothing is said about it.
  var constrainedAccess: AccessControl?
  private(set) var noted = NotedAttributes()
  private var notedAccessibility: CFString?

  init() {}

  /// Takes what an item has, or forgets everything if there is none.
  func take(_ item: PasswordItem<Data>?) {
    let attributes = item?.attributes
    noted = NotedAttributes(attributes)
    notedAccessibility = attributes?.accessControl.accessibility.keychainValue
    constrainedAccess =
      attributes?.accessControl.flags.isEmpty == false ? attributes?.accessControl : nil
    takeDates(of: item)
  }

  /// Takes what a save changed.
  func didSave(_ item: PasswordItem<Data>) {
    noted.didSave()
    takeDates(of: item)
  }

  private func takeDates(of item: PasswordItem<Data>?) {
    creationDate = item?.creationDate
    modificationDate = item?.modificationDate
  }

  /// The access control that a save gives the item, or nil if it keeps the one it has.
  func wantedAccess() throws(KeychainFailure) -> AccessControl? {
    if let constrainedAccess { return constrainedAccess }
    guard let notedAccessibility else { return nil }
    do throws(SecretStoreError) {
      return AccessControl(try Accessibility(keychainValue: notedAccessibility))
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
