/// What a process knows of a vault: its keys, its items, and what is damaged.
struct VaultContents: Sendable {
  let cipher: any SecretCipher

  var position: LogPosition?
  var keys = VaultKeys()
  var chain = VaultChain()
  var index = VaultIndex()
  var damage = VaultDamage()
  /// Records whose attributes need a key that was never in memory.
  var sealedRecords = 0
  /// Items in records of their own, which take longer to open than items in blocks.
  var singleCount = 0
  /// Counts the changes, in this process.
  var generation: UInt64 = 0
  /// The record that this machine had seen last when it read this log.
  var remembered: ChainHead?
  /// Whether the log has another record in the place of that one.
  var isForked = false
  /// The keys of secrets that were opened.
  var recordKeys: [SecretItem.ID: (revision: UInt64, key: Secret)] = [:]
  /// Whether a thread of this process compacts the vault now.
  var isBeingCompacted = false
  /// Why the content is not to be trusted at all.
  var distrust: SecretStoreError?

  init(cipher: any SecretCipher) {
    self.cipher = cipher
  }

  /// Forgets what was read, but not the keys.
  mutating func startOver() {
    var fresh = VaultContents(cipher: cipher)
    fresh.generation = generation
    fresh.keys = keys
    fresh.keys.table = nil
    fresh.recordKeys = recordKeys
    fresh.isBeingCompacted = isBeingCompacted
    self = fresh
  }
}

// Reading the log.
extension VaultContents {
  mutating func apply(
    _ changes: LogChanges, _ device: DeviceState
  ) throws(SecretStoreError) {
    if changes.startsOver { index.reserveCapacity(for: changes.entries) }
    for entry in changes.entries {
      switch entry {
      case .damaged(let place): damage.lost(place)
      case .record(let record):
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
    var content = RecordContent()
    if let table {
      try adopt(table, device)
      content.predecessor = table.predecessor
      chain.start = chain.start ?? table.logStart
    } else if let table = keys.table, let key = keys.ring[attributesKey] {
      content = RecordContent(
        try VaultRecord(vaultID: table.vaultID, cipher: cipher)
          .openItems(record.payload, with: key))
    } else {
      guard keys.table != nil else { throw .corrupted("No table of keys precedes the items") }
      sealedRecords += 1
    }
    checkChain(header, predecessor: content.predecessor)
    for entry in content.entries { apply(entry) }
    if content.entries.count == 1 { singleCount += 1 }
    if header.sequence == remembered?.sequence { isForked = record.digest != remembered?.digest }
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
    singleCount += draft.entries.count
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

  mutating func apply(_ entry: ItemEntry) {
    if !damage.isEmpty { damage.settle(entry.id) }
    switch entry {
    case .put(let item):
      index.put(item)
    case .remove(let id, let revision):
      if index[id]?.revision == revision { index.remove(id) }
    }
  }

  /// Finds out which records are missing between the last one and this one, and what they were of.
  private mutating func checkChain(_ header: RecordHeader, predecessor: RecordSubject?) {
    let head = chain.head
    let isFirst = head == .none
    let expected = isFirst ? chain.start ?? header.sequence : head.sequence + 1
    if header.sequence == expected, isFirst || header.predecessor == head.digest {
      // Whatever was lost was no record: the header of the file.
      damage.forgetLoss()
      return
    }
    let isOne = header.sequence == expected + 1
    damage.attribute(isOne ? predecessor : nil, among: index, before: header.sequence)
  }

  private mutating func adopt(
    _ read: VaultRecord.Keys, _ device: DeviceState
  ) throws(SecretStoreError) {
    if let table = keys.table, table.vaultID != read.table.vaultID {
      throw .corrupted("A table of keys is of another vault")
    }
    if keys.table == nil {
      remembered = try device.remembered(of: read.table.vaultID)
      if keys.ring.device == nil { keys.ring.device = try device.secret() }
    }
    if keys.ring.user == nil, !keys.isLockedByApp, let secret = keys.ring.device {
      for slot in read.table.slots where keys.ring.user == nil {
        keys.ring.user = try slot.open(withDevice: secret, in: read.table.vaultID, cipher)
      }
    }
    if let user = keys.ring.user, try !read.isAuthentic(user: user, cipher) {
      throw .corrupted("A table of keys is not authentic")
    }
    keys.table = read.table
    try keys.ring.open(read.table, cipher)
  }
}
