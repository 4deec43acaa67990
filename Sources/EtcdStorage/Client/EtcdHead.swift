import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals

/// A key that each transaction of a store compares and writes, so that transactions have an order.
///
/// Its value is a JSON object with a random nonce, which tells whose transaction made a change. A
/// transaction whose answer was lost is repeated: if the repetition succeeds, the first attempt can
/// never be applied; if it fails, the first change of the key after the compared one shows whose
/// transaction was applied.
final class EtcdHead: Sendable {
  let cluster: EtcdCluster
  let key: Bytes
  /// The highest revision that a transaction of unknown outcome compared.
  private let unsettled = Lock<Int64?>(nil, inForkedChild: { nil })

  init(_ cluster: EtcdCluster, _ key: Bytes) {
    self.cluster = cluster
    self.key = key
  }

  enum Outcome {
    /// The transaction was made, at a revision.
    case made(Int64)
    /// The key, or a guard, is not as it was compared; nothing was changed.
    case conflict(head: KeyValue?, guards: [KeyValue?])
  }

  private struct Nonce: Decodable { var nonce: String }

  static func nonce(of value: [UInt8]) -> String? {
    do throws(EtcdError) {
      return try EtcdCluster.decode(Nonce.self, value[...]).nonce
    } catch {
      return nil
    }
  }

  static func newNonce() throws(EtcdError) -> String {
    do {
      let number = try KernelRandom.integer(UInt64.self)
      return String(number | 1 << 63, radix: 16)
    } catch {
      throw .invalid("A nonce cannot be created: \(error)")
    }
  }

  /// Makes a transaction if the key was last changed at a revision, and sets it to a new value.
  ///
  /// - Throws: `uncertain` if it is unknown at the deadline whether the transaction was made.
  func commit(
    _ value: [UInt8], expecting revision: Int64, guards: [(key: Bytes, creation: Int64)] = [],
    comparing others: [Comparison] = [], _ operations: [Operation],
    by deadline: ContinuousClock.Instant
  ) throws(EtcdError) -> Outcome {
    let transaction = Transaction(
      compare: [.lastChange(of: key, isAt: revision)]
        + guards.map { .creation(of: $0.key, isAt: $0.creation) } + others,
      success: [.put(key, Bytes(value))] + operations)
    var isUnknown = false
    if let outage = cluster.state.withLock({ $0.outage }) { throw outage }
    while true {
      do throws(EtcdError) {
        let (answer, mayBeRepeated) = try cluster.transact(transaction, by: deadline)
        if answer.succeeded == true { return .made(answer.revision) }
        if mayBeRepeated { isUnknown = true }
        // Not a part of the transaction, which would take longer.
        let ranges = ([key] + guards.map(\.key)).map { Operation.range(RangeRequest(key: $0)) }
        let current = try cluster.read(Transaction(success: ranges), by: deadline)
        let found = (current.responses ?? []).map { $0.response_range?.all.first }
        let head = found.first ?? nil
        if !isUnknown {
          return .conflict(head: head, guards: Array(found.dropFirst()))
        }
        if (head?.modRevision ?? 0) != revision {
          return try outcome(of: value, after: revision, deadline, head)
        }
        // Only a guard failed, so the first attempt may still be applied later.
      } catch {
        if case .uncertain = error { isUnknown = true }
        if !isUnknown {
          if case .unreachable = error { cluster.beginOutage(error, probing: key) }
          throw error
        }
      }
      if .now >= deadline {
        // Other threads need not find out for themselves.
        cluster.beginOutage(.unreachable("etcd did not answer a write in time"), probing: key)
        throw uncertainty("The outcome of a write to etcd is unknown", revision)
      }
      usleep(20_000)
    }
  }

  /// Returns the outcome of a transaction after which the key was changed, by it or by another one.
  private func outcome(
    of value: [UInt8], after revision: Int64, _ deadline: ContinuousClock.Instant,
    _ head: KeyValue?
  ) throws(EtcdError) -> Outcome {
    let nonce = Self.nonce(of: value)
    if let head, Self.nonce(of: head.bytes) == nonce { return .made(head.modRevision) }
    guard let first = cluster.firstChange(of: key, after: revision, deadline) else {
      throw uncertainty(
        "The outcome of a write to etcd is unknown, and its history is gone", revision)
    }
    return Self.nonce(of: first.bytes) == nonce
      ? .made(first.modRevision) : .conflict(head: head, guards: [])
  }

