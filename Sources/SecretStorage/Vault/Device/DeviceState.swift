import CLibrary
import FoundationEssentials
import StorageInternals

/// The state of a machine outside its vaults: the device key, and a record of each vault.
struct DeviceState: Sendable {
  /// A directory that is not copied together with the vaults.
  let directory: String
  /// The path of the machine's identity, a file as in machine-id(5).
  let machineIdentity: String
  /// The directory of the service's systemd credentials; nil if this is not a service.
  var credentialsDirectory: String?
  let fileSystem: FileSystem
  let cipher: any SecretCipher
  /// The longest time that a writer waits for other processes.
  var lockTimeout = LockTimeout()

  private static let keyCount = 32
  var keyPath: String { "\(directory)/device.key" }

  /// Returns the device's key, mixed with the machine's identity; nil if there is no key yet.
  func secret() throws(SecretStoreError) -> Secret? { try secrets()?.first }

  /// Returns the device's key, mixed with the identity that a table has a sealing under, or with
  /// the present identity if there is none; nil if there is no key yet.
  func secret(
    for table: KeyTable
  ) throws(SecretStoreError) -> (secret: Secret, isOfPresentIdentity: Bool)? {
    guard let secrets = try secrets() else { return nil }
    for (number, secret) in secrets.enumerated() where try table.hasSealing(under: secret, cipher) {
      return (secret, number == 0)
    }
    return (secrets[0], true)
  }

  /// Returns the device's key, mixed with the machine's identity and then with earlier ones.
  private func secrets() throws(SecretStoreError) -> [Secret]? {
    guard let file = try fileSystem.openPrivate(keyPath) else { return nil }
    let (key, identities) = try system { () throws(SystemError) in
      (try Secret(contentsOf: file, limit: Self.keyCount), try machineIdentities())
    }
    guard key.count == Self.keyCount else {
      throw .corrupted("The device key at \(keyPath) is \(key.count) bytes long, not 32")
    }
    var secrets: [Secret] = []
    for identity in identities {
      secrets.append(
        try cipher.deriveKey(from: key, salt: identity[...], purpose: "locket device"))
    }
    return secrets
  }

  /// Creates the device key if there is none, and returns it like ``secret()``.
  ///
  /// - Throws: ``SecretStoreError/busy(path:holder:)`` when another process is creating it and does
  ///   not finish, or the error of creating it.
  func makeSecret() throws(SecretStoreError) -> Secret {
    if let secret = try secret() { return secret }
    do throws(SystemError) {
      try fileSystem.makeDirectories(directory)
      let lock = try FileLock(
        at: "\(keyPath).lock", in: fileSystem, timeout: lockTimeout.duration)
      defer { withExtendedLifetime(lock) {} }
      if try fileSystem.status(of: keyPath) == nil {
        try fileSystem.removeLeftovers(of: keyPath, holding: lock)
        try fileSystem.replaceFile(
          at: keyPath, with: KernelRandom.bytes(Self.keyCount), mode: 0o600)
      }
    } catch {
      throw SecretStoreError(error)
    }
    guard let secret = try secret() else {
      throw .unavailable("The device key at \(keyPath) vanished while it was being made.")
    }
    return secret
  }

  /// Returns the machine's identity, followed by those that it may have had earlier.
  ///
  /// An empty identity means none: then only the key file distinguishes machines. During a
  /// machine's first boot, machine-id(5) is missing or says that it is not initialized yet.
  private func machineIdentities() throws(SystemError) -> [[UInt8]] {
    let uninitialized = Array("uninitialized\n".utf8)
    var present: [UInt8] = []
    do {
      present = try fileSystem.open(machineIdentity, O_RDONLY).read(from: 0, count: 256)
    } catch {
      if error.code != ENOENT { throw error }
    }
    let isNone = present.isEmpty || present == uninitialized || present == uninitialized.dropLast()
    // Earlier versions used the word as an identity.
    return isNone ? [[], uninitialized] : [present, [], uninitialized]
  }
}

extension DeviceState {
  /// Returns the path of a file that is named after bytes, in hexadecimal.
  func path(of name: [UInt8], _ suffix: String) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = name.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return "\(directory)/\(String(decoding: text, as: UTF8.self)).\(suffix)"
  }

  /// Opens a file of the directory for reading and writing, and creates both if they are missing.
  func openOrMake(_ path: String) throws(SecretStoreError) -> File {
    let flags = O_RDWR | O_CREAT
    if let file = try fileSystem.openPrivate(path, flags) { return file }
    try system { () throws(SystemError) in try fileSystem.makeDirectories(directory) }
    if let file = try fileSystem.openPrivate(path, flags) { return file }
    throw .unavailable("The directory \(directory) vanished while it was being made.")
  }

  /// Returns the checksum that marks a completely written file.
  func checksum(of bytes: some Collection<UInt8>) throws(SecretStoreError) -> ArraySlice<UInt8> {
    try cipher.digest(Array(bytes)[...])[..<16]
  }
}

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

// The vault that this machine knows at each path, so that its replacement or removal is detected. A
// vault is recorded on disk before its file is in place, so that a power failure never leaves a
// record of the vault before it.
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
