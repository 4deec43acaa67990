extension VaultContents {
  var revision: StoreRevision { StoreRevision(generation) }

  /// Reads the records that any process appended since the last call.
  mutating func refresh(from parts: VaultLocation) throws(SecretStoreError) {
    defer { beginIdlePeriod() }
    // Another process may have accepted a distrusted log, which does not change the log.
    var moved: VaultContents?
    let changes = try parts.log.changes(since: distrust == nil ? position : nil) {
      record throws(SecretStoreError) in
      moved = try self.moved(to: record, parts.device)
      return moved != nil
    }
    if !changes.startsOver, changes.position == position { return }
    if changes.continuation != nil, moved != nil {
      swap(&self, &moved!)
      // Otherwise the first change would copy the index.
      moved = nil
    }
    do {
      try adopt(changes, parts)
    } catch {
      // The changes are only partly applied, so the log must be read again.
      startOver()
      throw error
    }
  }

  private mutating func adopt(
    _ changes: LogChanges, _ parts: VaultLocation
  ) throws(SecretStoreError) {
    generation += 1
    if changes.startsOver { startOver() }
    let damagedBefore = damage.places.count
    try apply(changes, parts.device)
    if changes.position == .nowhere {
      try judgeAbsence(parts)
    } else if changes.startsOver || changes.continuation != nil {
      try judge(interruptedWrite == nil ? changes.tail : nil, parts)
    } else if damage.places.count > damagedBefore || changes.tail != nil || distrust != nil {
      // Records read earlier may have been cut off meanwhile, which only the whole log shows.
      startOver()
      try refresh(from: parts)
    } else {
      // A later write replaced the remains, or completed them.
      interruptedWrite = nil
    }
    noteSeen()
  }

  /// Returns the contents in a log that replaced the present one; nil if the log must be read.
  ///
  /// The record's table must state, authenticated by the user key, that the items up to it are
  /// those that were read.
  private func moved(
    to record: LogRecord, _ device: DeviceState
  ) throws(SecretStoreError) -> VaultContents? {
    // Secrets in the replaced log would keep it on the disk.
    guard isWhole, !index.hasStoredSecrets, let user = keys.ring.user, let read = KeyTableRecord.ifTable(record.payload),
      read.table.replaced == ReplacedHead(chain.head), read.table.vaultID == keys.table?.vaultID,
      try read.isAuthentic(user: user, cipher)
    else { return nil }
    var moved = self
    do throws(SecretStoreError) {
      try moved.adopt(read, device)
    } catch {
      guard case .corrupted = error else { throw error }
      return nil
    }
    moved.chain.move(to: read, record, byteCount: index.byteCount)
    moved.singleCount = 0
    moved.remembered = try device.remembered(of: read.table.vaultID)
    moved.expectNewest(of: read.table.vaultID)
    // The process that replaced the log remembers it: a get must not wait for the disk.
    if let vault = RememberedVault(moved.chain, moved.keys) {
      moved.note(vault, isRemembered: false)
    }
    let head = moved.chain.head
    guard let expected = moved.expected, expected.sequence >= read.logStart else { return moved }
    // The records before the last one are not read, so they cannot be compared.
    if expected.sequence < head.sequence { return nil }
    moved.isForked = expected.sequence == head.sequence && expected.digest != head.digest
    return moved
  }

  /// Whether all items are known, readable and certain.
  var isWhole: Bool {
    distrust == nil && damage.isEmpty && sealedRecords == 0 && overwritten.isEmpty
      && interruptedWrite == nil && !isForked && keys.table != nil && keys.ring.user != nil
      && keys.unproven == nil && !keys.isDetached && !keys.isOfVersion1 && !keys.isDeviceOutdated
  }

  /// Compares the whole log with the state that this machine remembered before reading it.
  private mutating func judge(
    _ tail: LogChanges.Tail?, _ parts: VaultLocation
  ) throws(SecretStoreError) {
    if let tail, keys.table == nil { damage.lost(tail.place) }
    if keys.table == nil, !damage.isEmpty {
      distrust = .corrupted(
        "\(parts.log.name) has no intact key table; damaged: \(damage.description)")
    } else if let vaultID = keys.table?.vaultID, try isReplaced(vaultID, parts) {
      distrust = .replaced(
        "\(parts.log.name) is another vault than the one that this machine knows there")
    } else if let reason = olderTable {
      // The file may have been replaced, and its state remembered, after the log was read.
      let more = try parts.log.changes(since: position)
      if more.startsOver || more.position != position { return try catchUp(with: more, parts) }
      distrust = .rolledBack("\(parts.log.name) \(reason)")
    } else if isForked {
      distrust = .rolledBack(
        """
        \(parts.log.name) has another record \(expected?.sequence ?? 0) than this machine has \
        seen: an older copy was put back and written to
        """)
    } else if let expected, expected.sequence > chain.head.sequence {
      // The record may have been appended and remembered after the log was read.
      let more = try parts.log.changes(since: position)
      if more.startsOver || more.position != position { return try catchUp(with: more, parts) }
      judge(tail, endingBefore: expected, parts.log.name)
    } else {
      if let tail {
        if tail.isTorn || tail.isUnwritten || remembersThisLog {
          interruptedWrite = InterruptedWrite(place: tail.place, isTorn: tail.isTorn)
        } else {
          // It is unknown whether this write was acknowledged, so it counts as acknowledged.
          damage.lost(tail.place)
        }
      }
      if let end = missingEnd { damage.lost(end) }
      if damage.isUnattributed { damage.openGap(before: chain.head.sequence &+ 2) }
    }
  }

  /// Applies the changes since the full read; repeated full reads might never catch up.
  mutating func catchUp(
    with more: LogChanges, _ parts: VaultLocation
  ) throws(SecretStoreError) {
    let damagedBefore = damage.places.count
    if !more.startsOver {
      try apply(more, parts.device)
      if damage.places.count == damagedBefore { return try judge(more.tail, parts) }
    }
    startOver()
    try refresh(from: parts)
  }

  /// Whether another vault is recorded for the log's path or was read there by this object.
  private mutating func isReplaced(
    _ vaultID: [UInt8], _ parts: VaultLocation
  ) throws(SecretStoreError) -> Bool {
    notedVaultID = try parts.device.vaultID(at: parts.log.name)
    guard let known = notedVaultID ?? seen?.vaultID else { return false }
    return known != vaultID
  }

  /// Whether this machine remembers a record of this log, not only of the log before compaction.
  var remembersThisLog: Bool {
    guard let remembered else { return false }
    return remembered.head.sequence >= chain.start ?? 0
  }

  /// The end of a sentence on why the log is an older copy or forged; nil if it is neither.
  private var olderTable: String? {
    if let start = chain.start, let expectedStart, start < expectedStart {
      return """
        begins with record \(start), but this machine has seen a file that begins with record \
        \(expectedStart): an older copy was put back
        """
    }
    guard keys.isDetached else { return nil }
    return """
      has keys that do not come after those that this machine has seen: an older copy was put back, \
      or a key table was forged
      """
  }

  /// A description of the missing last records of an export; nil if none are missing.
  var missingEnd: String? {
    guard let end = keys.table?.exportEnd, chain.head.sequence < end else { return nil }
    return "the end, of which records \(chain.head.sequence + 1)...\(end) are missing"
  }

  /// Handles records that are missing at the end, either damaged or cut off.
  private mutating func judge(
    _ tail: LogChanges.Tail?, endingBefore expected: ChainHead, _ name: String
  ) {
    if let tail, !tail.isTorn { damage.lost(tail.place) }
    if damage.isUnattributed {
      let isLast =
        expected.sequence - 1 == chain.head.sequence
        && expected.predecessor == chain.head.digest
      if isLast {
        damage.prove()
        damage.lostLast(expected.subject, among: index)
      } else {
        damage.openGap(before: expected.sequence)
      }
    } else {
      distrust = .rolledBack(
        """
        \(name) ends at record \(chain.head.sequence), but this machine has seen record \
        \(expected.sequence): an older copy was put back, or its end was cut off
        """)
    }
  }
}
