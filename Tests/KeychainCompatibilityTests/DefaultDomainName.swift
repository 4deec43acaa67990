import StorageInternals

/// The service that the default domain of 0.x has in this process.
enum DefaultDomainName {
  static var service: String? {
    do throws(ApplicationDirectoriesError) {
      return "\(try ApplicationDirectories().applicationName).securedomain.default"
    } catch {
      return nil
    }
  }
}
