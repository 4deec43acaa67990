import CLibrary
import FoundationEssentials
import StorageInternals

// The vault that this machine knows at each path, so that its replacement or removal is detected. A
// vault is recorded on disk before its file is in place, so that a power cut never leaves a record
// of the vault before it.
extension DeviceState {
  private static let magic = Array("LocketP\n".utf8)
  private static let count = 72

  /// The identifier that stands for a vault removed on purpose.
  static let noVault = [UInt8](repeating: 0, count: KeyTable.idCount)

  /// Whether this machine knows a vault at any path.
  var knowsPlaces: Bool {
    get throws(SecretStoreError) {
      do throws(SystemError) {
        return try fileSystem.entries(of: directory).contains { $0.hasSuffix(".place") }
      } catch {
        if error.code == ENOENT { return false }
        throw SecretStoreError(error)
      }
    }
  }

  /// Returns the identifier of the vault that this machine knows at a path; nil if it knows none.
  ///
  /// An incomplete or removed file counts as no record.
  func vaultID(at path: String) throws(SecretStoreError) -> [UInt8]? {
    let place = try place(path)
    guard let file = try fileSystem.openPrivate(place.file) else { return nil }
    let content = try system { () throws(SystemError) in try file.read(from: 0, count: Self.count) }
    let head = Self.magic + place.digest
    guard content.count == Self.count, content.starts(with: head),
      try checksum(of: content[..<56]) == content[56...]
    else { return nil }
    return Array(content[40..<56])
  }

  /// Records the vault at a path, and returns when the record is on disk.
  func remember(_ vaultID: [UInt8], at path: String) throws(SecretStoreError) {
    let place = try place(path)
    var content = Self.magic + place.digest + vaultID
    content += try checksum(of: content)
    let file = try openOrMake(place.file)
    try system { () throws(SystemError) in
      // In one sector, so that the write is atomic.
      try file.write(content, at: 0)
      try file.synchronize()
      try fileSystem.synchronizeDirectory(directory)
    }
  }

  /// Returns the file that records the vault of a path, and the digest of the path.
  private func place(
    _ path: String
  ) throws(SecretStoreError) -> (file: String, digest: [UInt8]) {
    let isAbsolute = path.utf8.first == UInt8(ascii: "/")
    let absolute = isAbsolute ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    let digest = try cipher.digest(Array(absolute.utf8)[...])
    return (self.path(of: Array(digest[..<16]), "place"), digest)
  }
}
