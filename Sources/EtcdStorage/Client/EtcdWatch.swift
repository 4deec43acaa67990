import CLibrary
import Concurrency
import Dispatch
import Synchronization

/// A watch of a range of keys, resumed after each interruption.
///
/// A thread reads the stream. A stream that is silent for ten seconds is replaced by a new one,
/// which continues where the old one ended: the old one may have been cut off without notice. The
/// header `hasleader` ends the stream of a member that has lost the quorum.
final class EtcdWatch: Sendable {
  /// The thread retains the follower, but not this object.
  private let follower: Follower

  enum News: Sendable {
    /// The watch follows all changes after a revision.
    case connected
    /// Changes, up to a revision.
    case changes([WatchLine.Event], revision: Int64)
    /// Changes up to a revision may have been missed: the keys must be read again.
    case gap(upTo: Int64)
    case disconnected(EtcdError)
  }

  /// Starts watching; `next` is the revision of the first change of interest.
  init(
    _ cluster: EtcdCluster, _ key: Bytes, upTo end: Bytes? = nil, from next: Int64?,
    handler: @escaping @Sendable (News) -> Void
  ) {
    follower = Follower(cluster, key, upTo: end, from: next, handler: handler)
    follower.start()
  }

  deinit { cancel() }

  /// The reason why changes are not reported at present; nil if they are.
  var problem: EtcdError? { follower.problem }

  func cancel() { follower.cancel() }
}

/// The work of a watch's thread.
private final class Follower: Sendable {
  private struct State: Sendable {
    /// Nil also before the first attempt, which takes no longer than a request.
    var problem: EtcdError?
    var isEnded = false
    /// Whether a member has confirmed the current stream.
    var isCreated = false
    var connection: HTTPConnection?
    /// The revision of the next change; nil for the newest one.
    var next: Int64?
  }

  private let cluster: EtcdCluster
  private let key: Bytes
  private let end: Bytes?
  private let state = Lock(State(), inForkedChild: { State() })
  private let handler: @Sendable (EtcdWatch.News) -> Void

  /// The maximum size of the changes of one revision, as JSON.
  private static let lineLimit = 64 << 20

  init(
    _ cluster: EtcdCluster, _ key: Bytes, upTo end: Bytes?, from next: Int64?,
    handler: @escaping @Sendable (EtcdWatch.News) -> Void
  ) {
    self.cluster = cluster
    self.key = key
    self.end = end
    self.handler = handler
    state.withLock { $0.next = next }
  }

  func start() {
    let code = DetachedThread.start(named: "locket-etcd") {
      var failures = 0
      while true {
        let error = self.follow()
        let (isEnded, wasCreated) = self.state.withLock { ($0.isEnded, $0.isCreated) }
        if isEnded { return }
        if wasCreated { failures = 0 }
        guard let error else { continue }
        self.disconnect(error)
        failures += 1
        switch error {
        // Only an administrator can change this.
        case .missingLibrary, .invalid, .denied: usleep(2_000_000)
        default: usleep(UInt32(50_000 << min(failures, 4)))
        }
      }
    }
    if code != 0 {
      state.withLock { $0.problem = .unreachable("There is no thread for a watch") }
    }
  }

  var problem: EtcdError? { state.withLock { $0.problem } }

  func cancel() {
    let connection = state.withLock { state in
      state.isEnded = true
      return state.connection.take()
    }
    connection?.cancel()
  }

  /// Follows the stream of one member to its end, and returns its error; nil if it was silent.
  private func follow() -> EtcdError? {
    state.withLock { $0.isCreated = false }
    let endpoint = cluster.endpointOrder()[0]
    do throws(EtcdError) {
      return try follow(endpoint)
    } catch {
      switch error {
      case .unreachable, .certificate: cluster.didFail(endpoint)
      default: break
      }
      return error
    }
  }

  private func disconnect(_ error: EtcdError) {
    state.withLock { state in
      state.problem = error
      state.connection = nil
    }
    handler(.disconnected(error))
  }

