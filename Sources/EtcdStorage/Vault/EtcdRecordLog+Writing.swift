import CLibrary
import Concurrency
import FoundationEssentials
package import SecretStorage
import StorageInternals

extension EtcdRecordLog {
  /// The maximum size of a batch in its own key, in bytes.
  static let inlineLimit = 128 << 10

  private var deadline: ContinuousClock.Instant { .now + max(cluster.writeTimeout, .zero) }
  private var lockDeadline: ContinuousClock.Instant { .now + lockTimeout.duration }

  package func append(
    by make: () throws(SecretStoreError) -> (records: [LogRecord], position: LogPosition)?
  ) throws(SecretStoreError) -> LogPosition? {
    // A writer that loses again and again to others excludes them once.
    let isExclusive = shared.conflicts.withLock { $0.count >= 8 }
    let lock = isExclusive ? try Exclusion(self, by: lockDeadline) : nil
    defer { lock?.release() }
    guard let (records, position) = try make() else { return nil }
    var frames: [UInt8] = []
    for record in records { Frame.encode(record, into: &frames) }
    let known = try current(at: position)
    var head = try mapErrors { () throws(EtcdError) in
      SharedLog.Head(nonce: try EtcdHead.newNonce(), kept: known.head?.kept)
    }
    var operations: [Operation] = []
    if let old = known.existing {
      (head.generation, head.last) = (old.generation, old.last &+ 1)
      let next = position.words[1]
      if next <= old.last {
        // The vault has found the end of the log to be the rest of an interrupted write.
        operations.append(
          .delete(
            shared.keys.batch(old.generation, next),
            upTo: shared.keys.batch(old.generation, head.last)))
      }
    } else {
      (head.generation, head.last) = (Self.firstGeneration(after: known.head), 0)
    }
    let batch = shared.keys.batch(head.generation, head.last)
    if frames.count <= Self.inlineLimit {
      operations.append(.put(batch, Bytes(frames)))
      return try commit(head, expecting: known, operations, lock)
    }
    var stage = try Stage(self, head.generation)
    do throws(SecretStoreError) {
      try stage.add(frames, last: 0)
      operations += try stage.finish(as: batch)
      return try commit(head, expecting: known, operations, lock)
    } catch {
      stage.discard(after: error)
      throw error
    }
  }

  private static func firstGeneration(after head: SharedLog.Head?) -> UInt64 {
    max(1, (head?.kept?.max() ?? 0) &+ 1)
  }

  /// Returns the known version of the log; throws `conflict` unless its position is given.
  private func current(at position: LogPosition) throws(SecretStoreError) -> SharedLog.Known {
    let known = try mapErrors { () throws(EtcdError) in try shared.head() }
    let words = self.position(known).words
    guard words[0] == position.words[0], words[2] == position.words[2],
      words[3] == position.words[3]
    else { throw conflict() }
    return known
  }

  private func conflict() -> SecretStoreError {
    shared.invalidate()
    let now = ContinuousClock.now
    let isHopeless = shared.conflicts.withLock { conflicts in
      conflicts.count += 1
      let start = conflicts.since ?? now
      conflicts.since = start
      guard now - start > cluster.writeTimeout + lockTimeout.duration else { return false }
      conflicts = (0, nil)
      return true
    }
    // A hostile server could answer with conflicts for ever.
    if isHopeless {
      return .unavailable("\(name) changes faster than it can be written. Try again later.")
    }
    return .conflict
  }

