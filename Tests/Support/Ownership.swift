package import CLibrary
package import StorageInternals
package import Testing

extension Trait where Self == ConditionTrait {
  /// Skips a test that gives files to another user, unless root runs it.
  package static var changesOwners: Self {
    .enabled(if: geteuid() == 0, "Only root can give files away.")
  }
}

extension FileSystem {
  /// Gives a file to a user and a group to which no file of the tests belongs, and sets its mode.
  package func giveAway(_ path: String, mode: mode_t? = nil) throws {
    // The calls copy the path.
    guard unsafe chown(path, 1234, 5678) == 0, unsafe mode == nil || chmod(path, mode!) == 0 else {
      throw SystemError(call: .fchown, path: path, code: errno)
    }
  }
}
