public import SecretStorage

/// A property stored as a generic password: a secret of a service.
///
/// The wrapper, such as `_token` for a property `token`, loads, saves and deletes the item, and has
/// its attributes. An omitted part of the identity matches anything; the oldest match is used.
@available(*, deprecated, message: "Import SecretStorage and use its `GenericPassword`.")
@propertyWrapper
open class GenericPassword<T: Codable>: KeychainItemPropertyWrapper<T> {
  /// An access control with the constants of the Security framework.
  @available(*, deprecated, message: "Use `AccessControl`.")
  public struct AccessControlSettings: Sendable {
    /// The accessibility: a constant `kSecAttrAccessible…`.
    public let access: CFString
    /// The authentication that reading the item requires.
    public let flags: SecAccessControlCreateFlags
  }

  /// The service of the item that was found, or else the declared one.
  open var service: String? { shownIdentity.service }
  /// The account of the item that was found, or else the declared one.
  open var account: String? { shownIdentity.account }
  /// The access control that a save gives the item if none is set; nil if none was declared.
  @available(*, deprecated, message: "Use `attributes.accessControl` of the projected value.")
  public private(set) var defaultAccessControl: AccessControlSettings?

  /// The access control last set, or loaded with an item that requires authentication; nil if none.
  ///
  /// A save applies it instead of ``SingleValueKeychainItem/accesible``.
  @available(*, deprecated, message: "Use `attributes.accessControl` of the projected value.")
  open var accessControl: SecAccessControl? { constrainedAccess }

  /// The value, or the default one.
  open override var wrappedValue: T? {
    get { super.wrappedValue }
    set { super.wrappedValue = newValue }
    _modify { yield &super.wrappedValue }
  }

  /// Creates a property; nothing is read before the first access.
  public init(
    service: String, account: String? = nil,
    refreshPolicy: KeychainDataRefreshPolicy = .onAccess, defaultValue: T? = nil
  ) {
    super.init(
      .generic(service: service, account: account), refreshPolicy: refreshPolicy,
      defaultValue: defaultValue)
  }

  /// Creates a property with the access control that a save gives its item.
  ///
  /// `accessOption` is a constant `kSecAttrAccessible…`. If the access control is invalid or not
  /// supported by the store, the save fails.
  public convenience init(
    service: String, account: String? = nil,
    refreshPolicy: KeychainDataRefreshPolicy = .onAccess, defaultValue: T? = nil,
    accessOption: CFString, accessFlags: SecAccessControlCreateFlags
  ) {
    self.init(
      service: service, account: account, refreshPolicy: refreshPolicy, defaultValue: defaultValue)
    defaultAccessControl = AccessControlSettings(access: accessOption, flags: accessFlags)
  }

  /// Creates a property, and sets its access control as `modifyAccess(using:flags:)` does.
  ///
  /// - Throws: The errors of `modifyAccess(using:flags:)`.
  @available(*, deprecated, message: "Use `init(service:account:accessOption:accessFlags:)`.")
  public convenience init(
    service: String, account: String? = nil,
    refreshPolicy: KeychainDataRefreshPolicy = .onAccess, defaultValue: T? = nil,
    protection: (access: AccesibleOption, flags: SecAccessControlCreateFlags)
  ) throws {
    self.init(
      service: service, account: account, refreshPolicy: refreshPolicy, defaultValue: defaultValue)
    try modifyAccess(using: protection.access, flags: protection.flags)
  }

  /// Sets the access control for saves; `accessible` is a constant `kSecAttrAccessible…`.
  ///
  /// The next load or removal replaces it by that of the item; a get under `onAccess` is a load.
  ///
  /// - Throws: ``KeychainError/accessControllError(status:)`` for an access control that is
  ///   invalid or that no store supports. If only this store does not support it, the save fails.
  @available(*, deprecated, message: "Use `modifyAccess(using:flags:)` of the projected value.")
  public func modifyAccess(using accessible: CFString, flags: SecAccessControlCreateFlags) throws {
    do {
      constrainedAccess = try Self.accessControl(accessible, flags)
    } catch {
      throw error.reported
    }
  }

  override func requestedAccessControl() throws(KeychainFailure) -> AccessControl? {
    guard constrainedAccess == nil, let defaultAccessControl else {
      return try super.requestedAccessControl()
    }
    return try Self.accessControl(defaultAccessControl.access, defaultAccessControl.flags)
  }

  private static func accessControl(
    _ option: CFString, _ flags: SecAccessControlCreateFlags
  ) throws(KeychainFailure) -> AccessControl {
    let accessibility = try Accessibility(constant: option)
    do {
      let accessControl = AccessControl(accessibility, flags: try flags.accessFlags)
      try SecretStoreError.checkProcess()
      // This call throws an error if the combination of flags is invalid.
      _ = try Authorization.none.missingProof(for: accessControl.flags)
      return accessControl
    } catch {
      throw KeychainFailure(accessControl: error)
    }
  }

  /// Sets the access control, as `modifyAccess(using:flags:)` with a constant does.
  @available(*, deprecated, message: "Use `modifyAccess(using:flags:)` of the projected value.")
  public func modifyAccess(
    using accessible: AccesibleOption, flags: SecAccessControlCreateFlags
  ) throws {
    try modifyAccess(using: accessible.rawValue, flags: flags)
  }
}
