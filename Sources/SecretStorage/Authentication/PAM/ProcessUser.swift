import CLibrary

/// The user of this process.
enum ProcessUser {
  /// The login name; throws `unavailable` if there is none, as in some containers.
  static var name: String {
    get throws(SecretStoreError) {
      let user = getuid()
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      // Larger entries are treated as missing.
      var buffer = [CChar](repeating: 0, count: 64 * 1024)
      // The entry refers to the buffer, so the name is copied inside the closure.
      let (code, name) = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
        let code = unsafe getpwuid_r(user, &entry, buffer.baseAddress!, buffer.count, &found)
        return unsafe (code, found.map { unsafe String(cString: $0.pointee.pw_name) })
      }
      if let name { return name }
      throw .unavailable(
        """
        The user with ID \(user) has no name\(code == 0 ? "" : " (\(errorMessage(code)))"), so PAM \
        cannot authenticate them. Specify a user, or add this one to the system.
        """)
    }
  }
}
