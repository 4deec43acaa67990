import CLibrary
import StorageInternals

/// Throws unless a file is a regular file of this user that other users cannot access.
func checkPrivacy(_ status: FileStatus, of path: String) throws(SecretStoreError) {
  let reason: String? =
    if status.isSymbolicLink {
      "is a symbolic link"
    } else if !status.isRegularFile {
      "is not a regular file"
    } else if status.owner != geteuid() {
      "belongs to another user (\(status.owner)): only its owner may use it"
    } else if status.isAccessibleToOthers {
      "is accessible to other users: remove their permissions with chmod 600"
    } else {
      nil
    }
  if let reason { throw .insecure(path: path, reason: reason) }
}

extension FileSystem {
  /// Opens a file that only this user can access and that, if it is opened for writing, has only
  /// one name; returns nil if the file or its directory is missing.
  func openPrivate(
    _ path: String, _ flags: Int32 = O_RDONLY
  ) throws(SecretStoreError) -> File? {
    guard let file = try openWithoutFollowingLinks(path, flags) else { return nil }
    // The status is that of the open file, which cannot be replaced between the check and the use.
    let status = try mapErrors(file.status())
    try checkPrivacy(status, of: path)
    if flags & O_ACCMODE != O_RDONLY, status.links > 1 {
      throw .insecure(
        path: path,
        reason: """
          has \(status.links) names (hard links), and writing to it would change the file under all of \
          them: replace it with a copy of itself
          """)
    }
    return file
  }

  /// Revokes other users' permission to replace a file in its directory, `path`; throws if that
  /// fails, or if the file is missing and neither this user nor root owns the nearest existing
  /// directory.
  func protectDirectory(
    _ path: String, of file: @autoclosure () -> String
  ) throws(SecretStoreError) {
    var directory = path
    var found = try mapErrors(status(of: path, followingLink: true))
    while found == nil, directory.parentDirectory != directory {
      directory = directory.parentDirectory
      found = try mapErrors(status(of: directory, followingLink: true))
    }
    guard let found else { return }
    if found.owner != 0, found.owner != geteuid(), try mapErrors(status(of: file())) == nil {
      throw .insecure(
        path: directory,
        reason: """
          belongs to another user (\(found.owner)), who could replace \(file()), but not use what \
          this user (\(geteuid())) creates there. Run this as that user, choose another directory, \
          or set allowsSharedDirectories
          """)
    }
    guard directory == path, found.allowsReplacingFiles else { return }
    var obstacle = "only its owner (\(found.owner)) can revoke the permission, with chmod go-w"
    if found.owner == geteuid() {
      do throws(SystemError) {
        let directory = try open(path, O_RDONLY | O_DIRECTORY)
        try directory.changeMode(to: directory.status().permissions & ~0o022)
        if try !directory.status().allowsReplacingFiles { return }
        obstacle = "its file system does not support changing permissions"
      } catch {
        obstacle = "revoking the permission failed: \(error)"
      }
    }
    throw .insecure(
      path: path,
      reason: """
        is a directory that other users can write to \
        (mode 0\(String(found.permissions, radix: 8))), so that they can replace its files; \
        \(obstacle). Choose another directory, or set allowsSharedDirectories if you trust these \
        users
        """)
  }

  /// Opens a file without following a symbolic link; returns nil if the file is missing.
  func openWithoutFollowingLinks(_ path: String, _ flags: Int32) throws(SecretStoreError) -> File? {
    do {
      // The open is non-blocking, because opening a FIFO at this path could block indefinitely.
      return try open(path, flags | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
    } catch {
      switch error.code {
      case ENOENT: return nil
      case ELOOP: throw .insecure(path: path, reason: "is a symbolic link")
      case EISDIR, ENXIO: throw .insecure(path: path, reason: "is not a regular file")
      default: throw SecretStoreError(error)
      }
    }
  }
}

extension FileStatus {
  /// Whether the permissions of this directory let other users replace a file in it.
  var allowsReplacingFiles: Bool {
    // In a sticky directory, only the owner of a file and the directory's owner can replace it.
    let protectsFiles = mode & S_ISVTX != 0 && (owner == 0 || owner == geteuid())
    return isDirectory && mode & 0o022 != 0 && !protectsFiles
  }
}
