import SecretStorage

/// A property that is kept as an internet password: a secret of an account on a server.
///
/// Its wrapper, the property's name after an underscore, loads, saves and deletes, and has the
/// attributes. A part of the identity that is left out may be anything; of several items that fit,
/// the oldest is meant.
@available(
  *, deprecated,
  message: "Import SecretStorage instead of KeychainCompatibility, and use its `InternetPassword`."
)
@propertyWrapper
open class InternetPassword<T: Codable>: KeychainItemPropertyWrapper<T> {
  /// The host name or address of the server.
  public let server: String?
  /// The account on the server.
  public let account: String?
  /// The security domain or realm.
  @available(*, deprecated, message: "It is the `securityDomain` of an `ItemIdentity`.")
  public let domain: String?
  /// The protocol that the password is used with: a constant `kSecAttrProtocol…`.
  @available(*, deprecated, message: "It is the `protocol` of an `ItemIdentity`.")
  public let aProtocol: CFString?
  /// How the account proves itself: a constant `kSecAttrAuthenticationType…`.
  public let authenticationType: CFString?
  /// The port on the server.
  public let port: UInt16?
  /// The path on the server.
  public let path: String?

  /// The value, or the default one.
  open override var wrappedValue: T? {
    get { super.wrappedValue }
    set { super.wrappedValue = newValue }
    _modify { yield &super.wrappedValue }
  }

  /// Declares a password; nothing is read before the first access.
  ///
  /// - Parameters:
  ///   - server: The host name or address of the server.
  ///   - account: The account on the server.
  ///   - domain: The security domain or realm.
  ///   - aProtocol: The protocol that the password is used with: a constant `kSecAttrProtocol…`.
  ///   - authenticationType: How the account proves itself: a constant `kSecAttrAuthenticationType…`.
  ///   - port: The port on the server.
  ///   - path: The path on the server.
  ///   - refreshPolicy: When the property reads and writes its item.
  ///   - defaultValue: What the property is as long as no stored value is known.
  public init(
    server: String,
    account: String? = nil,
    domain: String? = nil,
    aProtocol: CFString? = nil,
    authenticationType: CFString? = nil,
    port: UInt16? = nil,
    path: String? = nil,
    refreshPolicy: KeychainDataRefreshPolicy = .onAccess,
    defaultValue: T? = nil
  ) {
    self.server = server
    self.account = account
    self.domain = domain
    self.aProtocol = aProtocol
    self.authenticationType = authenticationType
    self.port = port
    self.path = path
    let identity = ItemIdentity.internet(
      server: server, account: account, securityDomain: domain,
      protocol: aProtocol.map(InternetProtocol.init(rawValue:)),
      authenticationType: authenticationType.map(InternetAuthenticationType.init(rawValue:)),
      port: port, path: path)
    super.init(identity, refreshPolicy: refreshPolicy, defaultValue: defaultValue)
  }
}
