@available(*, deprecated)
extension GenericPassword {
  /// Declares a password with the access control that a save gives its item.
  ///
  /// - Parameters:
  ///   - service: The service that the password is for.
  ///   - account: The account at the service.
  ///   - refreshPolicy: When the property reads and writes its item.
  ///   - defaultValue: What the property is as long as no stored value is known.
  ///   - protection: When the item can be read, and what a person must prove for it.
  /// - Throws: ``KeychainError/accessControllError(status:)`` for what makes no sense or no store can
  ///   check.
  @available(
    *, deprecated,
    message: "Use `@GenericPassword(service:account:accessOption:accessFlags:)` of SecretStorage."
  )
  public convenience init(
    service: String,
    account: String? = nil,
    refreshPolicy: KeychainDataRefreshPolicy = .onAccess,
    defaultValue: T? = nil,
    protection: (access: AccesibleOption, flags: SecAccessControlCreateFlags)
  ) throws(KeychainError) {
    self.init(
      service: service, account: account, refreshPolicy: refreshPolicy, defaultValue: defaultValue)
    try modifyAccess(using: protection.access, flags: protection.flags)
  }

  /// Sets the access control that the next save gives the item.
  ///
  /// - Parameters:
  ///   - accessible: When the item can be read.
  ///   - flags: What a person must prove to read the item.
  /// - Throws: ``KeychainError/accessControllError(status:)`` for what makes no sense or no store can
  ///   check; whether this store can, a save finds out.
  @available(*, deprecated, message: "Use `modifyAccess(using:flags:)` of the projected value.")
  public func modifyAccess(
    using accessible: AccesibleOption, flags: SecAccessControlCreateFlags
  ) throws(KeychainError) {
    try modifyAccess(using: accessible.rawValue, flags: flags)
  }
}
