import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals

/// The state that a machine stores outside its vaults: the device key, and a record of each vault.
struct DeviceState: Sendable {
  let directory: String
  /// The path of the file with the machine's identity; see machine-id(5).
  let machineIdentity: String
  var credentialsDirectory: String?
  let fileSystem: FileSystem
  let cipher: any SecretCipher
  var lockTimeout = LockTimeout()

  /// The identifier of the vault that this object has durably recorded at the vault's path, and the
  /// start of the newest log, for each vault whose record this object has flushed.
  let flushed = Lock<(place: [UInt8]?, logStarts: [[UInt8]: UInt64])>((nil, [:]))

  private static let keySize = 32
  var keyPath: String { "\(directory)/device.key" }

  /// Returns the secret derived from the device key and the machine's identity; nil without a key.
  func secret() throws(SecretStoreError) -> Secret? { try secrets()?.first }

  /// Returns the secret for the machine identity that a table is sealed for, or otherwise for the
  /// current identity; nil without a device key.
  func secret(
    for table: KeyTable
  ) throws(SecretStoreError) -> (secret: Secret, isOfCurrentIdentity: Bool)? {
    guard let secrets = try secrets() else { return nil }
    for (index, secret) in secrets.enumerated() {
      for slot in table.slots where try slot.isOfDevice(secret, by: table.sealer) {
        return (secret, index == 0)
      }
      for key in table.keys where try key.isOfDevice(secret, by: table.sealer) {
        return (secret, index == 0)
      }
    }
    return (secrets[0], true)
  }

  /// Returns the secrets for the machine's current and earlier identities, in this order.
  private func secrets() throws(SecretStoreError) -> [Secret]? {
    guard let file = try fileSystem.openPrivate(keyPath) else { return nil }
    let key = try mapErrors(Secret(contentsOf: file, limit: Self.keySize))
    guard key.count == Self.keySize else {
      throw .corrupted("The device key at \(keyPath) has \(key.count) bytes instead of 32")
    }
    return try mapErrors(machineIdentities()).map { identity throws(SecretStoreError) in
      try cipher.deriveKey(from: key, salt: identity[...], purpose: "locket device")
    }
  }

  /// Creates the device key if there is none, and returns ``secret()`` when the key is on disk.
  ///
  /// Throws `busy` if another process is creating the key and does not finish in time.
  func makeSecret() throws(SecretStoreError) -> Secret {
    if let secret = try secret() {
      // The process that created the key may have failed, or have been killed, before the flush.
      try mapErrors(fileSystem.synchronizeDirectory(directory))
      return secret
    }
    let lock = try mapErrors(
      FileLock(at: "\(keyPath).lock", in: fileSystem, timeout: lockTimeout.duration))
    defer { withExtendedLifetime(lock) {} }
    if try mapErrors(fileSystem.status(of: keyPath)) == nil {
      try mapErrors(fileSystem.removeTemporaryFiles(of: keyPath, holding: lock))
      let key = try [UInt8].random(Self.keySize)
      try mapErrors(fileSystem.replaceFile(at: keyPath, with: key, mode: 0o600))
    }
    guard let secret = try secret() else {
      throw .unavailable("The device key at \(keyPath) was removed while it was being created.")
    }
    return secret
  }

  /// Returns the identity of the machine, and the empty identity that the first boot may have had.
  private func machineIdentities() throws(SystemError) -> [[UInt8]] {
    var current: [UInt8] = []
    do {
      current = try fileSystem.open(machineIdentity, O_RDONLY).read(from: 0, count: 256)
    } catch {
      if error.code != ENOENT { throw error }
    }
    let isNone = ["", "uninitialized", "uninitialized\n"].contains { current == Array($0.utf8) }
    return isNone ? [[]] : [current, []]
  }