  /// Records a transaction of unknown outcome, and returns its error.
  private func uncertainty(_ what: String, _ revision: Int64) -> EtcdError {
    unsettled.withLock { $0 = max($0 ?? 0, revision) }
    return .uncertain(what)
  }

  /// Settles earlier transactions of unknown outcome, so that they are never applied later.
  func settle() throws(EtcdError) {
    guard let revision = unsettled.withLock({ $0 }) else { return }
    let deadline = ContinuousClock.now + cluster.readTimeout
    // A change of the key excludes all attempts that compare this revision or a lower one.
    let current = try cluster.read(RangeRequest(key: key), by: deadline).all.first
    if (current?.modRevision ?? 0) == revision {
      // Without the key, this is the head of a store without content.
      let empty = Bytes("{\"format\":1,\"generation\":0,\"last\":0,\"nonce\":\"\"}")
      let transaction = Transaction(
        compare: [.lastChange(of: key, isAt: revision)],
        success: [.put(key, current?.value ?? empty)])
      _ = try cluster.read(transaction, by: deadline)
    }
    unsettled.withLock { if $0 == revision { $0 = nil } }
  }
}

/// A lease: keys that have it are removed when it is not renewed in time.
final class EtcdLease: Sendable {
  let id: Int64
  private let cluster: EtcdCluster
  private let renewal = Lock(ContinuousClock.now)
  private static let seconds: Int64 = 30

  init(_ cluster: EtcdCluster, _ deadline: ContinuousClock.Instant) throws(EtcdError) {
    self.cluster = cluster
    let answer = try cluster.call(
      "lease/grant", LeaseRequest(TTL: Int64Text(Self.seconds)), as: LeaseAnswer.self,
      CallPolicy(deadline: deadline))
    guard let id = answer.ID?.value, id != 0 else { throw .malformed("A lease has no number") }
    self.id = id
  }

  /// Renews the lease if a third of its time is over.
  func renewIfDue() throws(EtcdError) {
    let now = ContinuousClock.now
    let isDue = renewal.withLock { last in
      guard now - last > .seconds(Self.seconds / 3) else { return false }
      last = now
      return true
    }
    if !isDue { return }
    let answer = try cluster.call(
      "lease/keepalive", LeaseRequest(ID: Int64Text(id)), as: LeaseAnswer.self,
      CallPolicy(deadline: now + cluster.writeTimeout))
    guard answer.result?.TTL?.value ?? 0 > 0 else {
      throw .busy("A lease of etcd expired during a long write")
    }
  }

  /// Removes the keys that still have the lease.
  func revoke() {
    do throws(EtcdError) {
      _ = try cluster.call(
        "lease/revoke", LeaseRequest(ID: Int64Text(id)), as: EmptyAnswer.self,
        CallPolicy(deadline: .now + cluster.readTimeout))
    } catch {
      // The keys are removed when the lease expires.
    }
  }
}

extension EtcdLease {
  /// Puts a key with the lease unless it exists, and returns its creation; nil if it exists.
  private func create(
    _ key: Bytes, _ nonce: String, _ deadline: ContinuousClock.Instant
  ) throws(EtcdError) -> Int64? {
    let put = PutRequest(key: key, value: Bytes(nonce), lease: Int64Text(id))
    let transaction = Transaction(
      compare: [.creation(of: key, isAt: 0)], success: [.put(put)],
      failure: [.range(RangeRequest(key: key))])
    let answer = try cluster.call(
      "kv/txn", transaction, as: TransactionAnswer.self, CallPolicy(deadline: deadline))
    if answer.succeeded == true { return answer.revision }
    // An attempt whose answer was lost may have put it.
    let found = answer.responses?.first?.response_range?.all.first
    return found?.bytes == Array(nonce.utf8) ? found?.createRevision : nil
  }

  /// Puts a key that no other process has, waiting until its holder removes it or dies.
  ///
  /// - Returns: The revision of its creation, which a fenced transaction compares.
  /// - Throws: `busy` at the deadline.
  func acquire(_ key: Bytes, by deadline: ContinuousClock.Instant) throws(EtcdError) -> Int64 {
    let nonce = try EtcdHead.newNonce()
    var round = 0
    while true {
      if let creation = try create(key, nonce, max(deadline, .now + cluster.readTimeout)) {
        return creation
      }
      if .now >= deadline {
        throw .busy("Another process holds the lock \(String(decoding: key.array, as: UTF8.self))")
      }
      usleep(UInt32(5_000 << min(round, 6)))
      round += 1
      try renewIfDue()
    }
  }
}