  /// Makes the transaction of a write; throws `conflict` if another writer was faster.
  private func commit(
    _ head: SharedLog.Head, expecting known: SharedLog.Known, _ operations: [Operation],
    _ lock: Exclusion?
  ) throws(SecretStoreError) -> LogPosition {
    let guards = [(key: shared.keys.exclusive, creation: lock?.creation ?? 0)]
    let lockDeadline = lockDeadline
    while true {
      let outcome = try mapErrors { () throws(EtcdError) in
        try shared.key.commit(
          try EtcdCluster.encode(head), expecting: known.modRevision, guards: guards, operations,
          by: deadline)
      }
      switch outcome {
      case .made(let revision):
        shared.conflicts.withLock { $0 = (0, nil) }
        return position(shared.didWrite(head, at: revision))
      case .conflict(let found, let guards):
        if let lock, guards.first??.createRevision != lock.creation {
          throw .unavailable("\(name): the lock was lost to another process. Try again.")
        }
        if found?.modRevision ?? 0 != known.modRevision || lock != nil { throw conflict() }
        // Another process excludes writers.
        guard .now < lockDeadline else {
          throw .busy(
            path: String(decoding: shared.keys.exclusive.array, as: UTF8.self), holder: nil)
        }
        usleep(10_000)
      }
    }
  }

  package func replace(
    keepingOld: Bool, beginning: LogBeginning,
    by make: () throws(SecretStoreError) -> (records: [LogRecord], position: LogPosition)?
  ) throws(SecretStoreError) -> SecretStoreError? {
    let before = try mapErrors { () throws(EtcdError) in try shared.head() }
    let generation = max(
      (before.head?.generation ?? 0) &+ 1, Self.firstGeneration(after: before.head))
    // The pieces of the beginning are written while other writers are active.
    var stage = try Stage(self, generation)
    var lock: Exclusion?
    defer { lock?.release() }
    do throws(SecretStoreError) {
      try beginning { record throws(SecretStoreError) in try stage.add(record) }
      lock = try Exclusion(self, by: lockDeadline)
      guard let (records, position) = try make() else {
        stage.discard(after: nil)
        return nil
      }
      for record in records { try stage.add(record) }
      let known = try current(at: position)
      guard (known.head?.generation ?? 0) < generation else { throw conflict() }
      var head = try mapErrors { () throws(EtcdError) in
        SharedLog.Head(
          nonce: try EtcdHead.newNonce(), generation: generation, kept: known.head?.kept)
      }
      var operations = try stage.finish(as: shared.keys.batch(generation, 0))
      if let old = known.existing {
        if keepingOld {
          head.kept = (head.kept ?? []) + [old.generation]
        } else {
          operations += removal(of: old.generation)
        }
      }
      _ = try commit(head, expecting: known, operations, lock)
      return nil
    } catch {
      stage.discard(after: error)
      throw error
    }
  }

  private func removal(of generation: UInt64) -> [Operation] {
    [shared.keys.batches(generation), shared.keys.pieces(generation)].map {
      .delete($0, upTo: $0.endOfPrefix)
    }
  }

  package var damagedCopies: [String] {
    get throws(SecretStoreError) {
      let known = try mapErrors { () throws(EtcdError) in try shared.head() }
      return (known.head?.kept ?? []).map(keptName)
    }
  }

  /// The beginning of the keys of a damaged log that was kept.
  private func keptName(_ generation: UInt64) -> String {
    String(decoding: shared.keys.batches(generation).array.dropLast(), as: UTF8.self)
  }

  package func removeDamagedCopies(_ names: [String]) throws(SecretStoreError) {
    if names.isEmpty { return }
    for _ in 0..<100 {
      let known = try mapErrors { () throws(EtcdError) in try shared.look() }
      guard var head = known.head, let kept = head.kept else { return }
      let removed = kept.filter { names.contains(keptName($0)) }.prefix(50)
      if removed.isEmpty { return }
      head.kept = kept.filter { !removed.contains($0) }
      head.nonce = try mapErrors { () throws(EtcdError) in try EtcdHead.newNonce() }
      do throws(SecretStoreError) {
        _ = try commit(head, expecting: known, removed.flatMap(removal), nil)
      } catch {
        if error != .conflict { throw error }
      }
    }
    throw .unavailable("\(name) changes faster than it can be written. Try again later.")
  }
}

