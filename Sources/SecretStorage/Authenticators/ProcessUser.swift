import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The user that this process runs as.
enum ProcessUser {
  /// The name of the login.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` when the user has none, as in some containers.
  static var name: String {
    get throws(SecretStoreError) {
      let user = getuid()
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      var buffer = [CChar](repeating: 0, count: 1024)
      while true {
        // The entry points into the buffer, which stays where it is as long as it is looked at.
        let (code, name) = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
          let code = unsafe getpwuid_r(user, &entry, buffer.baseAddress!, buffer.count, &found)
          return unsafe (code, found.map { unsafe String(cString: $0.pointee.pw_name) })
        }
        if let name { return name }
        guard code == ERANGE, buffer.count < 1 << 20 else {
          throw .unavailable(
            """
            The user with the number \(user) has no name\
            \(code == 0 ? "" : " (\(SystemError.message(for: code)))"), so PAM cannot be asked about \
            them. Name a user, or add this one to the system.
            """)
        }
        buffer = [CChar](repeating: 0, count: 2 * buffer.count)
      }
    }
  }
}
