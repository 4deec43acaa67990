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
  /// Opens a file that only its owner can access and, for writing, has only one name; returns nil
  /// if it or its directory is missing.
  func openPrivate(
    _ path: String, _ flags: Int32 = O_RDONLY
  ) throws(SecretStoreError) -> File? {
    guard let file = try openWithoutFollowingLinks(path, flags) else { return nil }
    // The file cannot be replaced after a check of the open descriptor.
    let status = try mapErrors(file.status())
    try checkPrivacy(status, of: path)
    if flags & O_ACCMODE != O_RDONLY, status.links > 1 {
      throw .insecure(
        path: path, reason: "has \(status.links) hard links: replace it with a copy of itself")
    }
    return file
  }

  /// Revokes other users' permission to replace the files beside a file; throws if that fails, or
  /// if the file is missing and another user owns the directory, or the nearest one above it.
  func protectDirectory(of file: String) throws(SecretStoreError) {
    let path = file.parentDirectory
    var directory = path
    var found = try mapErrors(status(of: path, followingLink: true))
    while found == nil, directory.parentDirectory != directory {
      directory = directory.parentDirectory
      found = try mapErrors(status(of: directory, followingLink: true))
    }
    guard let found else { return }
    if found.owner != 0, found.owner != geteuid(), try mapErrors(status(of: file)) == nil {
      throw .insecure(
        path: directory,
        reason: """
          belongs to another user (\(found.owner)), who could replace \(file). Run this as that \
          user, choose another directory, or set allowsSharedDirectories
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
        can be written to by other users (mode 0\(String(found.permissions, radix: 8))); \
        \(obstacle). Choose another directory, or set allowsSharedDirectories
        """)
  }

  /// Opens a file without following a symbolic link; returns nil if there is none.
  func openWithoutFollowingLinks(_ path: String, _ flags: Int32) throws(SecretStoreError) -> File? {
    do {
      // Non-blocking, because opening a FIFO in the file's place could block indefinitely.
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
  /// Whether other users can replace a file in this directory.
  var allowsReplacingFiles: Bool {
    // In a sticky directory, only its owner and the owner of the file can.
    let isSticky = mode & S_ISVTX != 0 && (owner == 0 || owner == geteuid())
    return isDirectory && mode & 0o022 != 0 && !isSticky
  }
}
