import StorageInternals

extension VaultContents {
  /// What changes whenever the contents do.
  var revision: StoreRevision { StoreRevision(generation) }

  /// Reads what was appended since the last time, by whatever process.
  mutating func refresh(from parts: VaultParts) throws(SecretStoreError) {
    defer { beginIdlePeriod() }
    // What is distrusted may have been accepted by another process, which changes nothing in the
    // log.
    let changes = try parts.log.changes(since: distrust == nil ? position : nil)
    if !changes.startsOver, changes.position == position { return }
    do {
      try adopt(changes, parts)
    } catch {
      // Half of it was applied, so that it must be read again.
      startOver()
      throw error
    }
  }

  private mutating func adopt(
    _ changes: LogChanges, _ parts: VaultParts
  ) throws(SecretStoreError) {
    generation += 1
    if changes.startsOver { startOver() }
    let damagedBefore = damage.places.count
    try apply(changes, parts.device)
    if changes.startsOver {
      try judge(interruptedWrite == nil ? changes.tail : nil, parts)
    } else if damage.places.count > damagedBefore || changes.tail != nil || distrust != nil {
      // What was read before may have been cut off meanwhile: only the whole log tells.
      startOver()
      try refresh(from: parts)
    }
  }

  /// Compares the whole log with what this machine remembered of it before it was read.
  private mutating func judge(
    _ tail: LogChanges.Tail?, _ parts: VaultParts
  ) throws(SecretStoreError) {
    if let tail, keys.table == nil { damage.lost(tail.place) }
    if keys.table == nil, !damage.isEmpty {
      distrust = .corrupted(
        "\(parts.log.name) has no intact table of keys; damaged: \(damage.description)")
    } else if let vaultID = keys.table?.vaultID, try isReplaced(vaultID, parts) {
      distrust = .replaced(
        "\(parts.log.name) is another vault than the one that this machine knows there")
    } else if isForked {
      distrust = .rolledBack(
        """
        \(parts.log.name) has another record \(remembered?.sequence ?? 0) than this machine has \
        seen: an older copy was put back and written to
        """)
    } else if let remembered, remembered.sequence > chain.head.sequence {
      // Perhaps the record was appended and remembered after the log was read.
      let more = try parts.log.changes(since: position)
      if more.startsOver || more.position != position { return try catchUp(with: more, parts) }
      judge(tail, endingBefore: remembered, parts.log.name)
    } else {
      if let tail {
        if tail.isTorn || tail.isUnwritten || remembersThisLog {
          interruptedWrite = InterruptedWrite(place: tail.place, isTorn: tail.isTorn)
        } else {
          // Nothing says whether this was acknowledged, so it counts as if it had been.
          damage.lost(tail.place)
        }
      }
      if damage.isUnattributed { damage.openGap(before: chain.head.sequence &+ 2) }
    }
  }

  /// Reads on to what was remembered when the whole log was read.
  ///
  /// Reading the whole again would find newer records remembered each time, as long as others
  /// write.
  private mutating func catchUp(
    with more: LogChanges, _ parts: VaultParts
  ) throws(SecretStoreError) {
    let damagedBefore = damage.places.count
    if !more.startsOver {
      try apply(more, parts.device)
      if damage.places.count == damagedBefore { return try judge(more.tail, parts) }
    }
    startOver()
    try refresh(from: parts)
  }

  /// Whether this machine knows another vault at the log's place.
  private mutating func isReplaced(
    _ vaultID: [UInt8], _ parts: VaultParts
  ) throws(SecretStoreError) -> Bool {
    notedVaultID = try parts.device.vaultID(at: parts.log.name)
    return notedVaultID != nil && notedVaultID != vaultID
  }

  /// Whether this machine has seen any record of the log, and not only what it was compacted from.
  var remembersThisLog: Bool {
    guard let remembered else { return false }
    return remembered.sequence >= chain.start ?? 0
  }

  /// Records are missing at the end: damaged, or not there at all.
  private mutating func judge(
    _ tail: LogChanges.Tail?, endingBefore remembered: ChainHead, _ name: String
  ) {
    if let tail, !tail.isTorn { damage.lost(tail.place) }
    if damage.isUnattributed {
      let isLast =
        remembered.sequence - 1 == chain.head.sequence
        && remembered.predecessor == chain.head.digest
      if isLast {
        damage.prove()
        damage.lostLast(remembered.subject, among: index)
      } else {
        damage.openGap(before: remembered.sequence)
      }
    } else {
      distrust = .rolledBack(
        """
        \(name) ends at record \(chain.head.sequence), but this machine has seen record \
        \(remembered.sequence): an older copy was put back, or its end was cut off
        """)
    }
  }
}