  func path(of name: [UInt8], _ suffix: String) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let name = name.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return "\(directory)/\(String(decoding: name, as: UTF8.self)).\(suffix)"
  }

  func openOrCreate(_ path: String) throws(SecretStoreError) -> File {
    let flags = O_RDWR | O_CREAT
    if let file = try fileSystem.openPrivate(path, flags) { return file }
    try mapErrors(fileSystem.makeDirectories(directory))
    if let file = try fileSystem.openPrivate(path, flags) { return file }
    throw .unavailable("The directory \(directory) was removed while it was being created.")
  }

  /// Returns the checksum with which an incompletely written file is detected.
  func checksum(of bytes: some Collection<UInt8>) throws(SecretStoreError) -> ArraySlice<UInt8> {
    try cipher.digest(Array(bytes)[...])[..<16]
  }

  private static let keyMaterialSizes = 32...(1 << 20)

  /// Returns the content of a file that is used as a key; throws `invalid` for a wrong size.
  func keyMaterial(_ kind: String, at path: String) throws(SecretStoreError) -> Secret {
    // The open is non-blocking, because opening a FIFO could block indefinitely.
    let file = try mapErrors(fileSystem.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
    let content = try mapErrors(
      Secret(contentsOf: file, limit: Self.keyMaterialSizes.upperBound))
    guard Self.keyMaterialSizes.contains(content.count) else {
      let limit = Self.keyMaterialSizes.upperBound
      let size = content.count > limit ? "more" : "\(content.count)"
      throw .invalid(
        "The \(kind) at \(path) must have 32 bytes to 1 MiB of random data, but has \(size)")
    }
    return content
  }

  /// Returns the content of a systemd credential; nil if this process does not have the credential.
  func credential(named name: String) throws(SecretStoreError) -> Secret? {
    // A name that comes from a vault is untrusted, and must not refer to another directory.
    guard let directory = credentialsDirectory, Self.isCredentialName(name) else { return nil }
    let path = "\(directory)/\(name)"
    if try mapErrors(fileSystem.status(of: path)) == nil { return nil }
    return try keyMaterial("credential", at: path)
  }

  /// Returns whether systemd accepts a credential name, as its `credential_name_valid` does.
  static func isCredentialName(_ name: String) -> Bool {
    (1...255).contains(name.utf8.count) && name != "." && name != ".."
      && name.utf8.allSatisfy { (0x20..<0x7F).contains($0) && $0 != 0x2F && $0 != 0x3A }
  }
}

// Recording the vault at each path, which reveals that it was replaced or removed. A new vault is
// recorded before its file is created, so that a power failure never leaves it an older record.
extension DeviceState {
  private static let magic = Array("LocketP\n".utf8)
  private static let size = 72

  /// The identifier that is recorded for a vault that was removed intentionally.
  static let noVault = [UInt8](repeating: 0, count: KeyTable.idSize)

  /// Whether there may be such a record for any path.
  var hasVaultRecords: Bool {
    get throws(SecretStoreError) {
      do throws(SystemError) {
        return try fileSystem.entries(of: directory).contains { $0.hasSuffix(".place") }
      } catch {
        if error.code == ENOENT { return false }
        // A directory that cannot be listed may contain records.
        if error.code == EACCES { return true }
        throw SecretStoreError(error)
      }
    }
  }

  /// Returns the identifier of the vault that is recorded at a path; nil without a valid record.
  func vaultID(at path: String) throws(SecretStoreError) -> [UInt8]? {
    let record = try recordFile(for: path)
    guard let file = try fileSystem.openPrivate(record.path) else { return nil }
    let content = try mapErrors(file.read(from: 0, count: Self.size))
    let head = Self.magic + record.digest
    guard content.count == Self.size, content.starts(with: head),
      try checksum(of: content[..<56]) == content[56...]
    else { return nil }
    return Array(content[40..<56])
  }

  /// Records the vault at a path unless that is done already; returns when the record is on disk.
  func remember(
    _ vaultID: [UInt8], at path: String, isRecorded: Bool = false
  ) throws(SecretStoreError) {
    let record = try recordFile(for: path)
    var content = Self.magic + record.digest + vaultID
    content += try checksum(of: content)
    let file = try openOrCreate(record.path)
    // The write is atomic, because it fits into one sector. A removed record is written again.
    let isNew = try mapErrors(file.status()).size == 0
    if isNew || !isRecorded { try mapErrors(file.write(content, at: 0)) }
    try mapErrors(file.synchronize())
    try mapErrors(fileSystem.synchronizeDirectory(directory))
    flushed.withLock { $0.place = vaultID }
  }

  /// Returns the path of the record for a vault's path, and the digest of the resolved path.
  private func recordFile(
    for path: String
  ) throws(SecretStoreError) -> (path: String, digest: [UInt8]) {
    let isAbsolute = path.utf8.first == UInt8(ascii: "/")
    let absolute = isAbsolute ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    let resolved: String
    do throws(SystemError) {
      resolved = try fileSystem.resolve(absolute)
    } catch {
      // The path has `..` after a missing directory, which the first write creates.
      if error.code != ENOENT { throw SecretStoreError(error) }
      resolved = absolute
    }
    let digest = try cipher.digest(Array(resolved.utf8)[...])
    return (self.path(of: Array(digest[..<16]), "place"), digest)
  }
}
