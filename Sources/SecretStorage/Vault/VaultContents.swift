import Concurrency

/// What a process knows of a vault: its keys, its items, and what is damaged.
struct VaultContents: Sendable {
  let cipher: any SecretCipher

  var position: LogPosition?
  var keys = VaultKeys()
  var chain = VaultChain()
  var index = VaultIndex()
  var damage = VaultDamage()
  /// Items that are in the log but were overwritten by others of the same name, in their newest
  /// state.
  var overwritten: [ItemIdentity: VaultItem] = [:]
  /// Records whose attributes need a key that was never in memory.
  var sealedRecords = 0
  /// Items in records of their own, which take longer to open than items in blocks.
  var singleCount = 0
  /// Counts the changes, in this process.
  var generation: UInt64 = 0
  /// The generation that the observers were told of last.
  var announced: UInt64 = 0
  /// The vault that this machine knows at the log's place, as far as that was looked at.
  var notedVaultID: [UInt8]?
  /// The record that this machine had seen last when it read this log.
  var remembered: ChainHead?
  /// What a write that was interrupted has left at the log's end.
  var interruptedWrite: InterruptedWrite?
  /// The one of these that the app was told of.
  var reportedInterruption: InterruptedWrite?
  /// Whether the log has another record in the place of that one.
  var isForked = false
  /// The keys of secrets that were opened.
  var recordKeys: [SecretItem.ID: (revision: UInt64, classKey: UInt32, key: Secret)] = [:]
  /// How long the vault was not used, where that locks it.
  var idle: IdlePeriod?
  /// How often the app locked the vault.
  var lockings: UInt64 = 0
  var compaction = BackgroundCompaction()
  /// Why the content is not to be trusted at all.
  var distrust: SecretStoreError?

  init(cipher: any SecretCipher) {
    self.cipher = cipher
  }

  /// What a forked child begins with: nothing that its parent knew, and locked, whatever could open
  /// it.
  init(inForkedChild cipher: any SecretCipher) {
    self.init(cipher: cipher)
    keys.isLockedByApp = true
    // No revision that the parent gave out comes again.
    generation = UInt64(Fork.generation) << 48
  }

  /// Forgets what was read, but not the keys.
  mutating func startOver() {
    var fresh = VaultContents(cipher: cipher)
    fresh.generation = generation
    fresh.announced = announced
    fresh.keys = keys
    fresh.keys.table = nil
    fresh.recordKeys = recordKeys
    fresh.idle = idle
    fresh.lockings = lockings
    fresh.compaction = compaction
    fresh.reportedInterruption = reportedInterruption
    self = fresh
  }
}

extension VaultContents {
  /// - Throws: Why this is not the whole of a sound vault that is unlocked.
  func checkWhole() throws(SecretStoreError) {
    if let distrust { throw distrust }
    if !keys.isUnlocked || sealedRecords > 0 { throw keys.lockReason }
    let found = damage.places + overwrittenDescriptions
    guard found.isEmpty else {
      throw .corrupted(
        "The vault has to be repaired first, by repair(); damaged: \(found.joined(separator: ", "))"
      )
    }
  }
}

// Reading the log.
extension VaultContents {
  mutating func apply(
    _ changes: LogChanges, _ device: DeviceState
  ) throws(SecretStoreError) {
    if changes.startsOver { index.reserveCapacity(for: changes.entries) }
    for (number, entry) in zip(1..., changes.entries) {
      switch entry {
      case .damaged(let place, let end):
        if changes.startsOver, try isUnacknowledged(behind: changes.entries[number...]) {
          interruptedWrite = InterruptedWrite(place: "\(place) and beyond", isTorn: false)
          position = end
          return
        }
        damage.lost(place)
      case .record(let record):
        if keys.table == nil { try askDevice(device, about: record) }
        do {
          try apply(record, device)
        } catch {
          // A record that is intact as bytes but is not what this vault's keys sealed.
          guard case .corrupted(let what) = error else { throw error }
          damage.lost("record \(chain.recordCount + 1) of the vault: \(what)")
        }
      }
    }
    position = changes.position
  }

  /// Gets what this machine has for the vault that a log's first table of keys names.
  ///
  /// What is wrong with the machine's own files is no damage of the vault.
  private mutating func askDevice(
    _ device: DeviceState, about record: LogRecord
  ) throws(SecretStoreError) {
    let table: KeyTable
    do throws(MalformedRecord) {
      var reader = RecordReader(record.payload)
      guard try RecordHeader(&reader).kind == .keys else { return }
      table = try VaultRecord.Keys(record.payload).table
    } catch {
      // Who applies the record says so.
      return
    }
    if keys.adapt(to: table) { recordKeys = [:] }
    remembered = try device.remembered(of: table.vaultID)
    try findDevice(device, for: table)
  }

