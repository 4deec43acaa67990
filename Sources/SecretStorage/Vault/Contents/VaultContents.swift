import Concurrency

/// The state of a vault in memory: its keys, its items and its damage.
struct VaultContents: Sendable {
  let cipher: any SecretCipher

  var position: LogPosition?
  var keys = VaultKeys()
  var chain = VaultChain()
  var index = VaultIndex()
  var damage = VaultDamage()
  /// The number of key tables in the log, including those that are not valid.
  var tableCount = 0
  /// The number of records whose attributes are sealed under a key that was never in memory.
  var sealedRecordCount = 0
  /// The number of records with one item, which take longer to open than blocks of items.
  var singleItemRecordCount = 0
  /// The number of times that the index was rebuilt.
  var indexGeneration: UInt64 = 0
  /// The number of changes in this process.
  var generation: UInt64 = 0
  var notifiedGeneration: UInt64 = 0
  /// The identifier of the vault recorded for the log's path; nil if none is recorded or loaded.
  var recordedVaultID: [UInt8]?
  /// This machine's record of the vault; nil if there is none or it is not loaded yet.
  var remembered: RememberedVault?
  /// The newest record that the log must contain according to this machine or this object.
  var expected: ChainHead?
  /// The sequence of the first record of the log that had the expected one; nil if unknown.
  var expectedStart: UInt64?
  /// The start that a key table of an older log states; nil if there is no such table.
  var outdatedStart: UInt64?
  var seen: SeenVault?
  /// The sequence number up to which this machine has recorded the log or need not do so.
  var lastRemembered: UInt64 = 0
  /// Whether the log was just replaced by a process that remembers it next.
  var isJustReplaced = false
  /// The error for a missing vault that the next write replaces with a new one.
  var missingVaultError: SecretStoreError?
  var interruptedWrite: InterruptedWrite?
  /// The errors that were already reported to the app.
  var reported: Set<SecretStoreError> = []
  /// Whether the log has a different record with the sequence number of the expected one.
  var isForked = false
  /// Whether the log has the expected record, and no damage before it.
  var hasExpected = false
  /// Whether the end of the log is missing, according to its key table.
  var isCutOff = false
  /// The keys of opened secrets, each with the salt and the class key for its derivation.
  var recordKeys: [SecretItem.ID: (salt: [UInt8], classKey: UInt32, key: Secret)] = [:]
  var idle: IdlePeriod?
  /// The number of times that the app locked the vault.
  var lockCount: UInt64 = 0
  var compaction = BackgroundCompaction()
  /// The reason why the content cannot be trusted; nil if it can be.
  var trustError: SecretStoreError?

  init(cipher: any SecretCipher) {
    self.cipher = cipher
  }

  /// Creates empty contents in a forked child, locked even if an unattended key is available.
  init(inForkedChild cipher: any SecretCipher) {
    self.init(cipher: cipher)
    keys.isLockedByApp = true
    // Revisions that the parent process returned do not repeat.
    generation = UInt64(Fork.generation) << 48
  }

  /// Discards everything read from the log, except the keys and `seen`.
  mutating func reset() {
    var fresh = VaultContents(cipher: cipher)
    fresh.indexGeneration = indexGeneration + 1
    fresh.generation = generation
    fresh.notifiedGeneration = notifiedGeneration
    fresh.keys = keys
    fresh.keys.table = nil
    fresh.keys.isCandidate = false
    fresh.keys.isDetached = false
    fresh.keys.isUnrecognized = false
    fresh.recordKeys = recordKeys
    fresh.idle = idle
    fresh.lockCount = lockCount
    fresh.compaction = compaction
    fresh.reported = reported
    fresh.seen = seen
    self = fresh
  }
}

extension VaultContents {
  /// Whether the log may have items that no key in memory shows.
  var mayHaveMore: Bool { sealedRecordCount > 0 || keys.isCandidate }

  /// Throws unless the vault is trusted, unlocked, complete and undamaged.
  func checkComplete() throws(SecretStoreError) {
    if let trustError { throw trustError }
    if !keys.isUnlocked || mayHaveMore { throw keys.lockReason }
    try checkTrust()
  }

