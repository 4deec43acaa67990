import SecretStorage
import StorageInternals

/// The service of the items that name none, as 0.x had it: the app's identifier and a suffix.
enum DefaultDomain {
  private static let identifier = Lock(String?.none)

  /// What the app set, or the name of the executable, after which its directories are named as well.
  static var bundleIdentifier: String? {
    get { identifier.withLock { $0 } ?? applicationName }
    set { identifier.withLock { $0 = newValue } }
  }

  /// - Throws: `SecretStoreError.invalid` when the app has no name.
  static func service() throws(SecretStoreError) -> String {
    guard let bundleIdentifier else {
      throw .invalid(
        "The executable has no name to take for the app's: set CodableKeychainAdapter.bundleIdentifier"
      )
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
