import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

extension DeviceState {
  private static let keyMaterialCounts = 32...(1 << 20)

  /// The content of a file that is used as a key.
  func keyMaterial(_ kind: String, at path: String) throws(SecretStoreError) -> Secret {
    let content = try system { () throws(SystemError) in
      // Non-blocking, because a FIFO in the file's place would let the caller wait for ever.
      Secret(
        try fileSystem.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
          .read(from: 0, count: Self.keyMaterialCounts.upperBound + 1))
    }
    guard Self.keyMaterialCounts.contains(content.count) else {
      let limit = Self.keyMaterialCounts.upperBound
      let count = content.count > limit ? "more" : "\(content.count)"
      throw .invalid(
        "The \(kind) at \(path) must have 32 bytes to 1 MiB that nobody can guess, and has \(count)"
      )
    }
    return content
  }

  /// What systemd gave to this service under a name; nil when that is nothing.
  func credential(named name: String) throws(SecretStoreError) -> Secret? {
    // A name in a vault is whatever its writer liked, and must not lead elsewhere.
    guard let directory = credentialsDirectory, Self.isCredentialName(name) else { return nil }
    let path = "\(directory)/\(name)"
    let status = try system { () throws(SystemError) in try fileSystem.status(of: path) }
    return status == nil ? nil : try keyMaterial("credential", at: path)
  }

  /// Whether systemd takes a name for a credential, after systemd.exec(5) and `credential_name_valid`
  /// of its sources.
  static func isCredentialName(_ name: String) -> Bool {
    (1...255).contains(name.utf8.count) && name != "." && name != ".."
      && name.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != 0x2F && $0 != 0x3A }
  }
}
