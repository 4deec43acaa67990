/// A property stored as an internet password, the secret of an account on a server.
///
/// ```swift
/// @InternetPassword(server: "my.server", account: "my.account", protocol: .ssh, port: 8080)
/// var password: String?
/// ```
///
/// Getting and setting the property never throw. The projected value, `$password`, is a
/// ``PasswordItem``, which documents the behaviour and has methods that can throw. For static
/// properties, global variables and `Sendable` classes, where Swift does not allow property
/// wrappers, use a constant ``PasswordItem``.
@propertyWrapper
public struct InternetPassword<Value: Codable & Sendable>: Sendable {
  /// The item behind the property.
  public let projectedValue: PasswordItem<Value>

  /// The value, or nil if there is none; see ``PasswordItem/value``.
  public var wrappedValue: Value? {
    get { projectedValue.value }
    nonmutating set { projectedValue.value = newValue }
    nonmutating _modify { yield &projectedValue.value }
  }

  /// Declares a password, without accessing the store yet.
  ///
  /// - Parameters:
  ///   - server: The host name or address of the server.
  ///   - account: The account on the server.
  ///   - securityDomain: The security domain or realm.
  ///   - protocol: The protocol of the server.
  ///   - authenticationType: The authentication type of the account.
  ///   - port: The port on the server.
  ///   - path: The path on the server.
  ///   - match: The meaning of a part that the identity omits.
  ///   - refreshPolicy: The policy by which the property reads and writes the store.
  ///   - defaultValue: The value of the property while no stored value is known.
  ///   - accessOption: The condition under which a newly added item can be read.
  ///   - accessFlags: The proofs that reading a newly added item needs.
  ///   - store: The store of the item; nil for the default store.
  public init(
    server: String,
    account: String? = nil,
    securityDomain: String? = nil,
    protocol: InternetProtocol? = nil,
    authenticationType: InternetAuthenticationType? = nil,
    port: UInt16? = nil,
    path: String? = nil,
    match: ItemMatch = .any,
    refreshPolicy: RefreshPolicy = .onAccess,
    defaultValue: Value? = nil,
    accessOption: Accessibility = .whenUnlocked,
    accessFlags: AccessFlags = [],
    in store: (any SecretStore)? = nil
  ) {
    let identity = ItemIdentity.internet(
      server: server, account: account, securityDomain: securityDomain, protocol: `protocol`,
      authenticationType: authenticationType, port: port, path: path)
    projectedValue = PasswordItem(
      identity, match: match, refreshPolicy: refreshPolicy, defaultValue: defaultValue,
      accessOption: accessOption, accessFlags: accessFlags, in: store)
  }
}