  /// Throws unless the vault is trusted and undamaged.
  func checkTrust() throws(SecretStoreError) {
    if let trustError { throw trustError }
    if damage.isEmpty { return }
    throw .corrupted(
      "The vault must be repaired with repair() first; damaged: \(damage.description)")
  }

  /// Applies the entries of a log.
  ///
  /// Without `device`, the keys and records of this machine are not used.
  mutating func apply(
    _ changes: LogChanges, _ device: DeviceState?
  ) throws(SecretStoreError) {
    if changes.isReset { index.reserveCapacity(for: changes.entries) }
    for (nextIndex, entry) in zip(1..., changes.entries) where !damage.isExhausted {
      switch entry {
      case .damaged(let place, let end):
        if changes.isReset, try isUnacknowledged(behind: changes.entries[nextIndex...]) {
          interruptedWrite = InterruptedWrite(place: "\(place) and beyond", isTorn: false)
          position = end
          return
        }
        damage.recordLoss(place)
      case .record(let record):
        if record.payload.first == RecordHeader.Kind.keys.rawValue { tableCount += 1 }
        // Errors of the machine's own files are not damage to the vault.
        var next = keys.table == nil ? try prepared(for: record, device) : nil
        do {
          if next == nil { try apply(record, device) } else { try next?.apply(record, device) }
          if let next { self = next }
        } catch {
          // The record's bytes are intact, but this vault's keys did not seal them.
          guard case .corrupted(let what) = error else { throw error }
          damage.recordLoss("record \(chain.recordCount + 1) of the vault: \(what)")
        }
      }
    }
    position = changes.position
  }

  /// Loads this machine's state of the vault if the record is the log's first key table.
  private func prepared(
    for record: LogRecord, _ device: DeviceState?
  ) throws(SecretStoreError) -> VaultContents {
    guard tableCount <= KeyTableRecord.countLimit,
      let read = KeyTableRecord.ifTable(record.payload)
    else { return self }
    var prepared = self
    if let device {
      prepared.remembered = try device.remembered(of: read.table.vaultID)
      prepared.expectNewest(of: read.table.vaultID)
    }
    if prepared.isOutdated(read) { return prepared }
    if prepared.keys.adapt(to: read.table) { prepared.recordKeys = [:] }
    if let device { try prepared.loadDeviceSecret(device, for: read.table) }
    return prepared
  }

  /// Whether a key table belongs to an older log than this machine or this object has seen.
  private func isOutdated(_ read: KeyTableRecord) -> Bool {
    if let expectedStart { read.logStart < expectedStart } else { false }
  }

  /// Loads this machine's secret for a log's first key table, unless it is in memory.
  private mutating func loadDeviceSecret(
    _ device: DeviceState, for table: KeyTable
  ) throws(SecretStoreError) {
    if keys.ring.device != nil, !keys.isDeviceOutdated { return }
    let found = try device.secret(for: table)
    keys.ring.device = found?.secret
    keys.isDeviceOutdated = found?.isOfCurrentIdentity == false
  }

  private mutating func apply(
    _ record: LogRecord, _ device: DeviceState?
  ) throws(SecretStoreError) {
    let header: RecordHeader
    var table: KeyTableRecord?
    var attributesKey: UInt32 = 0
    do throws(MalformedRecord) {
      var reader = RecordReader(record.payload)
      header = try RecordHeader(&reader)
      switch header.kind {
      case .keys: table = try KeyTableRecord(record.payload)
      case .items: attributesKey = try VaultSealer.attributesKey(of: record.payload)
      }
    } catch {
      throw .corrupted("A record is malformed")
    }
    if chain.recordCount > 0, header.sequence <= chain.head.sequence {
      throw .corrupted("Its sequence number \(header.sequence) follows \(chain.head.sequence)")
    }
    var content = ItemsRecord()
    if let table {
      if tableCount > KeyTableRecord.countLimit {
        throw .corrupted("More than \(KeyTableRecord.countLimit) key tables are not allowed")
      }
      try adopt(table, device)
      content.previousSubject = table.previousSubject
      chain.start = chain.start ?? table.logStart
    } else if let table = keys.table, !keys.isCandidate,
      let key = keys.ring.attributesKey(attributesKey)
    {
      content = try table.sealer(cipher).openItems(record, with: key)
    } else {
      guard let table = keys.table else { throw .corrupted("No key table precedes the items") }
      guard table.keys.contains(where: { $0.id == attributesKey }) else {
        throw .corrupted("It is sealed under a key that the vault does not have")
      }
      sealedRecordCount += 1
    }
    let followsLoss = !checkChain(header, previousSubject: content.previousSubject)
    for entry in content.entries { apply(entry, afterLoss: followsLoss) }
    if content.entries.count == 1 { singleItemRecordCount += 1 }
    if header.sequence == expected?.sequence {
      isForked = record.digest != expected?.digest
      hasExpected = !isForked && damage.isEmpty
      if !isForked { damage.markProven() }
    }
    chain.extend(
      by: record, sequence: header.sequence, table == nil ? content.subject : .keys)
  }

