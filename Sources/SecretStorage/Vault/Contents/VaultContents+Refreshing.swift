extension VaultContents {
  var revision: StoreRevision { StoreRevision(generation) }

  /// Reads the records that any process appended since the last call.
  mutating func refresh(from location: VaultLocation) throws(SecretStoreError) {
    defer { beginIdlePeriod() }
    // Another process may have accepted a distrusted log, which does not change the log.
    var moved: VaultContents?
    let changes = try location.log.changes(since: trustError == nil ? position : nil) {
      record throws(SecretStoreError) in
      moved = try self.moved(to: record, location.device)
      return moved != nil
    }
    if !changes.isReset, changes.position == position { return }
    if changes.continuation != nil, let moved { self = moved }
    do {
      try adopt(changes, location)
    } catch {
      // The changes are only partly applied, so the log must be read again.
      reset()
      throw error
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
      try judge(interruptedWrite == nil ? changes.tail : nil, location)
    } else if damage.places.count > damagedBefore || changes.tail != nil || trustError != nil {
      // Records read earlier may have been cut off meanwhile, which only the whole log shows.
      reset()
      try refresh(from: location)
    }
    recordSeen()
  }

  /// Returns the contents in a log that replaced the present one; nil if the log must be read.
  ///
  /// The record's table must state, authenticated by the user key, that the items up to it are
  /// those that were read.
  private func moved(
    to record: LogRecord, _ device: DeviceState
  ) throws(SecretStoreError) -> VaultContents? {
    guard isComplete, let user = keys.ring.user, let read = KeyTableRecord.ifTable(record.payload),
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
    moved.singleItemRecordCount = 0
    moved.remembered = try device.remembered(of: read.table.vaultID)
    moved.expectNewest(of: read.table.vaultID)
    let head = moved.chain.head
    guard let expected = moved.expected, expected.sequence >= read.logStart else { return moved }
    // The records before the last one are not read, so they cannot be compared.
    if expected.sequence < head.sequence { return nil }
    moved.isForked = expected.sequence == head.sequence && expected.digest != head.digest
    return moved
  }

  /// Whether all items are known, readable and certain.
  var isComplete: Bool {
    trustError == nil && damage.isEmpty && sealedRecordCount == 0 && overwritten.isEmpty
      && interruptedWrite == nil && !isForked && keys.table != nil && keys.ring.user != nil
      && keys.unproven == nil && !keys.isDetached && !keys.isOfVersion1 && !keys.isDeviceOutdated
  }

  /// Compares the whole log with the state that this machine remembered before reading it.
  private mutating func judge(
    _ tail: LogChanges.Tail?, _ location: VaultLocation
  ) throws(SecretStoreError) {
    if let tail, keys.table == nil { damage.recordLoss(tail.place) }
    if keys.table == nil, !damage.isEmpty {
      trustError = .corrupted(
        "\(location.log.name) has no intact key table; damaged: \(damage.description)")
    } else if let vaultID = keys.table?.vaultID, try isReplaced(vaultID, location) {
      trustError = .replaced(
        "\(location.log.name) is another vault than the one that this machine knows there")
    } else if let reason = olderTable {
      // The file may have been replaced, and its state remembered, after the log was read.
      let more = try location.log.changes(since: position)
      if more.isReset || more.position != position { return try catchUp(with: more, location) }
      trustError = .rolledBack("\(location.log.name) \(reason)")
    } else if isForked {
      trustError = .rolledBack(
        """
        \(location.log.name) has another record \(expected?.sequence ?? 0) than this machine has \
        seen: an older copy was put back and written to
        """)
    } else if let expected, expected.sequence > chain.head.sequence {
      // The record may have been appended and remembered after the log was read.
      let more = try location.log.changes(since: position)
      if more.isReset || more.position != position { return try catchUp(with: more, location) }
      judge(tail, endingBefore: expected, location.log.name)
    } else {
      if let tail {
        if tail.isTorn || tail.isUnwritten || remembersThisLog {
          interruptedWrite = InterruptedWrite(place: tail.place, isTorn: tail.isTorn)
        } else {
          // It is unknown whether this write was acknowledged, so it counts as acknowledged.
          damage.recordLoss(tail.place)
        }
      }
      if let end = missingEnd { damage.recordLoss(end) }
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
      if damage.places.count == damagedBefore { return try judge(more.tail, location) }
    }
    reset()
    try refresh(from: location)
  }

  /// Whether another vault is recorded for the log's path or was read there by this object.
  private mutating func isReplaced(
    _ vaultID: [UInt8], _ location: VaultLocation
  ) throws(SecretStoreError) -> Bool {
    recordedVaultID = try location.device.vaultID(at: location.log.name)
    guard let known = recordedVaultID ?? seen?.vaultID else { return false }
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
    if let tail, !tail.isTorn { damage.recordLoss(tail.place) }
    if damage.isUnattributed {
      let isLast =
        expected.sequence - 1 == chain.head.sequence
        && expected.predecessor == chain.head.digest
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
        \(expected.sequence): an older copy was put back, or its end was cut off
        """)
    }
  }
}

extension VaultContents {
  /// Decides whether a missing log means trustError.
  ///
  /// A vault that only this device opened protected nothing from a program that can remove it, so a
  /// new one may replace it. Replacing any other vault would store secrets without its key.
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
    let known = [own?.slotTypes, remembered?.slotTypes].compactMap(\.self)
    let error = SecretStoreError.replaced(
      "\(name) is gone, though this machine knows a vault there")
    if known.allSatisfy({ $0 == KeyTable.deviceSlotType }) {
      missingVaultError = error
    } else {
      trustError = error
    }
  }

  /// Returns the newest key table; nil if there is no vault; throws if an expected vault has none.
  func knownTable() throws(SecretStoreError) -> KeyTable? {
    if let table = keys.table { return table }
    if let trustError { throw trustError }
    return nil
  }
}

extension RememberedVault {
  /// The slot types; all possible types if they are unknown.
  fileprivate var slotTypes: UInt64 { keys?.slotTypes ?? .max }
}

/// The remains of an unacknowledged write at a log's end, which the next write truncates.
struct InterruptedWrite: Equatable, Sendable {
  let place: String
  /// Whether the bytes are the beginning of a record, as a killed process may leave it.
  let isTorn: Bool
}

extension VaultContents {
  /// The maximum number of records of a write, which limits the search for its first one.
  private static let mostRecords: UInt64 = 4096

  /// Returns whether all entries after damaged bytes belong to the same unacknowledged write.
  ///
  /// A power failure can lose any sectors of a write of several records, so a later record may be
  /// intact while an earlier one is not. The machine remembers at most the last acknowledged write.
  func isUnacknowledged(
    behind rest: ArraySlice<LogChanges.Entry>
  ) throws(SecretStoreError) -> Bool {
    guard damage.isEmpty, !isForked, remembersThisLog, let expected, let table = keys.table,
      expected.sequence <= chain.head.sequence, chain.head.sequence < .max
    else { return false }
    var marks: Set<ArraySlice<UInt8>> = []
    for case .record(let record) in rest { marks.insert(VaultSealer.mark(of: record.payload)) }
    guard marks.count == 1, let mark = marks.first else { return false }
    let log = table.sealer(cipher)
    let last = chain.head.sequence + 1
    let earliest = max(expected.sequence + 1, last - min(last, Self.mostRecords))
    for first in (earliest...last).reversed()
    where try log.mark(ofWriteFrom: first) == mark { return true }
    return false
  }

  /// Returns the unreported discoveries: a missing vault, or an interrupted write.
  mutating func unreportedErrors() -> [SecretStoreError] {
    var found = [missingVaultError].compactMap(\.self)
    if let interruptedWrite, !interruptedWrite.isTorn {
      found.append(
        .corrupted(
          """
          \(interruptedWrite.place): this is the rest of a write that was interrupted before it \
          was acknowledged, as by a power failure, and the next write cuts it off
          """))
    }
    return found.filter { reported.insert($0).inserted }
  }
}
