package import CLibrary

// Modes and owners.
extension File {
  package func changeMode(to mode: mode_t) throws(SystemError) {
    try fileSystem.check(.fchmod, path) { fchmod(descriptor, mode) }
  }

  /// Changes the mode of a new file.
  ///
  /// Some file systems and sandboxes refuse this or ignore it. That is an error only for a secret
  /// file that other users can access more than `mode` permits.
  package func setMode(_ mode: mode_t, isSecret: Bool) throws(SystemError) {
    if try status().permissions == mode { return }
    var refusal = SystemError(call: .fchmod, path: path, code: EOPNOTSUPP)
    do {
      try changeMode(to: mode)
    } catch {
      guard error.isRefusal else { throw error }
      refusal = error
    }
    if isSecret, try status().permissions & 0o077 & ~mode != 0 { throw refusal }
  }

  /// The maximum value leaves the owner or group unchanged.
  package func changeOwner(to user: uid_t, group: gid_t) throws(SystemError) {
    try fileSystem.check(.fchown, path) { fchown(descriptor, user, group) }
  }

  func copyOwner(from other: FileStatus) throws(SystemError) {
    let status = try status()
    if status.owner == other.owner, status.group == other.group { return }
    try changeOwner(to: other.owner, group: other.group)
  }

  /// Gives what root creates in a user's directory to the user, if the owner can be changed.
  func giveToOwner(of directory: FileStatus) throws(SystemError) {
    guard geteuid() == 0, directory.owner != 0 else { return }
    do {
      try copyOwner(from: directory)
    } catch {
      if !error.isRefusal { throw error }
    }
  }

  /// Whether this is an empty directory; false without `/proc`.
  var isEmpty: Bool {
    do throws(SystemError) {
      return try FileSystem().entries(of: "/proc/self/fd/\(descriptor)").isEmpty
    } catch {
      return false
    }
  }
}
