import CLibrary
import StorageInternals

/// The user of this process.
enum ProcessUser {
  /// The login name of the user.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` if the user has no name, as in some containers.
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