  private mutating func apply(
    _ record: LogRecord, _ device: DeviceState
  ) throws(SecretStoreError) {
    let header: RecordHeader
    var table: VaultRecord.Keys?
    var attributesKey: UInt32 = 0
    do throws(MalformedRecord) {
      var reader = RecordReader(record.payload)
      header = try RecordHeader(&reader)
      switch header.kind {
      case .keys: table = try VaultRecord.Keys(record.payload)
      case .items: attributesKey = try VaultRecord.attributesKey(of: record.payload)
      }
    } catch {
      throw .corrupted("A record is malformed")
    }
    if chain.recordCount > 0, header.sequence <= chain.head.sequence {
      throw .corrupted("It is number \(header.sequence) and follows \(chain.head.sequence)")
    }
    var content = RecordContent()
    if let table {
      try adopt(table, device)
      content.predecessor = table.predecessor
      chain.start = chain.start ?? table.logStart
    } else if let table = keys.table, let key = keys.ring.attributesKey(attributesKey) {
      content = RecordContent(
        try VaultRecord(vaultID: table.vaultID, cipher: cipher)
          .openItems(record.payload, with: key))
    } else {
      guard let table = keys.table else { throw .corrupted("No table of keys precedes the items") }
      guard table.keys.contains(where: { $0.id == attributesKey }) else {
        throw .corrupted("It is sealed under a key that the vault does not have")
      }
      sealedRecords += 1
    }
    let followsLoss = !checkChain(header, predecessor: content.predecessor)
    for entry in content.entries { apply(entry, afterLoss: followsLoss) }
    if content.entries.count == 1 { singleCount += 1 }
    if header.sequence == remembered?.sequence {
      isForked = record.digest != remembered?.digest
      if !isForked { damage.prove() }
    }
    chain.extend(
      by: record, sequence: header.sequence, table == nil ? content.subject : .keys)
  }

  /// Takes over what was appended.
  mutating func adopt(_ draft: VaultDraft, _ position: LogPosition) {
    generation += 1
    self.position = position
    // Meanwhile the app may have locked the vault, and then the draft has keys that are to go.
    if keys.isLockedByApp == draft.keys.isLockedByApp {
      keys = draft.keys
    } else {
      keys.table = draft.keys.table
    }
    chain = draft.chain
    singleCount += draft.singleCount
    for entry in draft.entries { apply(entry) }
  }

  /// What a record says, as far as it could be opened.
  private struct RecordContent {
    var entries: [ItemEntry] = []
    var predecessor: RecordSubject?

    init() {}

    init(_ items: VaultRecord.Items) {
      entries = items.entries
      predecessor = items.predecessor
    }

    var subject: RecordSubject { entries.count == 1 ? .item(entries[0].id) : .block }
  }

  /// Changes the items as an entry says, unless it is in doubt what the entry means because the
  /// record before it could not be read.
  mutating func apply(_ entry: ItemEntry, afterLoss followsLoss: Bool = false) {
    switch entry {
    case .put(let item):
      if !damage.isEmpty { damage.settle(item.id) }
      if let other = index.put(item) { overwritten[other.identity] = other }
      // An item that was added again is not missed any more.
      if !overwritten.isEmpty { overwritten[item.identity] = nil }
    case .remove(let id, let revision):
      let known = index[id]?.revision
      // This may as well say that the item went to another key of attributes, by the lost record.
      if followsLoss, known == revision, damage[id] != nil { return }
      if !damage.isEmpty { damage.settle(id) }
      // A later revision than the known one was of a lost record.
      if let known, revision >= known { index.remove(id) }
    }
  }

  /// Finds out which records are missing between the last one and this one, and what they were of.
  ///
  /// - Returns: Whether none is.
  private mutating func checkChain(
    _ header: RecordHeader, predecessor: RecordSubject?
  ) -> Bool {
    let head = chain.head
    let isFirst = head == .none
    let expected = isFirst ? chain.start ?? header.sequence : head.sequence + 1
    if header.sequence == expected, isFirst || header.predecessor == head.digest {
      // Whatever was lost was no record: the header of the file.
      damage.forgetLoss()
      return true
    }
    // Each file begins with two copies of the table.
    let (second, isOver) = (chain.start ?? header.sequence).addingReportingOverflow(1)
    if !isOver, expected <= second, header.sequence == expected &+ 1, predecessor ?? .keys == .keys
    {
      damage.missTable(before: header.sequence)
    } else {
      damage.openGap(before: header.sequence)
    }
    return false
  }

  private mutating func adopt(
    _ read: VaultRecord.Keys, _ device: DeviceState
  ) throws(SecretStoreError) {
    if let table = keys.table, table.vaultID != read.table.vaultID {
      throw .corrupted("A table of keys is of another vault")
    }
    if let table = keys.table, table.generation != read.table.generation {
      // The user key changes only with the whole file.
      throw .corrupted("A table of keys is of another user key")
    }
    if !keys.isLockedByApp, keys.ring.user == nil {
      try keys.openUnattended(read.table, device, cipher)
    }
    if let user = keys.ring.user, try !read.isAuthentic(user: user, cipher) {
      throw .corrupted("A table of keys is not authentic")
    }
    keys.table = read.table
    try keys.ring.open(read.table, cipher)
  }
}
