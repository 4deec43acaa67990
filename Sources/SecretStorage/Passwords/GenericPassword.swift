/// A property stored as a generic password, the secret of a service.
///
/// ```swift
/// @GenericPassword(service: "my.service", account: "peter") var token: String?
/// ```
///
/// Getting and setting the property never throw. The projected value, `$token`, is a
/// ``PasswordItem``, which documents the behavior and has methods that can throw.
@propertyWrapper
public struct GenericPassword<Value: Codable & Sendable>: Sendable {
  /// The password item that stores the property's value.
  public let projectedValue: PasswordItem<Value>

  /// The value, or nil if there is none; see ``PasswordItem/value``.
  public var wrappedValue: Value? {
    get { projectedValue.value }
    nonmutating set { projectedValue.value = newValue }
    nonmutating _modify { yield &projectedValue.value }
  }

  /// Declares the password of an account at a service, without accessing the store.
  ///
  /// The parameters from `match` on are those of
  /// ``PasswordItem/init(_:match:refreshPolicy:defaultValue:accessOption:accessFlags:in:)``.
  public init(
    service: String, account: String? = nil, match: ItemMatch = .any,
    refreshPolicy: RefreshPolicy = .onAccess, defaultValue: Value? = nil,
    accessOption: Accessibility = .whenUnlocked, accessFlags: AccessFlags = [],
    in store: (any SecretStore)? = nil
  ) {
    projectedValue = PasswordItem(
      .generic(service: service, account: account), match: match, refreshPolicy: refreshPolicy,
      defaultValue: defaultValue, accessOption: accessOption, accessFlags: accessFlags, in: store)
  }
}
