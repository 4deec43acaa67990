import Concurrency
import FoundationEssentials
public import KeyValueStorage

/// The settings of several machines in an etcd cluster, for a `KeyValueStore`.
///
/// A setting is the key `<prefix>/<name>`, and its value is JSON. The key `<prefix>.head` orders
/// the transactions. Reads are linearizable; a store asks only after a watch has reported a change.
public final class EtcdBackend: KeyValueBackend {
  /// The format of the values, JSON.
  public let format = KeyValueFormat.json
  /// The store's name in messages.
  public let name: String
  let cluster: EtcdCluster
  let keys: SettingKeys
  let head: EtcdHead
  private let state = Lock(State(), inForkedChild: { State() })
  private let thread = SerialThread()
  private let prefixProblem: EtcdError?

  fileprivate struct State: Sendable {
    var snapshot: Snapshot?
    /// The revision and the offset of the last snapshot.
    var last = (revision: Int64(0), offset: Int64(0))
    /// The number of times that the snapshot was set.
    var updates = 0
    var watch: EtcdWatch?
    /// The revision after which the watch has reported all changes.
    var watched = Int64.max
    /// Whether the watch was interrupted since the observers were last notified.
    var isInterrupted = false
    var observers = Observers<@Sendable () -> Void>()
  }

  /// The settings at a revision of the cluster.
  struct Snapshot: Sendable {
    var contents: KeyValueContents
    /// The revision up to which the contents are complete.
    var revision: Int64
    var head = HeadValue(nonce: "")
    /// The revision of the head's last change; 0 if there is none.
    var headRevision: Int64 = 0
    /// The difference between the revisions of contents, which never become lower, and those of
    /// etcd, which do when an older backup is restored.
    var offset: Int64 = 0
  }

  /// The value of the head key.
  struct HeadValue: Codable, Sendable {
    var format = 1
    var nonce: String
    /// The nonce and the number of parts of a transaction that is larger than one of etcd, and is
    /// not copied to the settings' keys yet.
    var journal: String?
    var parts: Int?
  }

  /// Creates a backend.
  ///
  /// - Parameters:
  ///   - cluster: The cluster.
  ///   - prefix: The beginning of the settings' keys, without a slash at the end.
  public init(_ cluster: EtcdCluster, prefix: String) {
    self.cluster = cluster
    name = "etcd prefix \(prefix)"
    keys = SettingKeys(prefix)
    head = EtcdHead(cluster, keys.head)
    prefixProblem =
      EtcdCluster.isValid(prefix: prefix)
      ? nil : .invalid("The prefix of settings in etcd must have the form /app/settings.")
  }

  /// Reads the newest contents.
  public func load() throws(KeyValueStoreError) -> KeyValueContents {
    try mapErrors { () throws(EtcdError) in try look().contents }
  }

  /// Reads the changes since older contents, if there are any.
  public func load(
    updating contents: KeyValueContents
  ) throws(KeyValueStoreError) -> KeyValueContents { try load() }

  /// Asks the cluster whether the contents have changed.
  public func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool {
    // The watch may have told already.
    if let known = state.withLock({ $0.snapshot?.contents.revision }), known != revision {
      return true
    }
    return try load().revision != revision
  }

  /// Calls a handler after each change by any process.
  public func observe(
    _ handler: @escaping @Sendable () -> Void
  ) throws(KeyValueStoreError) -> KeyValueObservation {
    let revision = try mapErrors { () throws(EtcdError) in try look().revision }
    let observer = Observer(handler)
    state.withLock { state in
      state.observers.add(observer)
      if state.watch == nil {
        state.watched = revision
        state.watch = EtcdWatch(
          cluster, keys.settings, upTo: keys.settings.endOfPrefix, from: revision + 1
        ) { [weak self] news in self?.handle(news) }
      }
    }
    let name = name
    return KeyValueObservation(
      error: { [weak self] in
        self?.state.withLock { $0.watch }?.problem.map { KeyValueStoreError($0, of: name) }
      },
      end: observer.end { [weak self] observer in
        self?.state.withLock { state in
          state.observers.remove(observer)
          if state.observers.isEmpty { state.watch = nil }
        }
      })
  }

  /// Returns nil, because a value that cannot be read concerns its own key only.
  public func moveAside() throws(KeyValueStoreError) -> String? { nil }

