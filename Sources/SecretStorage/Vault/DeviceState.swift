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
  /// How long a writer waits for other processes.
  var lockTimeout = LockTimeout()

  private static let keyCount = 32
  var keyPath: String { "\(directory)/device.key" }

  /// The device's key, mixed with the machine's identity; nil when there is none yet.
  func secret() throws(SecretStoreError) -> Secret? {
    guard let (key, identities) = try material() else { return nil }
    return try secret(of: key, identities[0])
  }

  /// The device's key, mixed with the identity under which a table has something sealed, or with
  /// the present one if there is none; nil when there is no key yet.
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
  ///
  /// - Throws: ``SecretStoreError/busy(path:holder:)`` when another process is making it and does
  ///   not go on, or what kept it from being made.
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

  /// The machine's identity, and after it those that it may have had earlier.
  ///
  /// An empty one stands for none: then only the key file tells machines apart. Before a machine's
  /// first boot is over, machine-id(5) is missing or says that it is not initialized yet.
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
  // waiting for the disk, but for the first change of each log: after a power cut it may be behind
  // the vault, never ahead of it, and it knows the log.
  private static let magic = Array("LocketS\n".utf8)
  private static let headCount = 80
  private static let count = 128

  private func path(of vaultID: [UInt8]) -> String {
    path(of: vaultID, "state")
  }

  /// The path of a file that is named by bytes.
  func path(of name: [UInt8], _ suffix: String) -> String {
    let digits = Array("0123456789abcdef".utf8)
    let text = name.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return "\(directory)/\(String(decoding: text, as: UTF8.self)).\(suffix)"
  }

  /// The newest record of a vault that this machine has seen; nil when it never saw one.
  ///
  /// A file that was never written completely says nothing, as does one that was removed. It takes
  /// no lock, because its holder may be stopped.
  func remembered(of vaultID: [UInt8]) throws(SecretStoreError) -> ChainHead? {
    let path = path(of: vaultID)
    guard let status = try system({ () throws(SystemError) in try fileSystem.status(of: path) })
    else { return nil }
    try checkPrivacy(status, of: path)
    let file = try system { () throws(SystemError) in
      try fileSystem.open(path, O_RDONLY | O_NOFOLLOW)
    }
    for _ in 0..<5 {
      let content = try system { () throws(SystemError) in
        try file.read(from: 0, count: Self.count)
      }
      if let head = try decode(content) { return head }
      // It may have been read while it was being written, which takes less time than this.
      usleep(1000)
    }
    return nil
  }

  /// Remembers a record, unless a newer one is remembered already.
  ///
  /// What says for the first time that there is a log which begins with a record is on disk when
  /// this returns.
  ///
  /// - Throws: ``SecretStoreError/busy(path:holder:)`` when another process did not finish remembering,
  ///   after a second: unless it is a rollback that is accepted, it is about what is written already.
  func remember(
    _ head: ChainHead, ofLogFrom start: UInt64, of vaultID: [UInt8], evenIfOlder: Bool = false
  ) throws(SecretStoreError) {
    let content = try encode(head)
    let path = path(of: vaultID)
    let file = try system { () throws(SystemError) in
      try fileSystem.makingDirectories(for: path) { () throws(SystemError) in
        try fileSystem.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
      }
    }
    let limit = lockTimeout.duration
    let lock = try system { () throws(SystemError) -> FileLock? in
      // Almost always it is free, and waiting in line costs more than all the rest.
      if try file.lockIfFree() { return nil }
      return try FileLock(
        at: path, in: fileSystem, timeout: evenIfOlder ? limit : min(limit, .seconds(1)))
    }
    defer {
      // Closing would not do where a forked child has the file open.
      file.unlock()
      withExtendedLifetime(lock) {}
    }
    let bytes = try system { () throws(SystemError) in try file.read(from: 0, count: Self.count) }
    let known = try decode(bytes)
    if !evenIfOlder, let known, known.sequence >= head.sequence { return }
    try system { () throws(SystemError) in
      try file.write(content, at: 0)
      if let known, known.sequence >= start { return }
      try file.synchronize()
      try fileSystem.synchronizeDirectory(directory)
    }
  }

  /// Remembers the last record of a log, unless a newer one is remembered already.
  func remember(
    _ chain: VaultChain, of vaultID: [UInt8], evenIfOlder: Bool = false
  ) throws(SecretStoreError) {
    try remember(
      chain.head, ofLogFrom: chain.start ?? 0, of: vaultID, evenIfOlder: evenIfOlder)
  }

  private func encode(_ head: ChainHead) throws(SecretStoreError) -> [UInt8] {
    var bytes = Self.magic
    bytes.append(littleEndian: head.sequence)
    bytes += head.digest
    bytes.append(head.subject.name)
    bytes += try checksum(of: bytes)
    bytes += head.predecessor
    return try bytes + checksum(of: bytes)
  }

  private func decode(_ bytes: [UInt8]) throws(SecretStoreError) -> ChainHead? {
    guard bytes.count >= Self.headCount, bytes.starts(with: Self.magic),
      try checksum(of: bytes[..<64]) == bytes[64..<Self.headCount]
    else { return nil }
    // Earlier versions wrote no more than that, or left what was behind it as it was.
    var predecessor: ArraySlice<UInt8> = []
    if bytes.count == Self.count, try checksum(of: bytes[..<112]) == bytes[112...] {
      predecessor = bytes[Self.headCount..<112]
    }
    do throws(MalformedRecord) {
      var reader = RecordReader(bytes[8...])
      let sequence: UInt64 = try reader.integer()
      guard RecordHeader.sequences.contains(sequence) else { return nil }
      return ChainHead(
        sequence: sequence, digest: try reader.bytes(32),
        subject: RecordSubject(name: try reader.itemID()),
        predecessor: predecessor)
    } catch {
      fatalError("The state of a vault is shorter than it is: \(bytes.count) bytes.")
    }
  }

  /// What tells a file that was written completely.
  func checksum(of bytes: some Collection<UInt8>) throws(SecretStoreError) -> ArraySlice<UInt8> {
    try cipher.digest(Array(bytes)[...])[..<16]
  }
}
