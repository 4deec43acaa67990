import CLibrary

// The whole log is validated against the state that this machine recorded before reading it.
extension VaultContents {
  /// Determines whether the log is trusted, and what is missing at its end; returns false if the
  /// whole log must be read again, because it changed meanwhile.
  mutating func validate(
    _ tail: LogChanges.Tail?, _ location: VaultLocation
  ) throws(SecretStoreError) -> Bool {
    let name = location.log.name
    if let tail, keys.table == nil { damage.recordLoss(tail.place) }
    if keys.table == nil, !damage.isEmpty {
      trustError = .corrupted(
        "\(name) has no intact key table; damaged: \(damage.description)")
      return true
    }
    if let vaultID = keys.table?.vaultID {
      recordedVaultID = try location.device.vaultID(at: name)
      if recordedVaultID ?? session.seen.vaultID ?? vaultID != vaultID {
        trustError = .replaced(
          "\(name) is not the vault that this machine has recorded at this path")
        return true
      }
    }
    var tail = tail
    var problem = rollback(tail)
    while problem != nil || missing != nil {
      // The log may have been replaced or appended to, and remembered, after it was read.
      let more = try location.log.changes(since: position)
      if more.isReset { return false }
      if more.position == position { break }
      // Only the appended records are read, because full reads might never catch up.
      let damagedBefore = damage.places.count
      try apply(more, location.device)
      if damage.places.count > damagedBefore { return false }
      tail = more.tail
      problem = rollback(tail)
      // Bytes that are not a record may be appended again and again.
      if more.entries.isEmpty { break }
    }
    if let problem {
      trustError = .rolledBack("\(name) \(problem)")
    } else if let missing {
      recordLoss(of: missing, tail)
    } else {
      recordEnd(tail)
    }
    return true
  }

  private var missing: ChainHead? {
    if locketBreak(27) { return nil }
    return expected.flatMap { $0.head.sequence > chain.head.sequence ? $0.head : nil }
  }

  /// A predicate stating why the log is an older copy or forged; nil if it is neither.
  private func rollback(_ tail: LogChanges.Tail?) -> String? {
    if let outdatedStart, let expected {
      return """
        begins with record \(outdatedStart), but this machine has seen a file that begins with record \
        \(expected.logStart): an older copy was restored
        """
    }
    let other = """
      does not continue the vault that this machine has seen: an older copy was restored, which may \
      have been changed or damaged, or a key table was forged
      """
    guard let expected else { return keys.standing == .detached ? other : nil }
    let sequence = expected.head.sequence
    if keys.standing == .detached || isDiverged { return other }
    if sequence > chain.head.sequence, !damage.isUnattributed, tail?.isTorn != false,
      !locketBreak(27)
    {
      return """
        ends at record \(chain.head.sequence), but this machine has seen record \(sequence): an \
        older copy was restored, or the file was truncated
        """
    }
    // An older copy that is damaged as well may open with keys that no longer open the vault. A
    // table that only its own slot proves may state any beginning.
    let isUnknown =
      expected.keys == nil && !hasExpected
      && (keys.standing == .unrecognized || chain.start ?? 0 <= sequence)
    return isUnknown ? other : nil
  }

  /// Records that the newest record, which this machine has seen, and others may be damaged.
  private mutating func recordLoss(of expected: ChainHead, _ tail: LogChanges.Tail?) {
    if let tail, !tail.isTorn { damage.recordLoss(tail.place) }
    if expected.sequence - 1 == chain.head.sequence, expected.previousDigest == chain.head.digest {
      damage.isProven = true
      damage.recordLossOfLast(expected.subject, among: index)
    } else {
      damage.recordGap(before: expected.sequence)
    }
  }

  /// Records what is missing or remains at the end of a log with every expected record.
  private mutating func recordEnd(_ tail: LogChanges.Tail?) {
    if let tail {
      if tail.isTorn || tail.isUnwritten || remembersThisLog {
        interruptedWrite = tail
      } else {
        // It is unknown whether this write was acknowledged, so it counts as acknowledged.
        damage.recordLoss(tail.place)
      }
    }
    if let end = missingEnd {
      damage.recordLoss(end)
      isCutOff = true
    }
    if damage.isUnattributed { damage.recordGap(before: chain.head.sequence + 2) }
  }

  /// The place of missing records at the end of those that were written with the log.
  var missingEnd: String? {
    guard let end = keys.table?.end else { return nil }
    let next = chain.head.sequence + 1
    if end == 0 {
      // The table that states the end may have been at a place that is already known as damaged.
      return damage.hiddenItemsPlace == nil ? "the end, from record \(next)" : nil
    }
    return end < next ? nil : "the end, where records \(next)...\(end) are missing"
  }

  /// The maximum number of records in a write, which limits the search for its first record.
  private static let maximumRecords: UInt64 = 4096

  /// Returns whether all entries after damaged bytes belong to the same unacknowledged write.
  ///
  /// A power failure can lose any sectors of a write of several records, so a later record may be
  /// intact while an earlier one is not. The machine records at most the last acknowledged write.
  func isUnacknowledged(
    behind rest: ArraySlice<LogChanges.Entry>
  ) throws(SecretStoreError) -> Bool {
    guard damage.isEmpty, !isDiverged, remembersThisLog, let expected = expected?.head,
      let table = keys.table, expected.sequence <= chain.head.sequence
    else { return false }
    var writeIDs: Set<ArraySlice<UInt8>> = []
    for case .record(let record) in rest {
      writeIDs.insert(VaultSealer.writeID(of: record.payload))
    }
    guard writeIDs.count == 1, let writeID = writeIDs.first else { return false }
    let last = chain.head.sequence + 1
    let earliest = max(expected.sequence + 1, last - min(last, Self.maximumRecords))
    for first in (earliest...last).reversed()
    where try table.sealer.writeID(startingAt: first) == writeID { return true }
    return false
  }
}
