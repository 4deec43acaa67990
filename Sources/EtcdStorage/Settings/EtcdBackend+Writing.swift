import CLibrary
import FoundationEssentials
public import KeyValueStorage

extension EtcdBackend {
  /// The maximum size of a value, in bytes: a request of etcd may have 1.5 MiB.
  private static let valueLimit = 1 << 20
  /// The maximum size and number of the changes in one transaction of etcd.
  private static let (transactionSize, transactionCount) = (768 << 10, 50)
  /// The maximum number of parts of a larger transaction.
  private static let partLimit = 100

  /// Changes the contents in one transaction.
  public func update(
    _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents {
    let deadline = ContinuousClock.now + cluster.writeTimeout
    for round in 0... {
      let base = try mapErrors { () throws(EtcdError) in try look() }
      // Outside the lock, because the closure is the app's code during a transaction.
      let wanted = changes(base.contents)
      if wanted.isEmpty { return base.contents }
      for (key, value) in wanted.all {
        if key.utf8.count + (value?.count ?? 0) > Self.valueLimit {
          throw .tooLarge(path: nil, limit: Self.valueLimit)
        }
      }
      let contents = try mapErrors { () throws(EtcdError) in
        try write(wanted, base, deadline)
      }
      if let contents { return contents }
      if .now >= deadline { break }
      usleep(UInt32(1000 << min(round, 5)))
    }
    throw .unavailable("\(name) changes faster than it can be written. Try again later.")
  }

  /// Writes changes of a snapshot; returns nil if another process has written in the meantime.
  private func write(
    _ changes: KeyValueChanges, _ base: Snapshot, _ deadline: ContinuousClock.Instant
  ) throws(EtcdError) -> KeyValueContents? {
    guard try finishJournal(of: base) else { return nil }
    let all = changes.all
    // A comparison repeats the key.
    let size = all.reduce(0) { $0 + 2 * $1.key.utf8.count + ($1.value?.count ?? 0) }
    let outcome: EtcdHead.Outcome
    var value = HeadValue(nonce: try EtcdHead.newNonce())
    let isLarge = all.count > Self.transactionCount || size > Self.transactionSize
    if isLarge {
      outcome = try writeJournal(all, &value, base, deadline)
    } else {
      outcome = try head.commit(
        try EtcdCluster.encode(value), expecting: base.headRevision,
        comparing: all.map { .lastChange(of: keys.setting($0.key), isUpTo: base.revision) },
        all.map { operation($0.key, $0.value.map(Array.init)) }, by: deadline)
    }
    guard case .made(let revision) = outcome else { return nil }
    if !isLarge, revision == base.revision + 1 {
      let contents = base.contents.applying(changes, revision: revision &+ base.offset)
      adopt(
        Snapshot(
          contents: contents, revision: revision, head: value, headRevision: revision,
          offset: base.offset))
      return contents
    }
    // Other programs may have changed other keys.
    do throws(EtcdError) {
      let newest = try look()
      if isLarge { _ = try finishJournal(of: newest) }
      return try look().contents
    } catch {
      // The changes were made. The revision tells the next read that there may be others.
      return base.contents.applying(
        changes, revision: max(revision &+ base.offset &- 1, base.contents.revision))
    }
  }

  private func operation(_ key: String, _ value: [UInt8]?) -> Operation {
    let key = keys.setting(key)
    return value.map { .put(key, Bytes($0)) } ?? .delete(key)
  }
}

// A transaction with many changes is written to a journal first, which one transaction of etcd
// makes valid. Readers apply it to what they read; a writer copies it to the settings' keys.
extension EtcdBackend {
  /// A change of a part of a journal.
  private struct JournalChange: Codable {
    var key: Bytes
    /// Nil for a removal.
    var value: Bytes?
  }

