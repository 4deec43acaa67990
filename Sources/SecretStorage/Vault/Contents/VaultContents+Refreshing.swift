extension VaultContents {
  var revision: StoreRevision { StoreRevision(generation) }

  /// Reads the records that any process appended since the last call.
  mutating func refresh(from location: VaultLocation) throws(SecretStoreError) {
    defer { beginIdlePeriod() }
    let earlierKeys = keys
    // Another process may have accepted an untrusted log, which does not change the log.
    var continued: VaultContents?
    let changes = try location.log.changes(since: trustError == nil ? position : nil) {
      record throws(SecretStoreError) in
      continued = try contents(continuingAt: record, location.device)
      return continued != nil
    }
    if !changes.isReset, changes.position == position { return }
    let held = changes.isReset && trustError == nil ? index : nil
    if changes.continuation != nil, continued != nil {
      swap(&self, &continued!)
      // Otherwise the first change would copy the index.
      continued = nil
    }
    do {
      try adopt(changes, location)
    } catch {
      // The changes are only partially applied, so the log must be read again.
      keys = earlierKeys
      reset()
      throw error
    }
    if trustError != nil {
      keys.restore(earlierKeys)
    } else if isCutOff, let held, earlierKeys.table?.vaultID == keys.table?.vaultID {
      index.keep(held)
      keys.ring.keep(earlierKeys.ring)
    }
  }

  private mutating func adopt(
    _ changes: LogChanges, _ location: VaultLocation
  ) throws(SecretStoreError) {
    generation += 1
    if changes.isReset { reset() }
    let damagedBefore = damage.places.count
    try apply(changes, location.device)
    if changes.position == .nowhere {
      try validateMissingLog(location)
    } else if changes.isReset || changes.continuation != nil {
      try validate(interruptedWrite == nil ? changes.tail : nil, location)
    } else if damage.places.count > damagedBefore || changes.tail != nil || trustError != nil
      || outdatedStart != nil || isCutOff
    {
      // Records read earlier may have been truncated meanwhile, which only the whole log shows.
      position = nil
      try refresh(from: location)
    } else {
      // A later write replaced the remains, or completed them.
      interruptedWrite = nil
    }
    recordSeen()
  }

  /// Returns the contents at a record of a new log; nil if the whole new log must be read.
  ///
  /// The record must be a key table that the user key authenticates, and that states that the
  /// records before it contain the same items as the replaced log.
  private func contents(
    continuingAt record: LogRecord, _ device: DeviceState
  ) throws(SecretStoreError) -> VaultContents? {
    // Secrets that were left in the replaced log would keep it on the disk.
    guard isComplete, !index.hasStoredSecrets, let user = keys.ring.user,
      let read = KeyTableRecord.ifTable(record.payload),
      read.table.replaced == ReplacedHead(chain.head), read.table.vaultID == keys.table?.vaultID,
      try read.isAuthentic(user: user, cipher)
    else { return nil }
    var continued = self
    do throws(SecretStoreError) {
      try continued.adopt(read, device)
    } catch {
      guard case .corrupted = error else { throw error }
      return nil
    }
    continued.chain.move(to: read, record, byteCount: index.byteCount)
    continued.singleItemRecordCount = 0
    continued.remembered = try device.remembered(of: read.table.vaultID)
    continued.expectNewest(of: read.table.vaultID)
    // The process that replaced the log remembers it: a get must not wait for the disk.
    if let vault = RememberedVault(continued.chain, continued.keys) {
      continued.recordDurable(vault, isRemembered: false)
    }
    let head = continued.chain.head
    guard let expected = continued.expected, expected.sequence >= read.logStart else {
      return continued
    }
    // The records before the last one are not read, so they cannot be compared.
    if expected.sequence < head.sequence { return nil }
    continued.isForked = expected.sequence == head.sequence && expected.digest != head.digest
    return continued
  }

  /// Whether the state of every item is available and certain.
  var isComplete: Bool {
    trustError == nil && damage.isEmpty && sealedRecordCount == 0 && overwritten.isEmpty
      && interruptedWrite == nil && !isForked && keys.table != nil && keys.ring.user != nil
      && !keys.isCandidate && !keys.isDetached && !keys.isDeviceOutdated
  }

  /// Validates the whole log against the state that this machine recorded before reading it.
  private mutating func validate(
    _ tail: LogChanges.Tail?, _ location: VaultLocation
  ) throws(SecretStoreError) {
    if let tail, keys.table == nil { damage.recordLoss(tail.place) }
    if keys.table == nil, !damage.isEmpty {
      trustError = .corrupted(
        "\(location.log.name) has no intact key table; damaged: \(damage.description)")
    } else if let vaultID = keys.table?.vaultID, try isReplaced(vaultID, location) {
      trustError = .replaced(
        "\(location.log.name) is not the vault that this machine has recorded at this path")
    } else if let reason = keyTableProblem {
      // The file may have been replaced, and its state remembered, after the log was read.
      let more = try location.log.changes(since: position)
      if more.isReset || more.position != position { return try catchUp(with: more, location) }
      trustError = .rolledBack("\(location.log.name) \(reason)")
    } else if isForked {
      trustError = .rolledBack(
        """
        \(location.log.name) differs at record \(expected?.sequence ?? 0) from the vault that this \
        machine has seen: an older copy was restored and then changed
        """)
    } else if let expected, expected.sequence > chain.head.sequence {
      // The record may have been appended and remembered after the log was read.
      let more = try location.log.changes(since: position)
      if more.isReset || more.position != position { return try catchUp(with: more, location) }
      validate(tail, endingBefore: expected, location.log.name)
    } else {
      if let tail {
        if tail.isTorn || tail.isUnwritten || remembersThisLog {
          interruptedWrite = InterruptedWrite(place: tail.place, isTorn: tail.isTorn)
        } else {
          // It is unknown whether this write was acknowledged, so it counts as acknowledged.
          damage.recordLoss(tail.place)
        }
      }
      if let end = missingEnd {
        damage.recordLoss(end)
        isCutOff = true
      }
      if damage.isUnattributed { damage.recordGap(before: chain.head.sequence &+ 2) }
    }
  }

  /// Applies the changes since the full read; repeated full reads might never catch up.
  mutating func catchUp(
    with more: LogChanges, _ location: VaultLocation
  ) throws(SecretStoreError) {
    let damagedBefore = damage.places.count
    if !more.isReset {
      try apply(more, location.device)
      if damage.places.count == damagedBefore { return try validate(more.tail, location) }
    }
    reset()
    try refresh(from: location)
  }

  /// Whether another vault is recorded for the log's path or was read there by this object.
  private mutating func isReplaced(
    _ vaultID: [UInt8], _ location: VaultLocation
  ) throws(SecretStoreError) -> Bool {
    recordedVaultID = try location.device.vaultID(at: location.log.name)
    guard let expected = recordedVaultID ?? seen?.vaultID else { return false }
    return expected != vaultID
  }

  /// Whether this machine has recorded this log, and not only the log before a compaction.
  var remembersThisLog: Bool {
    guard let remembered else { return false }
    return remembered.head.sequence >= chain.start ?? 0
  }

  /// A predicate stating why the log is an older copy or forged; nil if it is neither.
  private var keyTableProblem: String? {
    if let outdatedStart, let expectedStart {
      return """
        begins with record \(outdatedStart), but this machine has seen a file that begins with record \
        \(expectedStart): an older copy was restored
        """
    }
    // A forger can place a recorded record behind a gap.
    let isContinuation = !keys.isUnrecognized || hasExpected && damage.isEmpty
    if !keys.isDetached, isContinuation { return nil }
    return """
      has keys that do not continue those that this machine has seen: an older copy was restored, \
      or a key table was forged
      """
  }

  /// A description of the missing last records of those that were written with the log; nil if none
  /// are missing.
  var missingEnd: String? {
    guard let end = keys.table?.end else { return nil }
    let next = chain.head.sequence + 1
    if end == 0 {
      // The table that states the end may have been at a place that is already known as damaged.
      return damage.hiddenItemsPlace == nil ? "the end, from record \(next)" : nil
    }
    return end < next ? nil : "the end, where records \(next)...\(end) are missing"
  }

  /// Handles records that are missing at the end, which were either damaged or truncated.
  private mutating func validate(
    _ tail: LogChanges.Tail?, endingBefore expected: ChainHead, _ name: String
  ) {
    if let tail, !tail.isTorn { damage.recordLoss(tail.place) }
    if damage.isUnattributed {
      let isLast =
        expected.sequence - 1 == chain.head.sequence
        && expected.previousDigest == chain.head.digest
      if isLast {
        damage.markProven()
        damage.recordLossOfLast(expected.subject, among: index)
      } else {
        damage.recordGap(before: expected.sequence)
      }
    } else {
      trustError = .rolledBack(
        """
        \(name) ends at record \(chain.head.sequence), but this machine has seen record \
        \(expected.sequence): an older copy was restored, or the file was truncated
        """)
    }
  }

  /// Determines whether a missing log is an error or may be replaced with a new vault.
  ///
  /// A new vault may replace one that only this device could open, because that vault did not
  /// protect its items from a program that can remove it. Replacing any other vault would store
  /// secrets without the protection of its keys.
  mutating func validateMissingLog(_ location: VaultLocation) throws(SecretStoreError) {
    let device = location.device
    let name = location.log.name
    recordedVaultID = try device.hasVaultRecords ? try device.vaultID(at: name) : nil
    if recordedVaultID == DeviceState.noVault { seen = nil }
    guard let vaultID = recordedVaultID ?? seen?.vaultID, vaultID != DeviceState.noVault else {
      return
    }
    let remembered = try device.remembered(of: vaultID)
    let own = seen?.vaultID == vaultID ? seen : nil
    // A vault is recorded before it is created, and its creation may have failed.
    if remembered == nil, own == nil { return }
    // The vault may have been created after the log was read.
    let more = try location.log.changes(since: position)
    if more.isReset || more.position != position { return try catchUp(with: more, location) }
    let slotTypes = [own?.slotTypes, remembered?.slotTypes].compactMap(\.self)
    let error = SecretStoreError.replaced(
      "\(name) is missing, but this machine has recorded a vault at this path")
    if slotTypes.allSatisfy({ $0 == KeyTable.deviceSlotType }) {
      missingVaultError = error
    } else {
      trustError = error
    }
  }

  /// Returns the newest key table; nil if there is no vault; throws if it is not trusted.
  func currentTable() throws(SecretStoreError) -> KeyTable? {
    if let trustError { throw trustError }
    return keys.table
  }
}

