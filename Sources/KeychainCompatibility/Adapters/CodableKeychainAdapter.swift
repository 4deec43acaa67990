public import FoundationEssentials

/// The items of one service, as values in JSON under keys.
@available(
  *, deprecated,
  message:
    "Use @GenericPassword(service:account:) with the key as account, after an AdapterMigration."
)
public final class CodableKeychainAdapter: KeychainAdapter, @unchecked Sendable {
  // `@unchecked` as its superclass is: all it has are constants.

  /// The adapter of the service `<bundle identifier>.securedomain.default`.
  ///
  /// The identifier is ``bundleIdentifier`` as it is at each access.
  public static let defaultDomain = CodableKeychainAdapter()

  /// The identifier of the app that ``defaultDomain`` uses: by default the name of the executable.
  ///
  /// Set it where the app starts. It is nil when it was not set and the executable has no name; setting
  /// nil makes it the default one again.
  public static var bundleIdentifier: String? {
    get { DefaultDomain.bundleIdentifier }
    set { DefaultDomain.bundleIdentifier = newValue }
  }

  /// Reads what ``jsonEncoder`` wrote.
  public let jsonDecoder: JSONDecoder
  /// Writes the values.
  public let jsonEncoder: JSONEncoder

  /// Makes an adapter of a service.
  ///
  /// - Parameters:
  ///   - serviceIdentifier: The service of the items.
  ///   - biometricAuthRequired: Whether items that are saved need a proof to be read: a passcode, a
  ///     fingerprint or a face. Such items are there only while the vault has a passphrase, and on this
  ///     machine. A store that cannot have it proved refuses to save.
  ///   - jsonEncoder: Writes the values.
  ///   - jsonDecoder: Reads the values.
  public init(
    serviceIdentifier: String, biometricAuthRequired: Bool,
    jsonEncoder: JSONEncoder = JSONEncoder(), jsonDecoder: JSONDecoder = JSONDecoder()
  ) {
    self.jsonEncoder = jsonEncoder
    self.jsonDecoder = jsonDecoder
    super.init(
      serviceIdentifier: serviceIdentifier, biometricAuthRequired: biometricAuthRequired)
  }

  private init() {
    jsonEncoder = JSONEncoder()
    jsonDecoder = JSONDecoder()
    super.init(serviceIdentifier: nil, biometricAuthRequired: false)
  }

  /// Reads the value of a key.
  ///
  /// - Throws: ``KeychainError/itemNotFound`` when there is none, ``KeychainError/unexpectedData`` when
  ///   it is not JSON of the type, or the `SecretStoreError` that kept the store from reading.
  public func load<Property: Codable>(for key: String) throws -> Property {
    try value(of: try load(for: key) as Data)
  }

  /// Stores a value under a key, in the place of the one that is there.
  ///
  /// - Throws: `EncodingError` when the value has no JSON, or the `SecretStoreError` that kept the store
  ///   from writing.
  public func save<Property: Codable>(value: Property, for key: String) throws {
    try save(value: try bytes(of: value), for: key)
  }

  func value<Property: Codable>(of bytes: Data) throws -> Property {
    do {
      return try jsonDecoder.decode(Property.self, from: bytes)
    } catch {
      // The decoder's own error may show what it read.
      throw KeychainError.unexpectedData
    }
  }

  func bytes<Property: Codable>(of value: Property) throws -> Data {
    try jsonEncoder.encode(value)
  }
}
