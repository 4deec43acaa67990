import CLibrary
import Concurrency
import FoundationEssentials
package import SecretStorage
package import StorageInternals

/// A record log in etcd; see the page of SecretStorage on the format for its keys.
///
/// An append is one transaction, which compares the head key. While a watch of that key is healthy,
/// reads are answered from memory; at least once a second, a read asks the cluster.
package struct EtcdRecordLog: RecordLog {
  let shared: SharedLog
  let cipher: any SecretCipher
  package var lockTimeout = LockTimeout()

  init(_ cluster: EtcdCluster, prefix: String, cipher: any SecretCipher) {
    shared = cluster.sharedLog(prefix)
    self.cipher = cipher
  }

  package var name: String { shared.name }
  package var place: String { shared.place }
  package var isSharedBetweenMachines: Bool { true }

  var cluster: EtcdCluster { shared.cluster }

  /// Runs calls of the cluster, and converts their errors.
  func mapErrors<Result>(
    _ body: () throws(EtcdError) -> Result
  ) throws(SecretStoreError) -> Result {
    do {
      return try body()
    } catch {
      throw SecretStoreError(error, of: name)
    }
  }

  package func look(certainly: Bool) throws(SecretStoreError) {
    try mapErrors { () throws(EtcdError) in
      _ = try certainly ? shared.look() : shared.head()
    }
  }

  package var findings: [(subject: String, text: String, isProblem: Bool)] {
    let members = cluster.findings().map { ($0.subject, $0.text, $0.isProblem) }
    let problem = shared.watchProblem(within: cluster.requestTimeout)
    let text = problem.map { "\($0)" } ?? "a watch reports changes by other machines immediately"
    return members + [("Observing", text, problem != nil)]
  }

  package func synchronize(to position: LogPosition) throws(SecretStoreError) -> Bool { true }

  package func protect() throws(SecretStoreError) {}

  package func releaseReserve() -> Bool { false }

  package func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(SecretStoreError) -> ChangeObservation {
    let observer = Observer(handler)
    let (shared, name) = (shared, name)
    shared.observers.withLock { $0.add(observer) }
    shared.startWatching()
    let end = observer.end { [weak shared] observer in
      shared?.observers.withLock { $0.remove(observer) }
    }
    return ChangeObservation(
      problem: { shared.watchProblem.map { SecretStoreError($0, of: name) } }, end: end)
  }
}

/// A reference that does not keep the log of a vault alive.
struct WeakLog: Sendable { weak var log: SharedLog? }

extension EtcdCluster {
  /// Returns the state of a vault's log, which all objects of this process for the vault share.
  fileprivate func sharedLog(_ prefix: String) -> SharedLog {
    state.withLock { state in
      if let log = state.logs[prefix]?.log { return log }
      let log = SharedLog(self, prefix)
      state.logs[prefix] = WeakLog(log: log)
      return log
    }
  }
}

/// The head of a vault's log, and the watch that keeps it current.
final class SharedLog: Sendable {
  /// The value of the head key.
  struct Head: Codable, Sendable {
    var format = 1
    var nonce: String
    /// The number of the log, which grows with each replacement; 0 if there is none.
    var generation: UInt64 = 0
    /// The number of the last batch of records.
    var last: UInt64 = 0
    /// The damaged logs that were kept.
    var kept: [UInt64]?
  }

  /// A version of the head key.
  struct Known: Sendable {
    var head: Head?
    var modRevision: Int64 = 0
    var createRevision: Int64 = 0

    /// Whether there is a log.
    var existing: Head? { head.flatMap { $0.generation > 0 ? $0 : nil } }
  }

  fileprivate struct State: Sendable {
    var known: Known?
    /// The number of times that `known` was set.
    var updates = 0
    /// The start of the last read that confirmed that `known` is current.
    var confirmed: ContinuousClock.Instant?
    var watch: EtcdWatch?
    var isConnected = false
  }

  let cluster: EtcdCluster
  let prefix: String
  let name: String
  let place: String
  let keys: LogKeys
  let key: EtcdHead
  let observers = Lock(Observers<@Sendable () -> Void>(), inForkedChild: { Observers() })
  /// The number of consecutive conflicts with other writers, and when the first one was.
  let conflicts = Lock<(count: Int, since: ContinuousClock.Instant?)>((0, nil))
  private let state = Lock(State(), inForkedChild: { State() })
  private let thread = SerialThread()

  /// The maximum time for which a getter relies on the watch alone.
  static let stalenessLimit = Duration.seconds(1)

  init(_ cluster: EtcdCluster, _ prefix: String) {
    self.cluster = cluster
    self.prefix = prefix
    name = "etcd prefix \(prefix)"
    // Members come and go, so the endpoints are no part of it.
    place = "etcd cluster \(cluster.name) \(prefix)"
    keys = LogKeys(prefix)
    key = EtcdHead(cluster, keys.head)
  }

  var watchProblem: EtcdError? { state.withLock { $0.watch }?.problem }

