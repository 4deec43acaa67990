import Concurrency
public import FoundationEssentials
import SecretStorage
import StorageInternals

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

  /// The app's identifier for ``defaultDomain``, to set when the app starts; by default, and after
  /// setting nil, the name of the executable, if it has one.
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

/// The service of the default adapter: the app's identifier and a suffix, as in 0.x.
enum DefaultDomain {
  private static let identifier = Lock(String?.none)

  static var bundleIdentifier: String? {
    get { Fork.isChild ? applicationName : identifier.withLock { $0 } ?? applicationName }
    set { if Fork.isChild { Fork.report() } else { identifier.withLock { $0 = newValue } } }
  }

  static func service(_ given: String?) throws(SecretStoreError) -> String {
    if let given { return given }
    guard let bundleIdentifier else {
      throw .invalid("The executable has no name: set CodableKeychainAdapter.bundleIdentifier")
    }
    return "\(bundleIdentifier).securedomain.default"
  }

  private static var applicationName: String? {
    do throws(Unavailable) {
      return try ApplicationDirectories().applicationName
    } catch {
      return nil
    }
  }
}
