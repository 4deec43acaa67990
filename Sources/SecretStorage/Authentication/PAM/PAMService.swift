import CLibrary
import Concurrency

/// A PAM service: a file in which the administrator configures authentication.
struct PAMService: Hashable, Sendable {
  let name: String
  /// The directory of the file, for tests; nil for the system's directories.
  let directory: String?

  /// The reason why the service cannot be used; nil if it is available.
  ///
  /// Without the file, PAM would use the service `other`, which may accept every login.
  var availabilityError: SecretStoreError? {
    if Fork.isChild { return .forked }
    if name.isEmpty || name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) {
      return .invalid("The name of a PAM service must be a file name without slashes")
    }
    do {
      _ = try LibPAM.shared.get()
    } catch {
      return .missingLibrary("\(error)")
    }
    let directories = directory.map { [$0] } ?? ["/etc/pam.d", "/usr/lib/pam.d"]
    // PAM converts the name to lower case.
    if directories.contains(where: { unsafe access("\($0)/\(name.lowercased())", R_OK) == 0 }) {
      return nil
    }
    return .unavailable(
      """
      The PAM service \(name) does not exist on this machine, or its file cannot be read. Use another \
      service, or install \(name) in \(directories[0]).
      """)
  }
}
