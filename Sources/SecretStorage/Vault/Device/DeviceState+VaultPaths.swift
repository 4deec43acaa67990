import CLibrary
import FoundationEssentials
import StorageInternals

// This machine records which vault is at each path, to detect that a vault was replaced or removed.
// A new vault is recorded before its file is created, so that after a power failure the record is
// never older than the file.
extension DeviceState {
  private static let magic = Array("LocketP\n".utf8)
  private static let count = 72

  /// The identifier that is recorded for a vault that was removed intentionally.
  static let noVault = [UInt8](repeating: 0, count: KeyTable.idCount)

  /// Whether this machine has a record of a vault at any path.
  var knowsAnyVaultPath: Bool {
    get throws(SecretStoreError) {
      do throws(SystemError) {
        return try fileSystem.entries(of: directory).contains { $0.hasSuffix(".place") }
      } catch {
        if error.code == ENOENT { return false }
        throw SecretStoreError(error)
      }
    }
  }

  /// Returns the identifier of the vault recorded at a path; nil if there is no complete record.
  func vaultID(at path: String) throws(SecretStoreError) -> [UInt8]? {
    let record = try recordFile(for: path)
    guard let file = try fileSystem.openPrivate(record.path) else { return nil }
    let content = try system { () throws(SystemError) in try file.read(from: 0, count: Self.count) }
    let head = Self.magic + record.digest
    guard content.count == Self.count, content.starts(with: head),
      try checksum(of: content[..<56]) == content[56...]
    else { return nil }
    return Array(content[40..<56])
  }

  /// Records the vault at a path, and returns when the record is on disk.
  func remember(_ vaultID: [UInt8], at path: String) throws(SecretStoreError) {
    let record = try recordFile(for: path)
    var content = Self.magic + record.digest + vaultID
    content += try checksum(of: content)
    let file = try openOrCreate(record.path)
    try system { () throws(SystemError) in
      // The content fits into one sector, so the write is atomic.
      try file.write(content, at: 0)
      try file.synchronize()
      try fileSystem.synchronizeDirectory(directory)
    }
  }

  /// Returns the path of the file that records the vault at a path, and the digest of the latter.
  private func recordFile(
    for path: String
  ) throws(SecretStoreError) -> (path: String, digest: [UInt8]) {
    let isAbsolute = path.utf8.first == UInt8(ascii: "/")
    let absolute = isAbsolute ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    let digest = try cipher.digest(Array(absolute.utf8)[...])
    return (self.path(of: Array(digest[..<16]), "place"), digest)
  }
}