  private func handle(_ news: EtcdWatch.News) {
    let observers = state.withLock { state -> [Observer<@Sendable () -> Void>] in
      switch news {
      case .connected:
        // A store that has seen an interruption learns that it is over.
        if !state.isInterrupted { return [] }
        state.isInterrupted = false
      case .disconnected: state.isInterrupted = true
      case .gap(let revision):
        state.watched = revision
        // Before an older backup was restored, the revision was higher.
        if let known = state.snapshot?.revision, known > revision { state.snapshot = nil }
      case .changes(let events, let revision): state.apply(events, upTo: revision, keys)
      }
      return state.observers.all
    }
    if observers.isEmpty { return }
    thread.run { for observer in observers { observer.handler?() } }
  }

  func mapErrors<Result>(
    _ body: () throws(EtcdError) -> Result
  ) throws(KeyValueStoreError) -> Result {
    do throws(EtcdError) {
      if let prefixProblem { throw prefixProblem }
      return try body()
    } catch {
      throw KeyValueStoreError(error, of: name)
    }
  }
}

extension EtcdBackend {
  /// Returns the newest settings.
  func look() throws(EtcdError) -> Snapshot {
    for _ in 0..<20 {
      do throws(EtcdError) {
        return try lookOnce()
      } catch {
        // The revision that was read, or its journal, is gone.
        guard case .compacted = error else { throw error }
        state.withLock { $0.snapshot = nil }
      }
    }
    throw .unreachable("\(name) changes faster than it can be read")
  }

  private func lookOnce() throws(EtcdError) -> Snapshot {
    try head.settle()
    let (known, updates, last) = state.withLock { ($0.snapshot, $0.updates, $0.last) }
    if var known, known.contents.count > 1000 {
      // Finding the changes among many keys takes longer than asking whether there were any.
      let answer = try cluster.read(RangeRequest(key: keys.head))
      if answer.revision == known.revision {
        known.head = try Self.decode(answer.all.first)
        known.headRevision = answer.all.first?.modRevision ?? 0
        return try completingJournal(of: known)
      }
    }
    var newest: Snapshot?
    if let known { newest = try changes(since: known) }
    let found = if let newest { newest } else { try readAll(after: last) }
    adopt(found, unlessChangedSince: updates)
    return found
  }

  /// Keeps a snapshot for the next read, unless another thread has kept a newer one.
  func adopt(_ snapshot: Snapshot, unlessChangedSince updates: Int? = nil) {
    state.withLock { state in
      guard state.updates == updates || snapshot.revision > state.snapshot?.revision ?? 0 else {
        return
      }
      state.snapshot = snapshot
      state.last = (snapshot.revision, snapshot.offset)
      state.updates += 1
    }
  }

  private static func decode(_ found: KeyValue?) throws(EtcdError) -> HeadValue {
    guard let found else { return HeadValue(nonce: "") }
    let head = try EtcdCluster.decode(HeadValue.self, found.bytes[...])
    guard head.format == 1 else {
      throw .invalid("The settings were written by a newer version of Locket. Update the app.")
    }
    return head
  }

  /// The maximum size of all settings, in bytes, and their number.
  private static let (sizeLimit, countLimit) = (256 << 20, 1 << 22)

  /// The number of settings in an answer, which has at most 96 MiB.
  private static let pageSize: Int64 = 64

  /// Reads all settings at one revision.
  private func readAll(
    after last: (revision: Int64, offset: Int64)
  ) throws(EtcdError) -> Snapshot {
    let first = try cluster.read(RangeRequest(key: keys.head))
    let lost = max(0, last.revision - first.revision)
    // A hostile server could make the sum overflow.
    let offset = lost == 0 ? last.offset : last.offset &+ lost &+ 1
    var values: [(key: String, value: EncodedValue)] = []
    var next = keys.settings
    var (size, count) = (0, 0)
    while true {
      let answer = try cluster.read(
        RangeRequest(
          key: next, range_end: keys.settings.endOfPrefix, limit: Int64Text(Self.pageSize),
          revision: Int64Text(first.revision)), limit: CallPolicy.largeAnswer)
      for found in answer.all {
        // A hostile server could answer for ever.
        guard !found.key.array.lexicographicallyPrecedes(next.array) else {
          throw .malformed("\(name) has keys that are not in order")
        }
        next = Bytes(found.key.array + [0])
        (size, count) = (size + found.key.array.count + found.bytes.count, count + 1)
        guard size <= Self.sizeLimit, count <= Self.countLimit else {
          throw .malformed("\(name) is too large")
        }
        // A key that is not text is another program's, and is kept.
        if let key = keys.name(of: found.key) { values.append((key, found.bytes[...])) }
      }
      if answer.more != true { break }
      guard answer.all.count == Self.pageSize else {
        throw .malformed("\(name) is answered in parts that are too small")
      }
    }
    let snapshot = Snapshot(
      contents: KeyValueContents(values, revision: first.revision &+ offset),
      revision: first.revision, head: try Self.decode(first.all.first),
      headRevision: first.all.first?.modRevision ?? 0, offset: offset)
    return try completingJournal(of: snapshot)
  }

