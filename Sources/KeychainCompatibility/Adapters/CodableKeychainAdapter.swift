public import FoundationEssentials

/// An adapter that stores JSON values by key, as the items of one service.
@available(*, deprecated, message: "Use @GenericPassword(account:), after an AdapterMigration.")
public final class CodableKeychainAdapter: KeychainAdapter, JSONCodedKeyValueSecureStorageAdapter,
  @unchecked Sendable
{
  // `@unchecked` like its superclass; all of its stored properties are constants.

  /// The adapter for the service `<bundle identifier>.securedomain.default`.
  ///
  /// Each access uses the current value of ``bundleIdentifier``.
  public static let defaultDomain = CodableKeychainAdapter()

  /// The app's identifier for ``defaultDomain``, to set when the app starts.
  ///
  /// By default, and after setting nil, it is the name of the executable, if that has one.
  public static var bundleIdentifier: String? {
    get { DefaultDomain.bundleIdentifier }
    set { DefaultDomain.bundleIdentifier = newValue }
  }

  /// The decoder for values.
  public let jsonDecoder: JSONDecoder
  /// The encoder for values.
  public let jsonEncoder: JSONEncoder

  /// Creates an adapter for a service.
  ///
  /// With `biometricAuthRequired`, reading saved items requires a passcode, a fingerprint or a
  /// face; they are bound to this device, and removed with the vault's passphrase. A store without
  /// this authentication refuses to save them.
  public init(
    serviceIdentifier: String, biometricAuthRequired: Bool,
    jsonEncoder: JSONEncoder = JSONEncoder(), jsonDecoder: JSONDecoder = JSONDecoder()
  ) {
    self.jsonEncoder = jsonEncoder
    self.jsonDecoder = jsonDecoder
    super.init(serviceIdentifier: serviceIdentifier, biometricAuthRequired: biometricAuthRequired)
  }

  private init() {
    jsonEncoder = JSONEncoder()
    jsonDecoder = JSONDecoder()
    super.init(serviceIdentifier: nil, biometricAuthRequired: false)
  }

  /// Returns the value stored under a key.
  ///
  /// - Throws: ``KeychainError/itemNotFound`` if the key has no item,
  ///   ``KeychainError/unexpectedData`` if the item is not JSON of this type, or a
  ///   `SecretStoreError` if it cannot be read.
  public func load<Property: Codable>(for key: String) throws -> Property {
    try value(of: try load(for: key) as Data)
  }

  func value<Property: Codable>(of bytes: Data) throws -> Property {
    do {
      return try jsonDecoder.decode(Property.self, from: bytes)
    } catch {
      // The decoder's own error may contain parts of the value.
      throw KeychainError.unexpectedData
    }
  }
}
