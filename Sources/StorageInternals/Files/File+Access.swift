package import CLibrary

// Modes and owners.
extension File {
  package func changeMode(to mode: mode_t) throws(SystemError) {
    try fileSystem.check(.fchmod, path) { fchmod(descriptor, mode) }
  }

  /// Changes the mode of a new file, unless it is right.
  ///
  /// Some file systems and sandboxes refuse every change, or ignore it. The file then has the mode
  /// that the file system gives it. This is an error only for a secret file, and only if that mode
  /// permits other users more than `mode` does.
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

  /// Changes the owner and the group; the maximum value leaves the owner or group unchanged.
  package func changeOwner(to user: uid_t, group: gid_t) throws(SystemError) {
    try fileSystem.check(.fchown, path) { fchown(descriptor, user, group) }
  }

  /// Changes the owner and group to those of another file, unless they are equal.
  func copyOwner(from other: FileStatus) throws(SystemError) {
    let status = try status()
    if status.owner == other.owner, status.group == other.group { return }
    try changeOwner(to: other.owner, group: other.group)
  }

  /// Gives a new file or directory to the owner of its directory, if this process is root.
  ///
  /// Without this, what root creates in a user's home would be unusable for that user. Where the
  /// owner cannot be changed, root keeps the file.
  func giveToOwner(of directory: FileStatus) throws(SystemError) {
    guard geteuid() == 0, directory.owner != 0 else { return }
    do {
      try copyOwner(from: directory)
    } catch {
      if !error.isRefusal { throw error }
    }
  }

  /// Whether this is an empty directory; false if that is unknown, because `/proc` is missing.
  var isEmpty: Bool {
    do throws(SystemError) {
      return try FileSystem().entries(of: "/proc/self/fd/\(descriptor)").isEmpty
    } catch {
      return false
    }
  }
}
