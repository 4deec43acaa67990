import CLibrary
import StorageInternals

extension DeviceState {
  private static let keyMaterialCounts = 32...(1 << 20)

  /// Returns the content of a file that is used as a key.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` if the file is too short or too long, or the error
  ///   of reading it.
  func keyMaterial(_ kind: String, at path: String) throws(SecretStoreError) -> Secret {
    let content = try system { () throws(SystemError) in
      // The open is non-blocking, because opening a FIFO could block indefinitely.
      try Secret(
        contentsOf: fileSystem.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC),
        limit: Self.keyMaterialCounts.upperBound)
    }
    guard Self.keyMaterialCounts.contains(content.count) else {
      let limit = Self.keyMaterialCounts.upperBound
      let count = content.count > limit ? "more" : "\(content.count)"
      throw .invalid(
        "The \(kind) at \(path) must have 32 bytes to 1 MiB of random data, but has \(count)")
    }
    return content
  }

  /// Returns the content of a systemd credential of this service; nil if there is none.
  func credential(named name: String) throws(SecretStoreError) -> Secret? {
    // A name that comes from a vault is untrusted, and must not refer to another directory.
    guard let directory = credentialsDirectory, Self.isCredentialName(name) else { return nil }
    let path = "\(directory)/\(name)"
    let status = try system { () throws(SystemError) in try fileSystem.status(of: path) }
    return status == nil ? nil : try keyMaterial("credential", at: path)
  }

  /// Whether systemd accepts a credential name.
  ///
  /// See systemd.exec(5) and `credential_name_valid` in its source code.
  static func isCredentialName(_ name: String) -> Bool {
    (1...255).contains(name.utf8.count) && name != "." && name != ".."
      && name.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != 0x2F && $0 != 0x3A }
  }
}