  private func writeJournal(
    _ changes: [(key: String, value: EncodedValue?)], _ head: inout HeadValue, _ base: Snapshot,
    _ deadline: ContinuousClock.Instant
  ) throws(EtcdError) -> EtcdHead.Outcome {
    var parts: [[JournalChange]] = [[]]
    var size = 0
    for (key, value) in changes {
      let change = JournalChange(
        key: Bytes(key), value: value.map { Bytes(Array($0)) })
      let count = key.utf8.count + (value?.count ?? 0) + 32
      if size + count > Self.transactionSize, !parts[parts.count - 1].isEmpty {
        parts.append([])
        size = 0
      }
      parts[parts.count - 1].append(change)
      size += count
    }
    guard parts.count <= Self.partLimit else {
      throw .tooLarge("A transaction has more than \(Self.partLimit) parts")
    }
    let journal = try EtcdHead.newNonce()
    let lease = try EtcdLease(cluster, deadline)
    do throws(EtcdError) {
      for (number, part) in parts.enumerated() {
        try lease.renewIfDue()
        let put = PutRequest(
          key: keys.part(journal, number), value: Bytes(try EtcdCluster.encode(part)),
          lease: Int64Text(lease.id))
        _ = try cluster.call("kv/put", put, as: EmptyAnswer.self, CallPolicy(deadline: deadline))
      }
      (head.journal, head.parts) = (journal, parts.count)
      // Without a lease, a part is permanent.
      let operations = parts.indices.map {
        Operation.put(PutRequest(key: keys.part(journal, $0), ignore_value: true))
      }
      let outcome = try self.head.commit(
        try EtcdCluster.encode(head), expecting: base.headRevision, operations, by: deadline)
      // After a conflict, this removes the parts.
      lease.revoke()
      return outcome
    } catch {
      if case .uncertain = error {} else { lease.revoke() }
      throw error
    }
  }

  /// Returns a snapshot with the changes of its journal, if it has one.
  func completingJournal(of snapshot: Snapshot) throws(EtcdError) -> Snapshot {
    guard let parts = try journal(of: snapshot.head) else { return snapshot }
    var changes = KeyValueChanges()
    for change in parts.joined() {
      if let key = String(validating: change.key.array, as: UTF8.self) {
        changes.set(key, to: change.value?.array[...])
      }
    }
    var complete = snapshot
    complete.contents = snapshot.contents.applying(
      changes,
      revision: max(snapshot.headRevision &+ snapshot.offset, snapshot.contents.revision))
    // The keys will change again when the journal is copied, so that they are read as a whole.
    return complete
  }

  /// Returns the parts of a head's journal; nil if there is none.
  private func journal(of head: HeadValue) throws(EtcdError) -> [[JournalChange]]? {
    guard let journal = head.journal, let count = head.parts else { return nil }
    guard (1...Self.partLimit).contains(count), journal.utf8.count == 16 else {
      throw .malformed("The journal of \(name) is not one of Locket")
    }
    var parts: [[JournalChange]] = []
    for number in 0..<count {
      let answer = try cluster.read(
        RangeRequest(key: keys.part(journal, number)), limit: CallPolicy.largeAnswer)
      // Another process has copied the journal in the meantime.
      guard let part = answer.all.first else { throw .compacted("A journal was removed") }
      parts.append(try EtcdCluster.decode([JournalChange].self, part.bytes[...]))
    }
    return parts
  }

  /// Copies the journal of a snapshot to the settings' keys; returns false if another process has
  /// changed the head.
  ///
  /// Each request has the time of a write, since until all are made, puts by other programs are
  /// lost. All together have 30 times as much, so that a hostile server cannot answer for ever.
  private func finishJournal(of snapshot: Snapshot) throws(EtcdError) -> Bool {
    guard let parts = try journal(of: snapshot.head), let journal = snapshot.head.journal else {
      return true
    }
    let last = ContinuousClock.now + cluster.writeTimeout * 30
    var deadline: ContinuousClock.Instant { min(last, .now + cluster.writeTimeout) }
    let compare = [Comparison.lastChange(of: keys.head, isAt: snapshot.headRevision)]
    for part in parts {
      for start in stride(from: 0, to: part.count, by: Self.transactionCount) {
        let batch = part[start..<min(start + Self.transactionCount, part.count)]
        let operations = batch.map { change in
          let key = Bytes(keys.settings.array + change.key.array)
          return change.value.map { .put(key, $0) } ?? Operation.delete(key)
        }
        let answer = try cluster.call(
          "kv/txn", Transaction(compare: compare, success: operations),
          as: TransactionAnswer.self, CallPolicy(deadline: deadline))
        if answer.succeeded != true { return false }
      }
    }
    let value = HeadValue(nonce: try EtcdHead.newNonce())
    let first = Bytes("\(keys.prefix).journal/\(journal)/")
    _ = try head.commit(
      try EtcdCluster.encode(value), expecting: snapshot.headRevision,
      [.delete(first, upTo: first.endOfPrefix)], by: deadline)
    // The snapshot is no longer the newest one.
    return false
  }
}
