import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Refuses a file that somebody else could have read or written.
func checkPrivacy(_ status: FileStatus, of path: String) throws(SecretStoreError) {
  let reason: String? =
    if status.isSymbolicLink {
      "is a symbolic link"
    } else if !status.isRegularFile {
      "is not a regular file"
    } else if status.owner != geteuid() {
      "belongs to another user (\(status.owner)): only its owner may use it"
    } else if status.isOpenToOthers {
      "is open to other users: take their permissions away with chmod 600"
    } else {
      nil
    }
  if let reason { throw .insecure(path: path, reason: reason) }
}
