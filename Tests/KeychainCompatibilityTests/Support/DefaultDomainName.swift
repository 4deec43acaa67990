import StorageInternals

/// The service of 0.x's default domain in this process.
enum DefaultDomainName {
  static var service: String? {
    do throws(ApplicationDirectoriesError) {
      return "\(try ApplicationDirectories().applicationName).securedomain.default"
    } catch {
      return nil
    }
  }
}
