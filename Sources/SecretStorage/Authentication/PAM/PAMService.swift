import CLibrary
import Concurrency
import StorageInternals

/// A PAM service, which is a file in which the administrator configures logins.
struct PAMService: Hashable, Sendable {
  let name: String
  /// The directory of the file; nil for the system's directories.
  let directory: String?

  /// The reason why the service cannot be used; nil if it can.
  ///
  /// Without its file, PAM would use the service `other`, which may accept every login.
  var obstacle: SecretStoreError? {
    if let error = SecretStoreError.needsThreads("PAM") { return error }
    if name.isEmpty || name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) {
      return .invalid("The name of a PAM service must be a file name without slashes")
    }
    do {
      let library = try LibPAM.shared.get()
      if directory != nil, !library.canUseOtherDirectories {
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
    return !Self.directories.contains(where: Self.canRead) && isIn("/etc/pam.conf", file)
  }

  private static func canRead(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }

  /// Returns whether a configuration file has a line for a service.
  private func isIn(_ path: String, _ service: String) -> Bool {
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

/// A return code of Linux-PAM.
struct PAMCode: RawRepresentable, Hashable, Sendable {
  let rawValue: Int32

  static let success = PAMCode(rawValue: 0)
  static let outOfMemory = PAMCode(rawValue: 5)  // PAM_BUF_ERR
  static let conversationFailed = PAMCode(rawValue: 19)  // PAM_CONV_ERR

  /// The codes that mean that the login was denied, as opposed to not being possible.
  ///
  /// PAM_PERM_DENIED, PAM_AUTH_ERR, PAM_CRED_INSUFFICIENT, PAM_USER_UNKNOWN, PAM_MAXTRIES,
  /// PAM_NEW_AUTHTOK_REQD, PAM_ACCT_EXPIRED, PAM_CRED_EXPIRED, PAM_AUTHTOK_EXPIRED.
  private static let denials: Set<Int32> = [6, 7, 8, 10, 11, 12, 13, 16, 27]

  func error(_ text: String, of service: PAMService) -> SecretStoreError {
    if Self.denials.contains(rawValue) {
      return .denied("the PAM service \(service.name) reported: \(text)")
    }
    return .unavailable(
      """
      The PAM service \(service.name) failed: \(text) (PAM code \(rawValue)). See the system log for \
      details, and check the service's file and its modules.
      """)
  }
}

/// The user of this process.
enum ProcessUser {
  /// The login name of the user; throws if there is none, as in some containers.
  static var name: String {
    get throws(SecretStoreError) {
      let user = getuid()
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      var buffer = [CChar](repeating: 0, count: 1024)
      while true {
        // The entry refers to the buffer, so the name is copied inside the closure.
        let (code, name) = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
          let code = unsafe getpwuid_r(user, &entry, buffer.baseAddress!, buffer.count, &found)
          return unsafe (code, found.map { unsafe String(cString: $0.pointee.pw_name) })
        }
        if let name { return name }
        guard code == ERANGE, buffer.count < 1 << 20 else {
          throw .unavailable(
            """
            The user with ID \(user) has no name\
            \(code == 0 ? "" : " (\(SystemError.message(for: code)))"), so PAM cannot authenticate \
            them. Specify a user, or add this one to the system.
            """)
        }
        buffer = [CChar](repeating: 0, count: 2 * buffer.count)
      }
    }
  }
}
