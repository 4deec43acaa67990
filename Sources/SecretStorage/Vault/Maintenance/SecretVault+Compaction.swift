import Concurrency

// Compaction: when it is asked for, and when it is worthwhile.
extension SecretVault {
  /// Writes the vault to a new file without overwritten or removed items.
  ///
  /// This also happens in the background when worthwhile, and after a failure once the file has
  /// grown, by a larger amount each time.
  ///
  /// - Complexity: O(*n*), where *n* is the size of the vault.
  /// - Throws: The errors of ``repair(reporting:)``, whose closure is the same.
  public func compact(
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws {
    try rewriteConcurrently(reporting: report)
  }

  /// Writes the vault to a new file while other processes and threads read and write it.
  ///
  /// The items are followed by the changes made meanwhile, only the last of which exclude other
  /// writers. If the vault does not allow this, or another process replaces the file, writers are
  /// excluded from the beginning.
  func rewriteConcurrently(
    reporting report: (MaintenanceProgress) -> MaintenanceProgress.Decision = { _ in .proceed }
  ) throws(SecretStoreError) {
    let location = try protectedLocation
    let (start, items) = try withContents { contents in
      (contents.withoutItems, contents.isComplete ? Array(contents.index.items) : [])
    }
    guard start.isComplete else { return try rewrite(reporting: report) }
    var state = start
    // The sequence numbers of the records that other writers may append meanwhile.
    let reserved =
      max(start.chain.head.sequence, start.expected?.head.sequence ?? 0) + (1 << 20)
    do throws(SecretStoreError) {
      var new: RecordComposer?
      try replaceLog(location) { write throws(SecretStoreError) in
        var draft = try RecordComposer(
          replacing: start.chain, reserved: reserved, with: start.keys, for: items, followedBy: nil)
        try draft.add(items.records(of: batchSize)) { draft, completed throws(SecretStoreError) in
          for record in draft.takeRecords() { try write(record) }
          try MaintenanceProgress(completed: completed, total: items.count).report(to: report)
        }
        // The first round adds all changes made during the copying; the others are short.
        for _ in 0..<3 {
          try draft.add(entries(since: &state, upTo: reserved, location))
          for record in draft.takeRecords() { try write(record) }
        }
        new = draft
      } by: { () throws(SecretStoreError) in
        guard var complete = new else { return nil }
        try complete.add(entries(since: &state, upTo: reserved, location))
        try complete.end(replacing: state.chain.head)
        return (complete, state)
      }
    } catch {
      guard error == .conflict else { throw error }
      try rewrite(reporting: report)
    }
  }

  /// Returns the entries since a state, and advances it; throws `conflict` after a replacement.
  private func entries(
    since state: inout VaultContents, upTo reserved: UInt64, _ location: VaultLocation
  ) throws(SecretStoreError) -> [LogChanges.Entry] {
    let next = try withContents { $0.withoutItems }
    guard next.isComplete else { throw next.keys.isUnlocked ? .conflict : next.keys.lockedError }
    guard next.chain.start == state.chain.start, next.chain.head.sequence <= reserved
    else { throw .conflict }
    if next.position == state.position { return [] }
    let changes = try location.log.changes(since: state.position)
    // Another writer may have appended more, which the next round reads.
    let isLater = changes.position != next.position
    guard !changes.isReset, changes.tail == nil || isLater else { throw .conflict }
    if isLater { return [] }
    state = next
    return changes.entries
  }

  func compactIfWorthwhile() {
    let isDue = contents.withLock { contents in
      contents.needsCompaction && contents.session.compaction.begin(atSize: contents.logSize)
    }
    guard isDue else { return }
    background.run { [self] in
      var failure: SecretStoreError?
      do throws(SecretStoreError) { try rewriteConcurrently() } catch { failure = error }
      // If the app has locked the vault in the meantime, the next write tries again.
      if let failure, !contents.withLock({ $0.keys.isLockedByApp }) {
        report(SecretStorageFailure(.maintenance, failure))
      }
      contents.withLock { contents in
        contents.session.compaction.end(succeeded: failure == nil, atSize: contents.logSize)
      }
    }
  }
}

extension RecordComposer {
  /// Adds each item's last state in some records, and its removals, in separate records.
  fileprivate mutating func add(_ changes: [LogChanges.Entry]) throws(SecretStoreError) {
    var found: [(entry: ItemEntry, accessibility: Accessibility)] = []
    var last: [SecretItem.ID: Int] = [:]
    for change in changes {
      guard case .record(let record) = change, let table = keys.table,
        record.payload.first != RecordHeader.Kind.keys.rawValue,
        let id = VaultSealer.attributesKey(of: record.payload),
        let key = keys.ring.attributesKey(id)
      else { throw .conflict }
      let isAlways = id == table.key(for: .attributes(of: .always))?.id
      for entry in try table.sealer.openItems(record, with: key).entries {
        if case .put(let item) = entry { last[item.id] = found.count }
        found.append((entry, isAlways ? .always : .whenUnlocked))
      }
    }
    for (index, change) in found.enumerated() {
      if case .put(let item) = change.entry, last[item.id] != index { continue }
      try add([change.entry], as: change.accessibility)
    }
  }
}

extension VaultContents {
  /// Whether there is much unused space, too many single-item records, which are slow to open, or a
  /// changed identity of the machine.
  fileprivate var needsCompaction: Bool {
    guard isAuthentic else { return false }
    let needed = index.byteCount / 4 * 7 + BackgroundCompaction.minimumSize
    return keys.isDeviceOutdated || logSize > needed
      || chain.singleItemRecordCount > max(1024, index.count / 4)
  }
}

/// The schedule of automatic compaction: after each failure, for example due to a full disk, the
/// log must grow by twice as much as before until the next attempt.
struct BackgroundCompaction: Sendable {
  /// The minimum size of a file for compaction, in bytes.
  static let minimumSize = 64 * 1024

  private(set) var isRunning = false
  /// The required growth of the log after the next failure, in bytes.
  private var delay = minimumSize
  /// The minimum size of the log for the next attempt, in bytes.
  private var threshold = 0

  /// Returns false if a compaction is already running or the log is too small.
  mutating func begin(atSize size: Int) -> Bool {
    // A much smaller log was written by another process or a later compaction.
    if threshold - size > delay { threshold = 0 }
    guard !isRunning, size >= threshold else { return false }
    isRunning = true
    return true
  }

  mutating func end(succeeded: Bool, atSize size: Int) {
    isRunning = false
    if succeeded {
      self = BackgroundCompaction()
    } else {
      threshold = size + delay
      // At most a quarter of a large file, so that it never grows much larger than necessary.
      delay = min(delay * 2, max(1 << 20, size / 4))
    }
  }
}
