/// A property stored as an internet password, the secret of an account on a server.
///
/// ```swift
/// @InternetPassword(server: "my.server", account: "my.account", protocol: .ssh, port: 8080)
/// var password: String?
/// ```
///
/// It behaves like ``GenericPassword``; only the identity of its item differs.
@propertyWrapper
public struct InternetPassword<Value: Codable & Sendable>: Sendable {
  /// The password item that stores the property's value.
  public let projectedValue: PasswordItem<Value>

  /// The value, or nil if there is none; see ``PasswordItem/value``.
  public var wrappedValue: Value? {
    get { projectedValue.value }
    nonmutating set { projectedValue.value = newValue }
    nonmutating _modify { yield &projectedValue.value }
  }

  /// Declares the password of an account on a server, without accessing the store.
  ///
  /// The parameters up to `path` are the parts of the ``ItemIdentity``; the others are those of
  /// ``PasswordItem/init(_:match:refreshPolicy:defaultValue:accessOption:accessFlags:in:)``.
  public init(
    server: String, account: String? = nil, securityDomain: String? = nil,
    protocol: InternetProtocol? = nil, authenticationType: InternetAuthenticationType? = nil,
    port: UInt16? = nil, path: String? = nil, match: ItemMatch = .any,
    refreshPolicy: RefreshPolicy = .onAccess, defaultValue: Value? = nil,
    accessOption: Accessibility = .whenUnlocked, accessFlags: AccessFlags = [],
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
