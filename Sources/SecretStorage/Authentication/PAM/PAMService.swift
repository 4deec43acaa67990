import CLibrary
import Concurrency
import StorageInternals

/// A PAM service: a file in which the administrator configures authentication.
struct PAMService: Hashable, Sendable {
  let name: String
  /// The directory of the file; nil for the system's directories.
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
      let library = try LibPAM.shared.get()
      if directory != nil, !library.supportsOtherDirectories {
        return .unavailable(
          """
          The installed libpam does not support services in other directories. Install Linux-PAM 1.4 \
          or later.
          """)
      }
    } catch {
      return .missingLibrary("\(error)")
    }
    if isConfigured { return nil }
    return .unavailable(
      """
      The PAM service \(name) does not exist on this machine, or its file cannot be read. Use another \
      service, or install \(name) in \(directory ?? Self.directories[0]).
      """)
  }

  private static let directories = ["/etc/pam.d", "/usr/lib/pam.d"]

  private var isConfigured: Bool {
    // PAM converts the name to lower case.
    let file = name.lowercased()
    if let directory { return Self.canRead("\(directory)/\(file)") }
    if Self.directories.contains(where: { Self.canRead("\($0)/\(file)") }) { return true }
    // PAM reads /etc/pam.conf only if neither directory exists.
    return !Self.directories.contains(where: Self.canRead)
      && Self.hasLine(for: file, in: "/etc/pam.conf")
  }

  private static func canRead(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }

  /// Returns whether a configuration file has a line for a service.
  private static func hasLine(for service: String, in path: String) -> Bool {
    do {
      let content = try FileSystem().open(path, O_RDONLY).read(from: 0, count: 1 << 20)
      return String(decoding: content, as: UTF8.self).split(separator: "\n").contains {
        $0.split(maxSplits: 1) { $0 == " " || $0 == "\t" }.first?.lowercased() == service
      }
    } catch {
      // An unreadable file is treated as missing.
      return false
    }
  }
}
