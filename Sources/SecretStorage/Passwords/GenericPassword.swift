/// A property that is kept as a generic password: a secret of a service.
///
/// ```swift
/// @GenericPassword(service: "my.service", account: "peter") var token: String?
/// ```
///
/// Getting and setting never throw; what can fail is on the projected value, `$token`, which says
/// how the property behaves. Swift allows no wrapper in a static, a global or a `Sendable` class;
/// there, use a constant ``PasswordItem``.
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

  /// Declares a password; nothing is read before the first access.
  ///
  /// - Parameters:
  ///   - service: The service that the password is for.
  ///   - account: The account at the service.
  ///   - match: What a part means that is left out.
  ///   - refreshPolicy: When the property reads and writes the store.
  ///   - defaultValue: What the property is as long as no stored value is known.
  ///   - accessOption: When the item can be read, if saving adds it.
  ///   - accessFlags: What a person must prove to read the item, if saving adds it.
  ///   - store: Where the item is; nil means the default store.
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

extension GenericPassword: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// The type alone: neither the identity nor the value.
  public var description: String { "GenericPassword<\(Value.self)>" }
  /// The type alone: neither the identity nor the value.
  public var debugDescription: String { description }
  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
