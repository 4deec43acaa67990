import SecretStorage

/// A property stored as an internet password: a secret of an account on a server.
///
/// It behaves like ``GenericPassword``. The properties of the identity are those of the item that
/// was found by the last load or save, or else the declared ones.
@available(*, deprecated, message: "Import SecretStorage and use its `InternetPassword`.")
@propertyWrapper
open class InternetPassword<T: Codable>: KeychainItemPropertyWrapper<T> {
  /// The host name or address of the server.
  open var server: String? { shownIdentity.server }
  /// The account on the server.
  open var account: String? { shownIdentity.account }
  /// The security domain or realm.
  @available(*, deprecated, message: "It is the `securityDomain` of an `ItemIdentity`.")
  open var domain: String? { shownIdentity.securityDomain }
  /// The protocol: a constant `kSecAttrProtocol…`.
  @available(*, deprecated, message: "It is the `protocol` of an `ItemIdentity`.")
  open var aProtocol: CFString? { shownIdentity.protocol?.rawValue }
  /// The authentication type of the account: a constant `kSecAttrAuthenticationType…`.
  open var authenticationType: CFString? { shownIdentity.authenticationType?.rawValue }
  /// The port on the server.
  open var port: UInt16? { shownIdentity.port }
  /// The path on the server.
  open var path: String? { shownIdentity.path }

  /// The value, or the default one.
  open override var wrappedValue: T? {
    get { super.wrappedValue }
    set { super.wrappedValue = newValue }
    _modify { yield &super.wrappedValue }
  }

  /// Creates a property; nothing is read before the first access.
  public init(
    server: String, account: String? = nil, domain: String? = nil, aProtocol: CFString? = nil,
    authenticationType: CFString? = nil, port: UInt16? = nil, path: String? = nil,
    refreshPolicy: KeychainDataRefreshPolicy = .onAccess, defaultValue: T? = nil
  ) {
    let identity = ItemIdentity.internet(
      server: server, account: account, securityDomain: domain,
      protocol: aProtocol.map(InternetProtocol.init(rawValue:)),
      authenticationType: authenticationType.map(InternetAuthenticationType.init(rawValue:)),
      port: port, path: path)
    super.init(identity, refreshPolicy: refreshPolicy, defaultValue: defaultValue)
  }
}