  private func follow(_ endpoint: Int) throws(EtcdError) -> EtcdError? {
    let connection = try cluster.makeConnection()
    let token = try cluster.token(.now + cluster.readTimeout)
    let next = state.withLock { state -> Int64? in
      if !state.isEnded { state.connection = connection }
      return state.next
    }
    let request = WatchRequest(
      key: key, range_end: end, start_revision: next.map { Int64Text($0) })
    let headers =
      ["Grpc-Metadata-hasleader: true"] + (token.map { ["Authorization: \($0)"] } ?? [])
    var failure: EtcdError?
    var isSilent = false
    let answer: HTTPConnection.Answer
    do throws(HTTPConnection.Failure) {
      answer = try connection.stream(
        "\(cluster.endpoints[endpoint])/v3/watch", Array(request.json.utf8), headers: headers,
        connecting: cluster.requestTimeout, lineLimit: Self.lineLimit,
        onLine: { line in
          do throws(EtcdError) {
            try handle(line, token)
            return !state.withLock { $0.isEnded }
          } catch {
            failure = error
            return false
          }
        },
        onSilence: { silence in
          let (isEnded, isCreated) = state.withLock { ($0.isEnded, $0.isCreated) }
          isSilent = silence > (isCreated ? cluster.watchSilence : cluster.requestTimeout)
          return !isSilent && !isEnded
        })
    } catch {
      throw error.isOfCertificate
        ? .certificate("\(cluster.endpoints[endpoint]): \(error.message)")
        : .unreachable("\(cluster.endpoints[endpoint]): \(error.message)")
    }
    if let failure { throw failure }
    if isSilent {
      if state.withLock({ $0.isCreated }) { return nil }
      throw .unreachable("\(cluster.endpoints[endpoint]) does not answer")
    }
    if answer.status == 401 || answer.status == 400 {
      cluster.state.withLock { if $0.token == token { $0.token = nil } }
    }
    return .unreachable("\(cluster.endpoints[endpoint]) ended the watch")
  }

  private func handle(_ line: ArraySlice<UInt8>, _ token: String?) throws(EtcdError) {
    let line = try EtcdCluster.decode(WatchLine.self, line)
    if let error = line.error {
      if error.http_code == 401 || error.grpc_code == 16 {
        cluster.state.withLock { if $0.token == token { $0.token = nil } }
      }
      throw .unreachable(
        "etcd ended a watch: \(error.message?.quoted(hiding: token) ?? "no reason given")")
    }
    guard let result = line.result else { throw .malformed("A line of a watch has no result") }
    if result.canceled == true {
      if let compacted = result.compact_revision?.value, compacted > 0 {
        state.withLock { $0.next = nil }
        throw .compacted("The changes since the last one were compacted")
      }
      // The token may have expired.
      cluster.state.withLock { if $0.token == token { $0.token = nil } }
      let reason = result.cancel_reason ?? "no reason given"
      let what = "etcd refused a watch: \(reason.quoted(hiding: token))"
      throw reason.contains("permission") ? .denied(what) : .unreachable(what)
    }
    let revision = result.header?.revision?.value ?? 0
    if result.created == true {
      let isGap = state.withLock { state in
        state.problem = nil
        state.isCreated = true
        // Changes between the last known one and this moment are not replayed. A revision that has
        // not come yet is one of the time before an older backup was restored.
        if let next = state.next, next <= revision + 1 { return false }
        state.next = revision + 1
        return true
      }
      handler(isGap ? .gap(upTo: revision) : .connected)
    }
    if let events = result.events, !events.isEmpty {
      // The header has the newest revision, up to which a long replay may not have come yet.
      let last = events.reduce(0) { max($0, $1.kv?.modRevision ?? 0) }
      handler(.changes(events, revision: last))
      state.withLock { $0.next = max(last + 1, $0.next ?? 0) }
    } else if result.created != true {
      // A progress notification.
      state.withLock { $0.next = max(revision + 1, $0.next ?? 0) }
    }
  }
}

extension EtcdCluster {
  /// Returns the value of a key's first change after a revision; nil if there is none in time or
  /// the history was compacted.
  func firstChange(
    of key: Bytes, after revision: Int64, _ deadline: ContinuousClock.Instant
  ) -> KeyValue? {
    let found = Lock<KeyValue?>(nil)
    let isOver = DispatchSemaphore(value: 0)
    let watch = EtcdWatch(self, key, from: revision + 1) { news in
      switch news {
      case .changes(let events, _):
        let first = events.first?.kv
        found.withLock { if $0 == nil { $0 = first } }
        isOver.signal()
      case .gap: isOver.signal()
      case .connected, .disconnected: break
      }
    }
    _ = isOver.wait(timeout: .now() + max(.zero, deadline - .now) / .seconds(1))
    watch.cancel()
    return found.withLock { $0 }
  }
}