  mutating func adopt(_ draft: VaultDraft, _ position: LogPosition) {
    generation += 1
    self.position = position
    // The app may have locked the vault meanwhile; then the draft has keys that must be discarded.
    if keys.isLockedByApp == draft.keys.isLockedByApp {
      keys = draft.keys
    } else {
      keys.table = draft.keys.table
    }
    chain = draft.chain
    singleItemRecordCount += draft.singleItemRecordCount
    for entry in draft.entries { apply(entry) }
    recordSeen()
    // The writer updates the machine's state next.
    if var vault = RememberedVault(chain, keys) {
      vault.keys = nil
      recordDurable(vault, isRemembered: false)
    }
  }

  /// Applies an entry to the items, unless it is ambiguous because the record before it is lost.
  mutating func apply(_ entry: ItemEntry, afterLoss followsLoss: Bool = false) {
    switch entry {
    case .put(let item):
      if !damage.isEmpty { damage.resolve(item.id) }
      index.put(item)
    case .remove(let id, let revision):
      let current = index[id]?.revision
      // The lost record may have moved the item to another attributes key.
      if followsLoss, current == revision, damage[id] != nil { return }
      if !damage.isEmpty { damage.resolve(id) }
      // A revision later than the current one is from a lost record.
      if let current, revision >= current { index.remove(id) }
    }
  }

  /// Records a gap if records before this one are missing; returns whether there is no gap.
  private mutating func checkChain(
    _ header: RecordHeader, previousSubject: RecordSubject?
  ) -> Bool {
    let head = chain.head
    let isFirst = head == .none
    let expected = isFirst ? chain.start ?? header.sequence : head.sequence + 1
    if header.sequence == expected, isFirst || header.previousDigest == head.digest {
      // The lost bytes were not a record but the file header.
      damage.clearLoss()
      return true
    }
    // Each file begins with two copies of the key table.
    let (second, didOverflow) = (chain.start ?? header.sequence).addingReportingOverflow(1)
    if !didOverflow, expected <= second, header.sequence == expected &+ 1,
      previousSubject ?? .keys == .keys
    {
      damage.recordMissingTable(before: header.sequence)
    } else {
      damage.recordGap(before: header.sequence)
    }
    return false
  }

  mutating func adopt(
    _ read: KeyTableRecord, _ device: DeviceState?
  ) throws(SecretStoreError) {
    if isOutdated(read) {
      // It is not opened, because keys may open it that no longer open the vault.
      outdatedStart = read.logStart
      keys.table = keys.table ?? read.table
      return
    }
    if let table = keys.table, table.vaultID != read.table.vaultID {
      throw .corrupted("A key table belongs to another vault")
    }
    if let table = keys.table, table.fileKeys != read.table.fileKeys {
      // The user key changes only with the whole file.
      throw .corrupted("A key table is sealed under another user key")
    }
    if let start = chain.start, start != read.logStart {
      // A file that continues an older copy would otherwise open with the slots of that copy.
      throw .corrupted("A key table belongs to another file of the vault")
    }
    try keys.adopt(read, from: device, remembered: remembered, cipher)
  }
}
