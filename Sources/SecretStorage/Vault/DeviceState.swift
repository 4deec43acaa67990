import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// What a machine keeps outside of its vaults: the device key, and how far it has seen each vault.
struct DeviceState: Sendable {
  /// A directory that is not copied together with the vaults.
  let directory: String
  /// Names the machine, as machine-id(5) does.
  let machineIdentity: String
  /// Where systemd puts the credentials of a service, if this is one.
  var credentialsDirectory: String?
  let fileSystem: FileSystem
  let cipher: any SecretCipher

  private static let keyCount = 32
  var keyPath: String { "\(directory)/device.key" }

  /// The device's key, mixed with the machine's identity; nil when there is none yet.
  func secret() throws(SecretStoreError) -> Secret? {
    guard let (key, identities) = try material() else { return nil }
    return try secret(of: key, identities[0])
  }

  /// The device's key, mixed with the identity under which a table has something sealed, or with the
  /// present one if there is none; nil when there is no key yet.
  func secret(
    for table: KeyTable
  ) throws(SecretStoreError) -> (secret: Secret, isOfPresentIdentity: Bool)? {
    guard let (key, identities) = try material() else { return nil }
    let present = try secret(of: key, identities[0])
    if try table.hasSealing(under: present, cipher) { return (present, true) }
    for identity in identities.dropFirst() {
      let earlier = try secret(of: key, identity)
      if try table.hasSealing(under: earlier, cipher) { return (earlier, false) }
    }
    return (present, true)
  }

  private func secret(
    of key: Secret, _ identity: [UInt8]
  ) throws(SecretStoreError) -> Secret {
    try cipher.deriveKey(from: key, salt: identity[...], purpose: "locket device")
  }

  private func material() throws(SecretStoreError) -> (key: Secret, identities: [[UInt8]])? {
    guard let status = try system({ () throws(SystemError) in try fileSystem.status(of: keyPath) })
    else { return nil }
    try checkPrivacy(status, of: keyPath)
    let key: Secret
    let identities: [[UInt8]]
    do throws(SystemError) {
      let file = try fileSystem.open(keyPath, O_RDONLY | O_NOFOLLOW)
      key = Secret(try file.read(from: 0, count: Self.keyCount + 1))
      identities = try machineIdentities()
    } catch {
      throw SecretStoreError(error)
    }
    guard key.count == Self.keyCount else {
      throw .corrupted("The device key at \(keyPath) is \(key.count) bytes long, not 32")
    }
    return (key, identities)
  }

  /// Makes the device key if there is none, and returns it like ``secret()``.
  func makeSecret() throws(SecretStoreError) -> Secret {
    do throws(SystemError) {
      try fileSystem.makeDirectories(directory)
      let lock = try FileLock(at: "\(keyPath).lock", in: fileSystem)
      defer { withExtendedLifetime(lock) {} }
      if try fileSystem.status(of: keyPath) == nil {
        try fileSystem.removeLeftovers(of: keyPath, holding: lock)
        try fileSystem.replaceFile(at: keyPath, with: [UInt8].random(Self.keyCount), mode: 0o600)
      }
    } catch {
      throw SecretStoreError(error)
    }
    guard let secret = try secret() else {
      throw .unavailable("The device key at \(keyPath) vanished while it was being made.")
    }
    return secret
  }

  /// The machine's identity, and after it those that it may have had earlier.
  ///
  /// An empty one stands for none: then only the key file tells machines apart. Before a machine's first
  /// boot is over, machine-id(5) is missing or says that it is not initialized yet.
  private func machineIdentities() throws(SystemError) -> [[UInt8]] {
    let uninitialized = Array("uninitialized\n".utf8)
    var present: [UInt8] = []
    do {
      present = try fileSystem.open(machineIdentity, O_RDONLY).read(from: 0, count: 256)
    } catch {
      if error.code != ENOENT { throw error }
    }
    let isNone = present.isEmpty || present == uninitialized || present == uninitialized.dropLast()
    // Earlier versions took the word for an identity.
    return isNone ? [[], uninitialized] : [present, [], uninitialized]
  }
}

extension DeviceState {
  // How far this machine has seen a vault. The file is written at each change of the vault, without
  // waiting for the disk: after a power cut it may be behind the vault, never ahead of it.
  private static let magic = Array("LocketS\n".utf8)
  private static let count = 80

  private func path(of vaultID: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let name = vaultID.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return "\(directory)/\(String(decoding: name, as: UTF8.self)).state"
  }

  /// The newest record of a vault that this machine has seen; nil when it never saw one.
  ///
  /// A file that was never written completely says nothing, as does one that was removed.
  func remembered(of vaultID: [UInt8]) throws(SecretStoreError) -> ChainHead? {
    let path = path(of: vaultID)
    guard let status = try system({ () throws(SystemError) in try fileSystem.status(of: path) })
    else { return nil }
    try checkPrivacy(status, of: path)
    let content = try system { () throws(SystemError) in
      let file = try fileSystem.open(path, O_RDONLY | O_NOFOLLOW)
      try file.lock()
      return try file.read(from: 0, count: Self.count)
    }
    return try decode(content)
  }

  /// Remembers a record, unless a newer one is remembered already.
  func remember(
    _ head: ChainHead, of vaultID: [UInt8], evenIfOlder: Bool = false
  ) throws(SecretStoreError) {
    let content = try encode(head)
    let file = try system { () throws(SystemError) in
      let path = path(of: vaultID)
      let file = try fileSystem.makingDirectories(for: path) { () throws(SystemError) in
        try fileSystem.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
      }
      try file.lock()
      return file
    }
    let bytes = try system { () throws(SystemError) in try file.read(from: 0, count: Self.count) }
    if !evenIfOlder, let known = try decode(bytes), known.sequence >= head.sequence { return }
    try system { () throws(SystemError) in try file.write(content, at: 0) }
  }

  private func encode(_ head: ChainHead) throws(SecretStoreError) -> [UInt8] {
    var bytes = Self.magic
    bytes.append(littleEndian: head.sequence)
    bytes += head.digest
    bytes.append(head.subject.name)
    return bytes + (try cipher.digest(bytes[...])[..<16])
  }

  private func decode(_ bytes: [UInt8]) throws(SecretStoreError) -> ChainHead? {
    guard bytes.count == Self.count, bytes.starts(with: Self.magic),
      try cipher.digest(bytes[..<64])[..<16] == bytes[64...]
    else { return nil }
    do throws(MalformedRecord) {
      var reader = RecordReader(bytes[8...])
      return ChainHead(
        sequence: try reader.integer(), digest: try reader.bytes(32),
        subject: RecordSubject(name: try reader.itemID()))
    } catch {
      fatalError("The state of a vault is shorter than it is: \(bytes.count) bytes.")
    }
  }
}