extension RememberedVault {
  /// The slot types; all possible types if they are unknown.
  fileprivate var slotTypes: UInt64 { keys?.slotTypes ?? .max }
}

/// The remainder of an unacknowledged write at a log's end, which the next write truncates.
struct InterruptedWrite: Equatable, Sendable {
  let place: String
  /// Whether the bytes are the beginning of a record, as a killed process may leave behind.
  let isTorn: Bool
}

extension VaultContents {
  /// The maximum number of records in a write, which limits the search for its first record.
  private static let maximumRecords: UInt64 = 4096

  /// Returns whether all entries after damaged bytes belong to the same unacknowledged write.
  ///
  /// A power failure can lose any sectors of a write of several records, so a later record may be
  /// intact while an earlier one is not. The machine records at most the last acknowledged write.
  func isUnacknowledged(
    behind rest: ArraySlice<LogChanges.Entry>
  ) throws(SecretStoreError) -> Bool {
    guard damage.isEmpty, !isForked, remembersThisLog, let expected, let table = keys.table,
      expected.sequence <= chain.head.sequence, chain.head.sequence < .max
    else { return false }
    var writeIDs: Set<ArraySlice<UInt8>> = []
    for case .record(let record) in rest {
      writeIDs.insert(VaultSealer.writeID(of: record.payload))
    }
    guard writeIDs.count == 1, let writeID = writeIDs.first else { return false }
    let sealer = table.sealer(cipher)
    let last = chain.head.sequence + 1
    let earliest = max(expected.sequence + 1, last - min(last, Self.maximumRecords))
    for first in (earliest...last).reversed()
    where try sealer.writeID(startingAt: first) == writeID { return true }
    return false
  }
}
