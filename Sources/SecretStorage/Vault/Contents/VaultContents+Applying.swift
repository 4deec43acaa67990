// The application of the records of a log, in their order.
extension VaultContents {
  /// Applies entries; without `device`, the keys and records of this machine are not used.
  mutating func apply(_ changes: LogChanges, _ device: DeviceState?) throws(SecretStoreError) {
    if changes.isReset { index.reserveCapacity(for: changes.entries) }
    for (nextIndex, entry) in zip(1..., changes.entries) where !damage.isExhausted {
      switch entry {
      case .damaged(let place, let end):
        if changes.isReset, try isUnacknowledged(behind: changes.entries[nextIndex...]) {
          interruptedWrite = LogChanges.Tail(
            place: "\(place) and beyond", isTorn: false, isUnwritten: false)
          position = end
          return
        }
        damage.recordLoss(place)
      case .record(let record):
        if record.payload.first == RecordHeader.Kind.keys.rawValue { tableCount += 1 }
        let table = KeyTableRecord.ifTable(record.payload, cipher)
        let earlier = keys.table == nil ? (keys, session.seen) : nil
        // Errors of the machine's own files are not damage to the vault.
        if keys.table == nil, tableCount <= KeyTableRecord.countLimit, let table {
          try prepare(for: table, device)
        }
        do {
          try apply(record, table, device)
        } catch .corrupted(let what) {
          // The record's bytes are intact, but this vault's keys did not seal them.
          if let earlier { (keys, session.seen) = earlier }
          damage.recordLoss("record \(chain.recordCount + 1) of the vault: \(what)")
        }
      }
    }
    position = changes.position
  }

  /// Loads this machine's state of the vault of the log's first key table.
  private mutating func prepare(
    for read: KeyTableRecord, _ device: DeviceState?
  ) throws(SecretStoreError) {
    if let device { try session.seen.load(read.table.vaultID, from: device) }
    if isOutdated(read) { return }
    keys.adapt(to: read.table)
    // The secret may be in memory.
    guard let device, keys.ring.device == nil || keys.isDeviceOutdated else { return }
    let found = try device.secret(for: read.table)
    keys.ring.device = found?.secret
    keys.isDeviceOutdated = found?.isOfCurrentIdentity == false
  }

  /// Returns whether a key table belongs to an older log than this machine or this object has seen.
  private func isOutdated(_ read: KeyTableRecord) -> Bool {
    let expected = session.seen.expected(of: keys.table?.vaultID ?? read.table.vaultID)
    return read.logStart < expected?.logStart ?? 0
  }

  private mutating func apply(
    _ record: LogRecord, _ table: KeyTableRecord?, _ device: DeviceState?
  ) throws(SecretStoreError) {
    var reader = RecordReader(record.payload)
    let header = try RecordHeader(&reader)
    let attributesKey = VaultSealer.attributesKey(of: record.payload)
    let isWhole = header.kind == .keys ? table != nil : attributesKey != nil
    if !isWhole { throw .malformedRecord }
    if chain.recordCount > 0, header.sequence <= chain.head.sequence {
      throw .corrupted("Its sequence number \(header.sequence) follows \(chain.head.sequence)")
    }
    var entries: [ItemEntry] = []
    var previousSubject: RecordSubject?
    if let table {
      if tableCount > KeyTableRecord.countLimit {
        throw .corrupted("More than \(KeyTableRecord.countLimit) key tables are not allowed")
      }
      try adopt(table, device)
      previousSubject = table.previousSubject
      chain.start = chain.start ?? table.logStart
    } else if let table = keys.table, keys.standing != .candidate, let attributesKey,
      let key = keys.ring.attributesKey(attributesKey)
    {
      (entries, previousSubject) = try table.sealer.openItems(record, with: key)
    } else {
      guard keys.table?.keys.contains(where: { $0.id == attributesKey }) == true else {
        throw .corrupted("It is sealed under a key that no key table before it has")
      }
      sealedRecordCount += 1
    }
    let followsLoss = !checkChain(header, previousSubject: previousSubject)
    for entry in entries { apply(entry, afterLoss: followsLoss) }
    if let expected = expected?.head, expected.sequence == header.sequence {
      isDiverged = record.digest != expected.digest
      hasExpected = !isDiverged && damage.isEmpty
      if !isDiverged { damage.isProven = true }
    }
    chain.extend(
      by: record, sequence: header.sequence, table == nil ? RecordSubject(of: entries) : .keys)
  }

  mutating func adopt(_ draft: VaultDraft, _ position: LogPosition) {
    session.changeCount += 1
    self.position = position
    // The app may have locked the vault meanwhile; then the draft has keys that must be discarded.
    if keys.isLockedByApp == draft.composer.keys.isLockedByApp {
      keys = draft.composer.keys
    } else {
      keys.table = draft.composer.keys.table
    }
    chain = draft.composer.chain
    for entry in draft.entries { apply(entry) }
    recordSeen()
    // The writer updates the machine's state next.
    if let vault = draft.composer.result { session.seen.record(vault, isRecorded: false) }
  }

  /// Applies an entry, unless it is ambiguous because the record before it is lost.
  mutating func apply(_ entry: ItemEntry, afterLoss followsLoss: Bool = false) {
    switch entry {
    case .put(let item):
      damage.resolve(item.id)
      index.put(item)
    case .remove(let id, let revision):
      let current = index[id]?.revision
      // The lost record may have moved the item to another attributes key.
      if followsLoss, current == revision, damage[id] != nil { return }
      damage.resolve(id)
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
    let isSecond = expected <= (chain.start ?? header.sequence) + 1
    let onlyTable =
      isSecond && header.sequence == expected + 1 && previousSubject ?? .keys == .keys
    damage.recordGap(before: header.sequence, onlyTable: onlyTable)
    return false
  }

  /// Adopts a key table of the log; throws `corrupted` if it does not belong to this file.
  mutating func adopt(_ read: KeyTableRecord, _ device: DeviceState?) throws(SecretStoreError) {
    if isOutdated(read) {
      // It is not opened, because keys may open it that no longer open the vault.
      outdatedStart = read.logStart
      keys.table = keys.table ?? read.table
      return
    }
    // The user key changes only with the whole file. A file that continues an older copy must not
    // open with the slots of that copy.
    if let table = keys.table,
      table.vaultID != read.table.vaultID || table.fileKeys != read.table.fileKeys
        || chain.start ?? read.logStart != read.logStart
    {
      throw .corrupted("A key table belongs to another file, or is under another user key")
    }
    try keys.adopt(read, from: device, seen: session.seen)
  }
}
