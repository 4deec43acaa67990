import Concurrency
import SecretStorage
import StorageInternals

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

  /// The name of the executable; nil if it cannot be the name of a directory (the only error).
  private static var applicationName: String? { try? ApplicationDirectories().applicationName }
}
