/// A property stored as a generic password, the secret of a service.
///
/// ```swift
/// @GenericPassword(service: "my.service", account: "peter") var token: String?
/// ```
///
/// Getting and setting the property never throw. The projected value, `$token`, is a
/// ``PasswordItem``, which documents the behaviour and has methods that can throw. For static
/// properties, global variables and `Sendable` classes, where Swift does not allow property
/// wrappers, use a constant ``PasswordItem``.
@propertyWrapper
public struct GenericPassword<Value: Codable & Sendable>: Sendable {
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
  ///   - service: The service that accepts the password.
  ///   - account: The account at the service.
  ///   - match: The meaning of a part that the identity omits.
  ///   - refreshPolicy: The policy by which the property reads and writes the store.
  ///   - defaultValue: The value of the property while no stored value is known.
  ///   - accessOption: The condition under which a newly added item can be read.
  ///   - accessFlags: The proofs that reading a newly added item needs.
  ///   - store: The store of the item; nil for the default store.
  public init(
    service: String,
    account: String? = nil,
    match: ItemMatch = .any,
    refreshPolicy: RefreshPolicy = .onAccess,
    defaultValue: Value? = nil,
    accessOption: Accessibility = .whenUnlocked,
    accessFlags: AccessFlags = [],
    in store: (any SecretStore)? = nil
  ) {
    projectedValue = PasswordItem(
      .generic(service: service, account: account), match: match, refreshPolicy: refreshPolicy,
      defaultValue: defaultValue, accessOption: accessOption, accessFlags: accessFlags, in: store)
  }
}
