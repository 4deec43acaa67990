import CLibrary
import Concurrency
import StorageInternals

// Recording the newest state of each vault. The record is written after each change, but flushed
// only before a process's first write to a log. After a power failure, it may therefore be older
// than the vault, but not newer or of another log.
extension DeviceState {
  private static let magic = Array("LocketS\n".utf8)
  // The sizes of the file without and with the properties of the keys, in bytes.
  private static let (headSize, size) = (112, 160)

  /// Returns this machine's record of a vault; nil if there is no complete record.
  func remembered(of vaultID: [UInt8]) throws(SecretStoreError) -> RememberedVault? {
    guard let file = try fileSystem.openPrivate(path(of: vaultID, "state")) else { return nil }
    var vault: RememberedVault?
    // No lock is acquired, because the process that holds it may be stopped.
    for _ in 0..<5 {
      let content = try mapErrors(file.read(from: 0, count: Self.size))
      vault = try decode(content, of: vaultID)
      if let vault, vault.keys != nil || content.count < Self.size { return vault }
      // A concurrent write, which takes less than a millisecond, may have been read partially.
      usleep(1000)
    }
    return vault
  }

  /// Records the state of a vault unless a newer one is recorded; flushes a log's first state.
  ///
  /// With `evenIfOlder`, which accepts a rollback, the state replaces a newer state too. Without
  /// `waiting`, the result is false if the file is locked; otherwise, directories are created, and
  /// `busy` is thrown after `lockTimeout`, but without `evenIfOlder` after at most a second.
  @discardableResult
  func remember(
    _ vault: RememberedVault, evenIfOlder: Bool = false, waiting: Bool = true
  ) throws(SecretStoreError) -> Bool {
    let path = path(of: vault.vaultID, "state")
    guard
      let file = try waiting ? openOrCreate(path) : fileSystem.openPrivate(path, O_RDWR | O_CREAT)
    else { throw .unavailable("The directory \(directory) does not exist.") }
    // The file is usually not locked, and queueing for its lock is expensive.
    var lock: FileLock?
    if try mapErrors(!file.lockIfFree()) {
      if !waiting { return false }
      let limit = evenIfOlder ? lockTimeout.duration : min(lockTimeout.duration, .seconds(1))
      lock = try mapErrors(FileLock(at: path, in: fileSystem, timeout: limit))
    }
    defer {
      // Closing the file would not unlock it while a child that is being forked has it open.
      file.unlock()
      withExtendedLifetime(lock) {}
    }
    // A process that only reads need not flush a record that another process has written.
    let isFlushed = flushed.withLock { $0.logStarts[vault.vaultID] } == vault.logStart
    let mustFlush = evenIfOlder || waiting && !isFlushed
    if try update(file, to: vault, evenIfOlder: evenIfOlder) || mustFlush {
      try mapErrors(file.synchronize())
      try mapErrors(fileSystem.synchronizeDirectory(directory))
      flushed.withLock { $0.logStarts[vault.vaultID] = vault.logStart }
    }
    return true
  }

  /// Updates the file, which the caller has locked; returns whether it had no record of this log.
  private func update(
    _ file: borrowing File, to vault: RememberedVault, evenIfOlder: Bool
  ) throws(SecretStoreError) -> Bool {
    let recorded = try decode(mapErrors(file.read(from: 0, count: Self.size)), of: vault.vaultID)
    var vault = vault
    vault.keepKeys(of: recorded)
    if !evenIfOlder, let recorded {
      let isNew = recorded.head.sequence < vault.head.sequence
      if !isNew, recorded.head.sequence > vault.head.sequence || recorded.keys == vault.keys {
        return false
      }
    }
    let content = try encode(vault)
    try mapErrors(file.write(content, at: 0))
    return recorded.map { $0.head.sequence < vault.logStart } ?? true
  }

  private func encode(_ vault: RememberedVault) throws(SecretStoreError) -> [UInt8] {
    let head = vault.head
    var bytes = Self.magic
    bytes.append(littleEndian: head.sequence)
    bytes += head.digest
    bytes.append(head.subject.id)
    bytes += head.previousDigest
    bytes += try checksum(of: bytes)
    guard let keys = vault.keys else { return bytes }
    bytes.append(littleEndian: keys.slotTypes)
    bytes += keys.generation
    bytes.append(littleEndian: vault.logStart)
    return try bytes + checksum(of: bytes)
  }

  private func decode(
    _ bytes: [UInt8], of vaultID: [UInt8]
  ) throws(SecretStoreError) -> RememberedVault? {
    guard bytes.starts(with: Self.magic), try isComplete(bytes, upTo: Self.headSize) else {
      return nil
    }
    let hasKeys = try isComplete(bytes, upTo: Self.size)
    do throws(SecretStoreError) {
      var reader = RecordReader(bytes[Self.magic.count...])
      let sequence: UInt64 = try reader.integer()
      guard RecordHeader.sequences.contains(sequence) else { return nil }
      let head = ChainHead(
        sequence: sequence, digest: try reader.bytes(32),
        subject: RecordSubject(id: try reader.itemID()), previousDigest: try reader.bytes(32))
      var vault = RememberedVault(vaultID: vaultID, head: head)
      guard hasKeys else { return vault }
      reader = RecordReader(bytes[Self.headSize...])
      vault.keys = .init(
        slotTypes: try reader.integer(),
        generation: Array(try reader.bytes(TableKey.fingerprintSize)))
      vault.logStart = try reader.integer()
      return vault
    } catch {
      fatalError("A vault state of \(bytes.count) bytes with valid checksums cannot be decoded.")
    }
  }

  /// Returns whether there are `count` bytes, which end with the 16-byte checksum of the others.
  private func isComplete(_ bytes: [UInt8], upTo count: Int) throws(SecretStoreError) -> Bool {
    guard bytes.count >= count else { return false }
    return try checksum(of: bytes[..<(count - 16)]) == bytes[(count - 16)..<count]
  }
}

/// This machine's record of a vault: its newest log record, and properties of its key table.
struct RememberedVault: Hashable, Sendable {
  /// The properties of the newest key table that a later table is checked against.
  struct Keys: Hashable, Sendable {
    /// The types of the slots as a bit set; bit 63 represents all types from 63.
    let slotTypes: UInt64
    /// The fingerprint of the generation of keys; all zeros if it is unknown.
    let generation: [UInt8]

    static let noGeneration = [UInt8](repeating: 0, count: TableKey.fingerprintSize)
  }

  let vaultID: [UInt8]
  /// The sequence number of the log's first record, which is stored with `keys`; 0 if unknown.
  var logStart: UInt64 = 0
  var head: ChainHead
  /// The properties of the key table; nil if it was not authenticated.
  var keys: Keys?
}

extension RememberedVault {
  mutating func keepKeys(of earlier: RememberedVault?) {
    guard keys == nil, let earlier, earlier.keys != nil else { return }
    (keys, logStart) = (earlier.keys, max(earlier.logStart, logStart))
  }

  init?(_ chain: VaultChain, _ keys: VaultKeys) {
    guard let table = keys.table else { return nil }
    vaultID = table.vaultID
    logStart = chain.start ?? 0
    head = chain.head
    self.keys = Keys(
      slotTypes: table.slotTypes, generation: keys.fingerprint ?? Keys.noGeneration)
  }
}

extension KeyTable {
  /// The slot types of a vault that only has device slots.
  static let deviceSlotType: UInt64 = 1 << 1

  var slotTypes: UInt64 { slots.reduce(0) { $0 | 1 << UInt64(min($1.kind.code, 63)) } }
}
