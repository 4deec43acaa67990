package import CLibrary

// Changing the mode and the owner of a file.
extension File {
  package func changeMode(to mode: mode_t) throws(SystemError) {
    try fileSystem.check(.fchmod, path) { fchmod(descriptor, mode) }
  }

  /// Changes the mode of a new file.
  ///
  /// Some file systems and sandboxes refuse or ignore the change. This is an error only if the file
  /// is secret and other users have more access than `mode` permits.
  package func setMode(_ mode: mode_t, isSecret: Bool) throws(SystemError) {
    if try status().permissions == mode { return }
    var refusal = SystemError(call: .fchmod, path: path, code: EOPNOTSUPP)
    do {
      try changeMode(to: mode)
    } catch let error where error.isRefusal {
      refusal = error
    }
    if isSecret, try status().permissions & 0o077 & ~mode != 0 { throw refusal }
  }

  /// Changes the owner and the group, each of which the maximum value leaves unchanged.
  package func changeOwner(to user: uid_t, group: gid_t) throws(SystemError) {
    try fileSystem.check(.fchown, path) { fchown(descriptor, user, group) }
  }

  func copyOwner(from other: FileStatus) throws(SystemError) {
    let status = try status()
    if status.owner == other.owner, status.group == other.group { return }
    try changeOwner(to: other.owner, group: other.group)
  }

  /// Gives a file that root has created in a user's directory to that user, if this is permitted.
  func giveToOwner(of directory: FileStatus) throws(SystemError) {
    guard geteuid() == 0, directory.owner != 0 else { return }
    do { try copyOwner(from: directory) } catch let error where error.isRefusal {}
  }

  /// Whether the file is an empty directory; false without `/proc`.
  var isEmpty: Bool {
    (try? FileSystem().entries(of: "/proc/self/fd/\(descriptor)").isEmpty) ?? false
  }
}
