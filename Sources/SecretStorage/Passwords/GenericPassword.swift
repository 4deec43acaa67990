/// A property stored as a generic password, the secret of a service.
///
/// ```swift
/// @GenericPassword(service: "my.service", account: "peter") var token: String?
/// ```
///
/// Getting and setting never throw; the projected value, `$token`, has the methods that can throw,
/// and documents the behaviour. Swift does not allow wrappers for statics, globals or `Sendable`
/// classes; use a constant ``PasswordItem`` there.
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

  /// Declares a password; the store is not read before the first access.
  ///
  /// - Parameters:
  ///   - service: The service that accepts the password.
  ///   - account: The account at the service.
  ///   - match: The meaning of an omitted part.
  ///   - refreshPolicy: The policy for reading and writing the store.
  ///   - defaultValue: The value of the property while no stored value is known.
  ///   - accessOption: The condition for reading an item that saving adds.
  ///   - accessFlags: The proofs for reading an item that saving adds.
  ///   - store: The store of the item; nil means the default store.
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
