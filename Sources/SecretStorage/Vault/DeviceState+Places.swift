import FoundationEssentials
import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

// Which vault this machine knows at which path, so that another one in its place is noticed. A
// vault is noted before its file is in place, and on disk, so that a power cut never leaves a note
// of the one before.
extension DeviceState {
  private static let magic = Array("LocketP\n".utf8)
  private static let count = 72

  /// The identifier of the vault that this machine knows at a path; nil when it knows none.
  ///
  /// A file that was never written completely says nothing, as does one that was removed.
  func vaultID(at path: String) throws(SecretStoreError) -> [UInt8]? {
    let place = try place(path)
    guard
      let status = try system({ () throws(SystemError) in try fileSystem.status(of: place.file) })
    else { return nil }
    try checkPrivacy(status, of: place.file)
    let content = try system { () throws(SystemError) in
      try fileSystem.open(place.file, O_RDONLY | O_NOFOLLOW).read(from: 0, count: Self.count)
    }
    let head = Self.magic + place.digest
    guard content.count == Self.count, content.starts(with: head),
      try checksum(of: content[..<56]) == content[56...]
    else { return nil }
    return Array(content[40..<56])
  }

  /// Notes which vault is at a path from now on, and returns when that is on disk.
  func remember(_ vaultID: [UInt8], at path: String) throws(SecretStoreError) {
    let place = try place(path)
    var content = Self.magic + place.digest + vaultID
    content += try checksum(of: content)
    try system { () throws(SystemError) in
      let file = try fileSystem.makingDirectories(for: place.file) { () throws(SystemError) in
        try fileSystem.open(place.file, O_WRONLY | O_CREAT | O_NOFOLLOW, mode: 0o600)
      }
      // In one sector, so that it is the old note or the new one.
      try file.write(content, at: 0)
      try file.synchronize()
      try fileSystem.synchronizeDirectory(directory)
    }
  }

  /// The file that a path's vault is noted in, and the digest of the path.
  private func place(
    _ path: String
  ) throws(SecretStoreError) -> (file: String, digest: [UInt8]) {
    let isAbsolute = path.utf8.first == UInt8(ascii: "/")
    let absolute = isAbsolute ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    let digest = try cipher.digest(Array(absolute.utf8)[...])
    return (self.path(of: Array(digest[..<16]), "place"), digest)
  }
}
