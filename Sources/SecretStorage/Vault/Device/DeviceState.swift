import CLibrary
import StorageInternals

/// The state that a machine stores outside its vaults: the device key, and a record of each vault.
struct DeviceState: Sendable {
  /// The directory of the state, which should not be copied together with the vaults.
  let directory: String
  /// The path of the file with the machine's identity; see machine-id(5).
  let machineIdentity: String
  /// The directory of the service's systemd credentials; nil if this is not a service.
  var credentialsDirectory: String?
  let fileSystem: FileSystem
  let cipher: any SecretCipher
  /// The maximum time that a writer waits for other processes.
  var lockTimeout = LockTimeout()

  private static let keyCount = 32
  var keyPath: String { "\(directory)/device.key" }

  /// Returns the secret derived from the device key and the machine's identity; nil without a key.
  func secret() throws(SecretStoreError) -> Secret? { try secrets()?.first }

  /// Returns the secret for a table; nil if there is no device key yet.
  ///
  /// It is derived from the device key and the identity, present or earlier, under which the table
  /// is sealed. If there is none, it is derived from the present identity.
  func secret(
    for table: KeyTable
  ) throws(SecretStoreError) -> (secret: Secret, isOfPresentIdentity: Bool)? {
    guard let secrets = try secrets() else { return nil }
    for (number, secret) in secrets.enumerated() where try table.hasSealing(under: secret, cipher) {
      return (secret, number == 0)
    }
    return (secrets[0], true)
  }

  /// Returns the secrets for the machine's present and earlier identities, in this order.
  private func secrets() throws(SecretStoreError) -> [Secret]? {
    guard let file = try fileSystem.openPrivate(keyPath) else { return nil }
    let (key, identities) = try system { () throws(SystemError) in
      (try Secret(contentsOf: file, limit: Self.keyCount), try machineIdentities())
    }
    guard key.count == Self.keyCount else {
      throw .corrupted("The device key at \(keyPath) has \(key.count) bytes instead of 32")
    }
    var secrets: [Secret] = []
    for identity in identities {
      secrets.append(
        try cipher.deriveKey(from: key, salt: identity[...], purpose: "locket device"))
    }
    return secrets
  }

  /// Creates the device key if there is none, and returns the same secret as ``secret()``.
  ///
  /// - Throws: ``SecretStoreError/busy(path:holder:)`` if another process is creating the key and
  ///   does not finish, or the error of creating it.
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
      throw .unavailable("The device key at \(keyPath) was removed while it was being created.")
    }
    return secret
  }

  /// Returns the machine's identity, followed by identities that it may have had earlier.
  ///
  /// An empty identity means that only the key file distinguishes the machine from others. During
  /// the first boot of a machine, the file is missing or contains "uninitialized".
  private func machineIdentities() throws(SystemError) -> [[UInt8]] {
    let uninitialized = Array("uninitialized\n".utf8)
    var present: [UInt8] = []
    do {
      present = try fileSystem.open(machineIdentity, O_RDONLY).read(from: 0, count: 256)
    } catch {
      if error.code != ENOENT { throw error }
    }
    let isNone = present.isEmpty || present == uninitialized || present == uninitialized.dropLast()
    // Earlier versions treated "uninitialized" as an identity.
    return isNone ? [[], uninitialized] : [present, [], uninitialized]
  }
}

extension DeviceState {
  /// Returns the path of a file whose name is the hexadecimal form of bytes.
  func path(of name: [UInt8], _ suffix: String) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = name.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return "\(directory)/\(String(decoding: text, as: UTF8.self)).\(suffix)"
  }

  /// Opens a file for reading and writing, and creates the file and the directory if necessary.
  func openOrCreate(_ path: String) throws(SecretStoreError) -> File {
    let flags = O_RDWR | O_CREAT
    if let file = try fileSystem.openPrivate(path, flags) { return file }
    try system { () throws(SystemError) in try fileSystem.makeDirectories(directory) }
    if let file = try fileSystem.openPrivate(path, flags) { return file }
    throw .unavailable("The directory \(directory) was removed while it was being created.")
  }

  /// Returns the checksum with which an incompletely written file is detected.
  func checksum(of bytes: some Collection<UInt8>) throws(SecretStoreError) -> ArraySlice<UInt8> {
    try cipher.digest(Array(bytes)[...])[..<16]
  }
}