  /// Reads the changes since a snapshot; returns nil if keys have been removed.
  private func changes(since known: Snapshot) throws(EtcdError) -> Snapshot? {
    let transaction = Transaction(
      success: [
        .range(RangeRequest(key: keys.head)),
        .range(
          RangeRequest(
            key: keys.settings, range_end: keys.settings.endOfPrefix,
            limit: Int64Text(Self.pageSize),
            min_mod_revision: Int64Text(known.revision + 1))),
      ])
    let answer = try cluster.read(transaction)
    let responses = (answer.responses ?? []).map(\.response_range)
    guard responses.count == 2, let found = responses[1] else {
      throw .malformed("A transaction of etcd has no answer")
    }
    let head = responses[0]?.all.first
    // An older revision means that a backup was restored.
    guard answer.revision >= known.revision, found.more != true,
      head?.modRevision ?? 0 >= known.headRevision
    else { return nil }
    var changes = KeyValueChanges()
    var newest = known.contents.revision
    var count = known.contents.count
    for item in found.all {
      guard let key = keys.name(of: item.key) else { return nil }
      if known.contents[key] == nil { count += 1 }
      changes.set(key, to: item.bytes[...])
      newest = max(newest, item.modRevision &+ known.offset)
    }
    // With a removal, the count is smaller than that of the known and the new keys.
    guard count == found.count?.value ?? 0 else { return nil }
    var snapshot = known
    snapshot.revision = answer.revision
    if !changes.isEmpty { snapshot.contents = known.contents.applying(changes, revision: newest) }
    snapshot.head = try Self.decode(head)
    snapshot.headRevision = head?.modRevision ?? 0
    return try completingJournal(of: snapshot)
  }
}

extension EtcdBackend.State {
  /// Applies changes that the watch has reported, if it has reported all since the snapshot.
  ///
  /// Transactions of several parts are not complete, so a read looks at the head.
  fileprivate mutating func apply(
    _ events: [WatchLine.Event], upTo revision: Int64, _ keys: SettingKeys
  ) {
    guard let known = snapshot, known.revision >= watched, known.revision < revision else { return }
    var changes = KeyValueChanges()
    for event in events {
      guard let item = event.kv, item.modRevision > known.revision,
        let key = keys.name(of: item.key)
      else { continue }
      changes.set(key, to: event.type == "DELETE" ? nil : item.bytes[...])
    }
    snapshot?.contents = known.contents.applying(changes, revision: revision &+ known.offset)
    snapshot?.revision = revision
    last.revision = revision
    updates += 1
  }
}

/// The keys of settings.
struct SettingKeys: Sendable {
  let prefix: String
  /// The beginning of the keys of settings.
  let settings: Bytes
  let head: Bytes

  init(_ prefix: String) {
    self.prefix = prefix
    settings = Bytes("\(prefix)/")
    head = Bytes("\(prefix).head")
  }

  func setting(_ name: String) -> Bytes { Bytes(settings.array + Array(name.utf8)) }

  func part(_ journal: String, _ number: Int) -> Bytes {
    Bytes("\(prefix).journal/\(journal)/\(number)")
  }

  /// Returns the name of a setting; nil if the key is not text.
  func name(of key: Bytes) -> String? {
    guard key.array.starts(with: settings.array) else { return nil }
    return String(validating: key.array.dropFirst(settings.array.count), as: UTF8.self)
  }
}
