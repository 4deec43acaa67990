import CLibrary
import Concurrency
import StorageInternals

/// A service of PAM: the name of a file in which the administrator defines what a login needs.
struct PAMService: Hashable, Sendable {
  let name: String
  /// The directory of the services' files; nil means the system's directories.
  let directory: String?

  /// The reason that the service cannot be used here; nil when it can.
  ///
  /// PAM itself would replace a missing or unreadable service by `other`, which may permit
  /// anything.
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
    // PAM converts the name of the file to lower case.
    let file = name.lowercased()
    if let directory { return Self.canRead("\(directory)/\(file)") }
    if Self.directories.contains(where: { Self.canRead("\($0)/\(file)") }) { return true }
    // PAM reads the single configuration file only if neither directory exists.
    return !Self.directories.contains(where: Self.canRead) && isIn("/etc/pam.conf", file)
  }

  private static func canRead(_ path: String) -> Bool {
    // The path is copied by the call.
    unsafe access(path, R_OK) == 0
  }

  /// Returns whether a line of a file begins with a service's name.
  private func isIn(_ path: String, _ service: String) -> Bool {
    do {
      let content = try FileSystem().open(path, O_RDONLY).read(from: 0, count: 1 << 20)
      return String(decoding: content, as: UTF8.self).split(separator: "\n").contains {
        $0.split(maxSplits: 1) { $0 == " " || $0 == "\t" }.first?.lowercased() == service
      }
    } catch {
      // An unreadable file counts as missing.
      return false
    }
  }
}

/// The return code of a function of Linux-PAM.
struct PAMCode: RawRepresentable, Hashable, Sendable {
  let rawValue: Int32

  static let success = PAMCode(rawValue: 0)
  static let outOfMemory = PAMCode(rawValue: 5)  // PAM_BUF_ERR
  static let conversationFailed = PAMCode(rawValue: 19)  // PAM_CONV_ERR

  /// Codes that mean "denied", as opposed to "could not be checked".
  ///
  /// PAM_PERM_DENIED, PAM_AUTH_ERR, PAM_CRED_INSUFFICIENT, PAM_USER_UNKNOWN, PAM_MAXTRIES,
  /// PAM_NEW_AUTHTOK_REQD, PAM_ACCT_EXPIRED, PAM_CRED_EXPIRED, PAM_AUTHTOK_EXPIRED.
  private static let denials: Set<Int32> = [6, 7, 8, 10, 11, 12, 13, 16, 27]

  /// Returns the error for the code, with the library's text.
  func error(_ text: String, of service: PAMService) -> SecretStoreError {
    if Self.denials.contains(rawValue) {
      return .denied("the PAM service \(service.name) says: \(text)")
    }
    return .unavailable(
      """
      The PAM service \(service.name) cannot authenticate: \(text) (PAM code \(rawValue)). The \
      system's log has the details; look into the service's file and the modules that it names.
      """)
  }
}

/// The user that this process runs as.
enum ProcessUser {
  /// The login name of the user.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` when the user has none, as in some containers.
  static var name: String {
    get throws(SecretStoreError) {
      let user = getuid()
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      var buffer = [CChar](repeating: 0, count: 1024)
      while true {
        // The entry points into the buffer, which stays in place while the entry is read.
        let (code, name) = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
          let code = unsafe getpwuid_r(user, &entry, buffer.baseAddress!, buffer.count, &found)
          return unsafe (code, found.map { unsafe String(cString: $0.pointee.pw_name) })
        }
        if let name { return name }
        guard code == ERANGE, buffer.count < 1 << 20 else {
          throw .unavailable(
            """
            The user with the number \(user) has no name\
            \(code == 0 ? "" : " (\(SystemError.message(for: code)))"), so PAM cannot authenticate \
            them. Name a user, or add this one to the system.
            """)
        }
        buffer = [CChar](repeating: 0, count: 2 * buffer.count)
      }
    }
  }
}
