import Concurrency
public import FoundationEssentials
import SecretStorage
import StorageInternals

/// The items of one service, as JSON values under keys.
@available(*, deprecated, message: "Run an `AdapterMigration`, then use `GenericPassword`.")
public final class CodableKeychainAdapter: KeychainAdapter, JSONCodedKeyValueSecureStorageAdapter,
  @unchecked Sendable
{
  // `@unchecked` like its superclass: it has only constants.

  /// The adapter of the service `<bundle identifier>.securedomain.default`.
  ///
  /// The identifier is the current value of ``bundleIdentifier`` at each access.
  public static let defaultDomain = CodableKeychainAdapter()

  /// The app's identifier for ``defaultDomain``; by default the name of the executable.
  ///
  /// Set it when the app starts. It is nil if it was not set and the executable has no name;
  /// setting nil restores the default.
  public static var bundleIdentifier: String? {
    get { DefaultDomain.bundleIdentifier }
    set { DefaultDomain.bundleIdentifier = newValue }
  }

  /// The decoder of the values.
  public let jsonDecoder: JSONDecoder
  /// The encoder of the values.
  public let jsonEncoder: JSONEncoder

  /// Creates an adapter of a service.
  ///
  /// - Parameters:
  ///   - serviceIdentifier: The service of the items.
  ///   - biometricAuthRequired: Whether reading saved items needs authentication: a passcode, a
  ///     fingerprint or a face. Such items exist only while the vault has a passphrase, and on this
  ///     machine. A store without this authentication refuses to save them.
  ///   - jsonEncoder: Writes the values.
  ///   - jsonDecoder: Reads the values.
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

  /// Reads the value of a key.
  ///
  /// - Throws: ``KeychainError/itemNotFound`` if there is none, ``KeychainError/unexpectedData`` if
  ///   it is not JSON of the type, or the `SecretStoreError` of reading.
  public func load<Property: Codable>(for key: String) throws -> Property {
    try value(of: try load(for: key) as Data)
  }

  /// Stores a value under a key, replacing an existing one.
  ///
  /// - Throws: `EncodingError` if the value has no JSON form, or the `SecretStoreError` of writing.
  public func save<Property: Codable>(value: Property, for key: String) throws {
    try save(value: try bytes(of: value), for: key)
  }

  func value<Property: Codable>(of bytes: Data) throws -> Property {
    do {
      return try jsonDecoder.decode(Property.self, from: bytes)
    } catch {
      // The decoder's own error may contain parts of the value.
      throw KeychainError.unexpectedData
    }
  }

  func bytes<Property: Codable>(of value: Property) throws -> Data {
    try jsonEncoder.encode(value)
  }
}

/// The default service of items, as in 0.x: the app's identifier and a suffix.
enum DefaultDomain {
  private static let identifier = Lock(String?.none)

  /// The identifier set by the app, or the name of the executable, as in its directories.
  static var bundleIdentifier: String? {
    get { identifier.withLock { $0 } ?? applicationName }
    set { identifier.withLock { $0 = newValue } }
  }

  /// Returns the given service, or else the default one; throws `invalid` if the app has no name.
  static func service(_ given: String?) throws(SecretStoreError) -> String {
    if let given { return given }
    guard let bundleIdentifier else {
      throw .invalid("The executable has no name: set CodableKeychainAdapter.bundleIdentifier")
    }
    return "\(bundleIdentifier).securedomain.default"
  }

  private static var applicationName: String? {
    do throws(ApplicationDirectoriesError) {
      return try ApplicationDirectories().applicationName
    } catch {
      return nil
    }
  }
}
