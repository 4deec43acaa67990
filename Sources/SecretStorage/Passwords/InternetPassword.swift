/// A property that is kept as an internet password: a secret of an account on a server.
///
/// ```swift
/// @InternetPassword(server: "my.server", account: "my.account", protocol: .ssh, port: 8080)
/// var password: String?
/// ```
///
/// Getting and setting never throw; what can fail is on the projected value, `$password`, which
/// says how the property behaves. Swift allows no wrapper in a static, a global or a `Sendable`
/// class; there, use a constant ``PasswordItem``.
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

  /// Declares a password; nothing is read before the first access.
  ///
  /// - Parameters:
  ///   - server: The host name or address of the server.
  ///   - account: The account on the server.
  ///   - securityDomain: The security domain or realm.
  ///   - protocol: The protocol that the password is used with.
  ///   - authenticationType: How the account proves itself.
  ///   - port: The port on the server.
  ///   - path: The path on the server.
  ///   - match: What a part means that is left out.
  ///   - refreshPolicy: When the property reads and writes the store.
  ///   - defaultValue: What the property is as long as no stored value is known.
  ///   - accessOption: When the item can be read, if saving adds it.
  ///   - accessFlags: What a person must prove to read the item, if saving adds it.
  ///   - store: Where the item is; nil means the default store.
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

extension InternetPassword: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The type alone: neither the identity nor the value.
  public var description: String { "InternetPassword<\(Value.self)>" }
  /// The type alone: neither the identity nor the value.
  public var debugDescription: String { description }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
