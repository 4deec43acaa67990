import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// A service of PAM: a name, under which the system's administrator says what a login takes.
struct PAMService: Hashable, Sendable {
  let name: String
  /// Where the services' files are, if not in the system's directories.
  let directory: String?

  /// Why the service cannot be used here; nil when it can.
  ///
  /// PAM itself would take the service `other` for one that is missing or cannot be read, which may
  /// permit anything.
  var obstacle: SecretStoreError? {
    if let error = SecretStoreError.needsThreads("PAM") { return error }
    if name.isEmpty || name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) {
      return .invalid("The name of a PAM service is that of a file, and has no slash")
    }
    do {
      let library = try LibPAM.shared.get()
      if directory != nil, !library.canUseOtherDirectories {
        return .unavailable(
          """
          This libpam has no pam_start_confdir, with which services of another directory are used. \
          Install Linux-PAM 1.4 or newer.
          """)
      }
    } catch {
      return .missingLibrary("\(error)")
    }
    return isConfigured ? nil : missing
  }

  private var missing: SecretStoreError {
    .unavailable(
      """
      There is no PAM service \(name) on this machine, or its file cannot be read. Name another one, \
      or install \(name) in \(directory ?? Self.directories[0]).
      """)
  }

  private static let directories = ["/etc/pam.d", "/usr/lib/pam.d"]

  private var isConfigured: Bool {
    // PAM looks for the file in lower case.
    let file = name.lowercased()
    if let directory { return Self.canRead("\(directory)/\(file)") }
    if Self.directories.contains(where: { Self.canRead("\($0)/\(file)") }) { return true }
    // The one file of old is read only where there is no directory.
    return !Self.directories.contains(where: Self.canRead) && isIn("/etc/pam.conf", file)
  }

  private static func canRead(_ path: String) -> Bool {
    // The path is copied by the call.
    unsafe access(path, R_OK) == 0
  }

  /// Whether a file of lines that begin with a service's name has one.
  private func isIn(_ path: String, _ service: String) -> Bool {
    do {
      let content = try FileSystem().open(path, O_RDONLY).read(from: 0, count: 1 << 20)
      return String(decoding: content, as: UTF8.self).split(separator: "\n").contains {
        $0.split(maxSplits: 1) { $0 == " " || $0 == "\t" }.first?.lowercased() == service
      }
    } catch {
      // What cannot be read says as little as what is not there.
      return false
    }
  }
}
