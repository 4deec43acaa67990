import CLibrary
import StorageInternals

extension DeviceState {
  private static let keyMaterialCounts = 32...(1 << 20)

  /// Returns the content of a file that is used as a key.
  func keyMaterial(_ kind: String, at path: String) throws(SecretStoreError) -> Secret {
    let content = try system { () throws(SystemError) in
      // Non-blocking, because opening a FIFO in the file's place could block indefinitely.
      try Secret(
        contentsOf: fileSystem.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC),
        limit: Self.keyMaterialCounts.upperBound)
    }
    guard Self.keyMaterialCounts.contains(content.count) else {
      let limit = Self.keyMaterialCounts.upperBound
      let count = content.count > limit ? "more" : "\(content.count)"
      throw .invalid(
        "The \(kind) at \(path) must have 32 bytes to 1 MiB of unpredictable content, and has \(count)"
      )
    }
    return content
  }

  /// Returns this service's systemd credential of a name; nil if there is none.
  func credential(named name: String) throws(SecretStoreError) -> Secret? {
    // A name in a vault is untrusted, and must not lead to another directory.
    guard let directory = credentialsDirectory, Self.isCredentialName(name) else { return nil }
    let path = "\(directory)/\(name)"
    let status = try system { () throws(SystemError) in try fileSystem.status(of: path) }
    return status == nil ? nil : try keyMaterial("credential", at: path)
  }

  /// Whether systemd accepts a name for a credential, by systemd.exec(5) and
  /// `credential_name_valid` in its sources.
  static func isCredentialName(_ name: String) -> Bool {
    (1...255).contains(name.utf8.count) && name != "." && name != ".."
      && name.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != 0x2F && $0 != 0x3A }
  }
}
