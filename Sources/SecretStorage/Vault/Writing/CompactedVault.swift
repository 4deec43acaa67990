/// The compacted records of a vault, without overwritten and removed items.
struct CompactedVault {
  let position: LogPosition
  let records: [LogRecord]
  /// The state that this machine remembers once the records are in place.
  let result: RememberedVault?

  /// Creates the compacted records; nil for a vault that does not exist.
  init?(
    _ original: VaultContents, isRepair: Bool,
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision
  ) throws(SecretStoreError) {
    var contents = original
    if let distrust = contents.distrust { throw distrust }
    guard let position = contents.position, var table = contents.keys.table else { return nil }
    if contents.sealedRecords > 0 { throw contents.keys.lockReason }
    if !isRepair { try contents.checkTrust() }
    guard contents.keys.isUnlocked else { throw contents.keys.lockReason }
    self.position = position
    var chain = contents.chain
    // Skips the sequence numbers of records lost at the end, which belong to those records.
    chain.skip(to: contents.expected?.sequence)
    chain.skip(to: table.exportEnd)
    var composer = RecordComposer(continuing: chain)
    let sealer = table.sealer(contents.cipher)
    var sorted: [VaultItem] = []
    for item in contents.index.items {
      let isLost = isRepair ? try contents.isBeyondRepair(item) : false
      if !isLost { sorted.append(item) }
    }
    sorted.sort { $0.created < $1.created }
    table.removeKeys(unusedBy: sorted)
    try composer.add(table, under: contents.keys.ring, by: sealer)
    var completed = 0
    for (accessibility, block) in sorted.records {
      try composer.add(
        block.map(ItemEntry.put), as: accessibility, under: contents.keys, by: sealer)
      completed += block.count
      try MaintenanceProgress(completed: completed, total: sorted.count).report(to: report)
    }
    contents.keys.table = table
    try contents.keys.recordGeneration(contents.cipher)
    records = composer.records
    result = RememberedVault(composer.chain, contents.keys)
  }
}

extension KeyTable {
  /// Removes the keys that neither these items nor new ones need.
  fileprivate mutating func removeKeys(unusedBy items: [VaultItem]) {
    let used = Set(items.map(\.secret.key))
    let newest = Set(keys.map(\.purpose)).compactMap { key(for: $0)?.id }
    keys.removeAll {
      !used.contains($0.id) && !newest.contains($0.id) && $0.purpose != .earlierTables
    }
  }
}

extension VaultContents {
  /// Returns whether an item's secret is damaged although its key is available.
  fileprivate mutating func isBeyondRepair(_ item: VaultItem) throws(SecretStoreError) -> Bool {
    do {
      _ = try open(item)
      return false
    } catch {
      switch error {
      case .corrupted: return true
      case .locked, .otherDevice: return false
      default: throw error
      }
    }
  }
}

extension VaultItem {
  var attributesPurpose: KeyPurpose {
    .attributes(of: accessControl.accessibility)
  }
}

/// The schedule of automatic compaction.
///
/// After a failure, such as a full disk, retries wait for the log to grow, by twice as much each.
struct BackgroundCompaction: Sendable {
  /// The minimum size of a file for compaction, in bytes.
  static let negligible = 64 * 1024

  private(set) var isUnderWay = false
  /// The required growth of the log after the next failure, in bytes.
  private var delay = negligible
  /// The minimum size of the log for the next attempt, in bytes.
  private var threshold = 0

  /// Marks compaction as under way; returns false if it already is or if the log is too small.
  mutating func begins(atSize size: Int) -> Bool {
    // A much smaller log is another file, from another process or a later compaction.
    if threshold - size > delay { threshold = 0 }
    guard !isUnderWay, size >= threshold else { return false }
    isUnderWay = true
    return true
  }

  mutating func end(succeeded: Bool, atSize size: Int) {
    isUnderWay = false
    if succeeded {
      self = BackgroundCompaction()
    } else {
      threshold = size + delay
      // At most a quarter of a large file, so that it never grows much larger than necessary.
      delay = min(delay * 2, max(1 << 20, size / 4))
    }
  }
}
