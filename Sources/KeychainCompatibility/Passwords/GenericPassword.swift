public import SecretStorage

/// A property that is kept as a generic password: a secret of a service.
///
/// Its wrapper, the property's name after an underscore, loads, saves and deletes, and has the
/// attributes. A part of the identity that is left out may be anything; of several items that fit,
/// the oldest is meant.
@available(
  *, deprecated,
  message: "Import SecretStorage instead of KeychainCompatibility, and use its `GenericPassword`."
)
@propertyWrapper
open class GenericPassword<T: Codable>: KeychainItemPropertyWrapper<T> {
  /// The service that the password is for.
  public let service: String?
  /// The account at the service.
  public let account: String?
  private var declaredAccess: (option: CFString, flags: SecAccessControlCreateFlags)?

  /// What a person must prove to read the item; nil means nothing, or that it is not known.
  ///
  /// A save gives it to the item, in place of ``SingleValueKeychainItem/accesible``.
  @available(*, deprecated, message: "Use `attributes.accessControl` of the projected value.")
  open var accessControl: SecAccessControl? { constrainedAccess }

  /// The value, or the default one.
  open override var wrappedValue: T? {
    get { super.wrappedValue }
    set { super.wrappedValue = newValue }
    _modify { yield &super.wrappedValue }
  }

  /// Declares a password; nothing is read before the first access.
  ///
  /// - Parameters:
  ///   - service: The service that the password is for.
  ///   - account: The account at the service.
  ///   - refreshPolicy: When the property reads and writes its item.
  ///   - defaultValue: What the property is as long as no stored value is known.
  public init(
    service: String,
    account: String? = nil,
    refreshPolicy: KeychainDataRefreshPolicy = .onAccess,
    defaultValue: T? = nil
  ) {
    self.service = service
    self.account = account
    super.init(
      .generic(service: service, account: account), refreshPolicy: refreshPolicy,
      defaultValue: defaultValue)
  }

  /// Declares a password with the access control that a save gives its item.
  ///
  /// What makes no sense, or what the store cannot honour, is an error of the save.
  ///
  /// - Parameters:
  ///   - service: The service that the password is for.
  ///   - account: The account at the service.
  ///   - refreshPolicy: When the property reads and writes its item.
  ///   - defaultValue: What the property is as long as no stored value is known.
  ///   - accessOption: When the item can be read: a constant `kSecAttrAccessible…`.
  ///   - accessFlags: What a person must prove to read the item.
  public convenience init(
    service: String,
    account: String? = nil,
    refreshPolicy: KeychainDataRefreshPolicy = .onAccess,
    defaultValue: T? = nil,
    accessOption: CFString,
    accessFlags: SecAccessControlCreateFlags
  ) {
    self.init(
      service: service, account: account, refreshPolicy: refreshPolicy, defaultValue: defaultValue)
    declaredAccess = (accessOption, accessFlags)
  }

  /// Sets the access control that the next save gives the item.
  ///
  /// - Parameters:
  ///   - accessible: When the item can be read: a constant `kSecAttrAccessible…`.
  ///   - flags: What a person must prove to read the item.
  /// - Throws: ``KeychainError/accessControllError(status:)`` for what makes no sense or no store can
  ///   check; whether this store can, a save finds out.
  @available(*, deprecated, message: "Use `modifyAccess(using:flags:)` of the projected value.")
  public func modifyAccess(
    using accessible: CFString, flags: SecAccessControlCreateFlags
  ) throws(KeychainError) {
    do throws(SecretStoreError) {
      constrainedAccess = try Self.accessControl(accessible, flags)
    } catch {
      throw .accessControllError(status: error)
    }
  }

  override func wantedAccess() throws(KeychainFailure) -> AccessControl? {
    guard constrainedAccess == nil, let declaredAccess else { return try super.wantedAccess() }
    do throws(SecretStoreError) {
      return try Self.accessControl(declaredAccess.option, declaredAccess.flags)
    } catch {
      throw KeychainFailure(accessControl: error)
    }
  }

  private static func accessControl(
    _ option: CFString, _ flags: SecAccessControlCreateFlags
  ) throws(SecretStoreError) -> AccessControl {
    let accessControl = AccessControl(
      try Accessibility(keychainValue: option), flags: try flags.accessFlags)
    // An item that is not there is given any access control that makes sense.
    try PasswordItem<String>(.generic(), in: InMemorySecretStore())
      .modifyAccess(using: accessControl.accessibility, flags: accessControl.flags)
    return accessControl
  }
}