  /// Returns why a watch does not report changes, after waiting for its connection.
  func watchProblem(within timeout: Duration) -> EtcdError? {
    startWatching()
    let deadline = ContinuousClock.now + timeout
    while .now < deadline {
      let (watch, isConnected) = state.withLock { ($0.watch, $0.isConnected) }
      if isConnected { return nil }
      if let problem = watch?.problem { return problem }
      usleep(2000)
    }
    return .unreachable("The members do not answer to a watch in time")
  }

  /// Returns the head: from memory while the watch is healthy, or else from the cluster.
  func head() throws(EtcdError) -> Known {
    try key.settle()
    let (known, isFresh) = state.withLock { state in
      let age = state.confirmed.map { ContinuousClock.now - $0 }
      return (state.known, state.isConnected && age.map { $0 < Self.stalenessLimit } ?? false)
    }
    if let known, isFresh { return known }
    return try look()
  }

  /// Reads the head from the cluster.
  @discardableResult
  func look() throws(EtcdError) -> Known {
    let start = ContinuousClock.now
    let updates = state.withLock { $0.updates }
    let answer = try cluster.read(RangeRequest(key: key.key))
    let found = try Self.known(answer.all.first)
    startWatching(from: answer.revision)
    return state.withLock { state in
      // A change that was made during the read may be known already.
      if state.updates == updates || found.modRevision >= state.known?.modRevision ?? 0 {
        state.set(found)
      }
      state.confirmed = max(start, state.confirmed ?? start)
      return state.known ?? found
    }
  }

  private static func known(_ found: KeyValue?) throws(EtcdError) -> Known {
    guard let found else { return Known() }
    let head = try EtcdCluster.decode(Head.self, found.bytes[...])
    guard head.format == 1 else {
      throw .invalid("The vault was written by a newer version of Locket. Update the app.")
    }
    return Known(
      head: head, modRevision: found.modRevision, createRevision: found.createRevision)
  }

  /// Records a transaction of this process.
  func didWrite(_ head: Head, at revision: Int64) -> Known {
    state.withLock { state in
      let creation = state.known?.createRevision ?? 0
      let new = Known(
        head: head, modRevision: revision, createRevision: creation == 0 ? revision : creation)
      if revision >= state.known?.modRevision ?? 0 { state.set(new) }
      return new
    }
  }

  /// Makes the next read ask the cluster.
  func invalidate() { state.withLock { $0.confirmed = nil } }

  func startWatching(from revision: Int64? = nil) {
    state.withLock { state in
      guard state.watch == nil else { return }
      state.watch = EtcdWatch(cluster, key.key, from: revision.map { $0 + 1 }) { [weak self] news in
        self?.handle(news)
      }
    }
  }

  private func handle(_ news: EtcdWatch.News) {
    var hasChanged = false
    switch news {
    case .connected: state.withLock { $0.isConnected = true }
    case .disconnected: state.withLock { $0.isConnected = false }
    case .gap:
      state.withLock { state in
        state.isConnected = true
        state.confirmed = nil
      }
      hasChanged = true
    case .changes(let events, _):
      hasChanged = true
      do throws(EtcdError) {
        let event = events.last
        var known = try Self.known(event?.type == "DELETE" ? nil : event?.kv)
        if event?.type == "DELETE" { known.modRevision = 0 }
        state.withLock { state in
          if event?.type == "DELETE" {
            // A reader must see whether the vault was removed or restored.
            state.confirmed = nil
          } else if known.modRevision > state.known?.modRevision ?? 0 {
            state.set(known)
          }
        }
      } catch {
        // The next read reports the error.
        invalidate()
      }
    }
    guard hasChanged else { return }
    let current = observers.withLock { $0.all }
    if !current.isEmpty { thread.run { for observer in current { observer.handler?() } } }
  }
}

extension SharedLog.State {
  fileprivate mutating func set(_ new: SharedLog.Known) {
    known = new
    updates += 1
  }
}

/// The keys of a vault's log.
struct LogKeys: Sendable {
  let prefix: String
  let head, exclusive: Bytes

  init(_ prefix: String) {
    self.prefix = prefix
    head = Bytes("\(prefix)/head")
    exclusive = Bytes("\(prefix)/exclusive")
  }

  private func digits(_ number: UInt64) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }

  /// The beginning of the keys of the batches of a log.
  func batches(_ generation: UInt64) -> Bytes { Bytes("\(prefix)/log/\(digits(generation))/") }

  func batch(_ generation: UInt64, _ number: UInt64) -> Bytes {
    Bytes("\(prefix)/log/\(digits(generation))/\(digits(number))")
  }

  /// The beginning of the keys of all pieces of a log.
  func pieces(_ generation: UInt64) -> Bytes { Bytes("\(prefix)/pieces/\(digits(generation))/") }

  func piece(_ generation: UInt64, _ nonce: String, _ number: Int) -> Bytes {
    Bytes("\(prefix)/pieces/\(digits(generation))/\(nonce)/\(digits(UInt64(number)))")
  }

  /// Returns the number of a batch; nil for another key.
  func number(ofBatch key: Bytes, _ generation: UInt64) -> UInt64? {
    let start = batches(generation).array
    guard key.array.count == start.count + 16, key.array.starts(with: start) else { return nil }
    return UInt64(String(decoding: key.array.dropFirst(start.count), as: UTF8.self), radix: 16)
  }
}
