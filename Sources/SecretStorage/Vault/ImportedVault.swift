import StorageInternals

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// The file that an import reads: an export, or the vault of another machine.
struct ImportedVault {
  /// The items, with the keys that a passphrase gives.
  let contents: VaultContents

  /// Reads a file and opens it with a passphrase.
  init(
    _ path: String, passphrase: Secret, _ device: DeviceState, _ cipher: any SecretCipher
  ) throws(SecretStoreError) {
    let log = FileRecordLog(path: path, cipher: cipher, fileSystem: device.fileSystem)
    let changes = try log.wholeFile()
    guard let table = Self.newestTable(in: changes) else {
      throw .corrupted("\(path) has no intact table of keys")
    }
    guard table.hasPassphrase else {
      throw .invalid(
        "\(path) has no key slot for a passphrase, so it opens on its own device alone")
    }
    var contents = VaultContents(cipher: cipher)
    _ = contents.keys.ring.adapt(to: table)
    contents.keys.ring.user = try table.open(with: .passphrase(passphrase), cipher)
    try contents.apply(changes, device)
    try Self.check(contents, changes.tail, path)
    self.contents = contents
  }

  /// Refuses a file of which anything may be missing.
  private static func check(
    _ contents: VaultContents, _ tail: LogChanges.Tail?, _ path: String
  ) throws(SecretStoreError) {
    var damage = contents.damage.places
    // A frame's beginning is what an interrupted write leaves, which was not acknowledged.
    if let tail, !tail.isTorn { damage.append(tail.place) }
    if let interrupted = contents.interruptedWrite { damage.append(interrupted.place) }
    let last = contents.chain.head.sequence
    if let end = contents.keys.table?.exportEnd, last < end {
      damage.append("the end, of which records \(last + 1)...\(end) are missing")
    }
    if !damage.isEmpty {
      throw .corrupted(
        """
        Nothing is imported from \(path), because it is damaged: \(damage.joined(separator: ", "))
        """)
    }
    if contents.sealedRecords > 0 { throw .newerFormat(path) }
  }

  private static func newestTable(in changes: LogChanges) -> KeyTable? {
    for case .record(let record) in changes.entries.reversed() {
      do throws(MalformedRecord) {
        var reader = RecordReader(record.payload)
        guard try RecordHeader(&reader).kind == .keys else { continue }
        return try VaultRecord.Keys(record.payload).table
      } catch {
        // Who applies the record finds it damaged.
      }
    }
    return nil
  }
}

extension FileRecordLog {
  /// Everything in a file that is only read, and may be anybody's: what it says is believed only as
  /// far as a passphrase proves it.
  fileprivate func wholeFile() throws(SecretStoreError) -> LogChanges {
    // Non-blocking, because a FIFO would let the caller wait for ever.
    let file = try system { () throws(SystemError) in
      try fileSystem.open(path, O_RDONLY | O_NONBLOCK)
    }
    let status = try system { () throws(SystemError) in try file.status() }
    guard status.isRegularFile else { throw .insecure(path: path, reason: "is not a regular file") }
    guard status.size <= sizeLimit else {
      throw .invalid("\(path) has \(status.size) bytes, more than a vault: it is no export")
    }
    return try read(file, status, since: nil)
  }
}