extension EtcdRecordLog {
  /// The exclusion of other writers, which ends when the process dies.
  final class Exclusion: Sendable {
    /// The revision of the lock's creation, which a write compares: another holder has another.
    let creation: Int64
    private let lease: EtcdLease

    init(_ log: EtcdRecordLog, by deadline: ContinuousClock.Instant) throws(SecretStoreError) {
      (lease, creation) = try log.mapErrors { () throws(EtcdError) in
        let lease = try EtcdLease(log.cluster, max(deadline, .now + log.cluster.readTimeout))
        do throws(EtcdError) {
          return (lease, try lease.acquire(log.shared.keys.exclusive, by: deadline))
        } catch {
          lease.revoke()
          throw error
        }
      }
    }

    func release() { lease.revoke() }
  }

  /// Records in pieces, which a transaction makes visible and permanent; the lease of a process
  /// that dies before removes them.
  struct Stage {
    private let log: EtcdRecordLog
    private let generation: UInt64
    private let nonce: String
    private var lease: EtcdLease?
    private var rest: [UInt8] = []
    private var pieces = 0
    private var last = 0
    private var count: Int { pieces * PieceReference.pieceSize + rest.count }

    init(_ log: EtcdRecordLog, _ generation: UInt64) throws(SecretStoreError) {
      self.log = log
      self.generation = generation
      nonce = try log.mapErrors { () throws(EtcdError) in try EtcdHead.newNonce() }
    }

    mutating func add(_ record: LogRecord) throws(SecretStoreError) {
      last = count
      Frame.encode(record, into: &rest)
      try write(all: false)
    }

    /// Adds the frames of several records.
    mutating func add(_ frames: [UInt8], last: Int) throws(SecretStoreError) {
      self.last = last
      rest += frames
      try write(all: false)
    }

    /// Writes whole pieces, or all bytes.
    private mutating func write(all: Bool) throws(SecretStoreError) {
      let size = PieceReference.pieceSize
      guard count <= PieceReference.limit * size else {
        throw .invalid(
          """
          \(log.name) would have more than \(PieceReference.limit) MiB at once, which etcd cannot \
          replace in one transaction: remove items, or use several vaults
          """)
      }
      var start = 0
      while rest.count - start >= size || all && start < rest.count {
        let piece = Array(rest[start..<min(start + size, rest.count)])
        try put(piece)
        start += piece.count
      }
      rest.removeFirst(start)
    }

    private mutating func put(_ piece: [UInt8]) throws(SecretStoreError) {
      let key = log.shared.keys.piece(generation, nonce, pieces)
      try log.mapErrors { () throws(EtcdError) in
        let deadline = ContinuousClock.now + log.cluster.writeTimeout
        let lease = if let lease { lease } else { try EtcdLease(log.cluster, deadline) }
        self.lease = lease
        try lease.renewIfDue()
        let request = PutRequest(key: key, value: Bytes(piece), lease: Int64Text(lease.id))
        _ = try log.cluster.call(
          "kv/put", request, as: EmptyAnswer.self, CallPolicy(deadline: deadline))
      }
      pieces += 1
    }

    /// Returns the operations that make the records a batch.
    mutating func finish(as batch: Bytes) throws(SecretStoreError) -> [Operation] {
      if pieces == 0, rest.count <= EtcdRecordLog.inlineLimit { return [.put(batch, Bytes(rest))] }
      let bytes = count
      try write(all: true)
      let reference = PieceReference(nonce: nonce, pieces: pieces, bytes: bytes, last: last)
      let value = try log.mapErrors { () throws(EtcdError) in try EtcdCluster.encode(reference) }
      return [.put(batch, Bytes(value))]
        + (0..<pieces).map { number in
          // Without a lease, a piece is permanent.
          let key = log.shared.keys.piece(generation, nonce, number)
          return .put(PutRequest(key: key, ignore_value: true))
        }
    }

    /// Removes the pieces, unless they may have become visible.
    func discard(after error: SecretStoreError?) {
      if case .uncertain = error { return }
      lease?.revoke()
    }
  }
}
