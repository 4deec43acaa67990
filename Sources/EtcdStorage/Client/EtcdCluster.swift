import Concurrency
import FoundationEssentials
public import SecretStorage
import StorageInternals
import Synchronization

/// The members of an etcd cluster, and how to connect to them.
///
/// ```swift
/// let cluster = EtcdCluster(
///   endpoints: ["https://10.0.0.1:2379", "https://10.0.0.2:2379", "https://10.0.0.3:2379"],
///   tls: EtcdTLS(authority: .file(URL(filePath: "/etc/app/authority.pem"))),
///   user: EtcdUser(name: "app", password: password))
/// let settings = KeyValueStore(etcd: cluster, prefix: "/app/settings")
/// ```
///
/// Creating the object makes no connection, so it never fails: a mistake in an argument is thrown
/// by each access. Requests go to the members in turn: one that does not answer within
/// ``requestTimeout`` is avoided for a while. Connections are kept, and use HTTP/2 where the server
/// offers it. Any number of threads, stores and vaults may share a cluster.
///
/// All calls block the calling thread. libcurl is loaded at the first access.
public final class EtcdCluster: Sendable {
  /// The addresses of the members.
  public let endpoints: [String]
  let tls: EtcdTLS?
  let user: EtcdUser?
  /// The name under which this machine records which vaults are in the cluster.
  let name: String
  private let configurationError: EtcdError?
  let state = Lock(State(), inForkedChild: { State() })
  private let timeouts = Lock(Timeouts())

  struct Timeouts: Sendable {
    var request = Duration.seconds(1)
    var read = Duration.seconds(2)
    var write = Duration.seconds(10)
    var silence = Duration.seconds(10)
  }

  struct State: Sendable {
    /// The unused connections to each endpoint.
    var idle: [Int: [HTTPConnection]] = [:]
    /// The endpoint that answered last.
    var preferred = 0
    /// The number of failures of each endpoint since its last answer, and when it is tried again.
    var failures: [Int: (count: Int, until: ContinuousClock.Instant)] = [:]
    var token: String?
    var material: EtcdTLS.Material?
    var stamp: EtcdTLS.Stamp?
    var stampCheck: ContinuousClock.Instant?
    /// The reason why the cluster cannot be read, until a probe succeeds.
    var outage: EtcdError?
    /// The logs of vaults that this process uses, by prefix.
    var logs: [String: WeakLog] = [:]
  }

  /// Creates a description of a cluster.
  ///
  /// - Parameters:
  ///   - endpoints: The client URLs of the members, such as `https://10.0.0.1:2379`. Without TLS
  ///     (`http`), anyone in the network sees the settings and the password of the user.
  ///   - tls: The certificates; nil for the authorities that the system trusts, and no client
  ///     certificate.
  ///   - user: The user to authenticate as; nil if the cluster has no users.
  ///   - name: A name that tells the cluster from others that this app uses on this machine with
  ///     the same prefix. Under it, the machine records which vault is in the cluster.
  public init(
    endpoints: [String], tls: EtcdTLS? = nil, user: EtcdUser? = nil, name: String = "etcd"
  ) {
    self.name = name
    self.tls = tls
    self.user = user
    self.endpoints = endpoints.map { $0.last == "/" ? String($0.dropLast()) : $0 }
    configurationError = Self.problem(of: self.endpoints)
  }

  private static func problem(of endpoints: [String]) -> EtcdError? {
    if endpoints.isEmpty { return .invalid("An etcd cluster needs at least one endpoint.") }
    let scheme = ["http://", "https://"]
    for (number, endpoint) in zip(1..., endpoints) {
      let host = scheme.first { endpoint.hasPrefix($0) }.map { endpoint.utf8.dropFirst($0.count) }
      // An address with a user's name would repeat the password in messages.
      let isHost = host.map { bytes in
        !bytes.isEmpty
          && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"@/?#\\\"".utf8.contains($0) }
      }
      if isHost != true {
        return .invalid(
          "Endpoint \(number) must have the form https://host:port, without a user, path or query.")
      }
    }
    return nil
  }

  /// The time after which a request is repeated at another member; one second by default.
  ///
  /// Transfers of large values have more time, in proportion to their size.
  public var requestTimeout: Duration {
    get { timeouts.withLock { $0.request } }
    set { timeouts.withLock { $0.request = max(.milliseconds(1), newValue) } }
  }

  /// The time after which a read fails with `unavailable`; two seconds by default.
  ///
  /// While the cluster is unavailable, later reads and writes fail at once, and a thread tries to
  /// reach the cluster. Properties keep the value last read.
  public var readTimeout: Duration {
    get { timeouts.withLock { $0.read } }
    set { timeouts.withLock { $0.read = max(.milliseconds(1), newValue) } }
  }

  /// The time after which a write fails, with `uncertain` if it may have been made; ten seconds by
  /// default.
  public var writeTimeout: Duration {
    get { timeouts.withLock { $0.write } }
    set { timeouts.withLock { $0.write = max(.milliseconds(1), newValue) } }
  }

  /// The time without news after which a watch is replaced by a new one, whose member must answer.
  var watchSilence: Duration {
    get { timeouts.withLock { $0.silence } }
    set { timeouts.withLock { $0.silence = newValue } }
  }

  static func isValid(prefix: String) -> Bool {
    prefix.hasPrefix("/") && !prefix.hasSuffix("/") && prefix.utf8.count <= 1024
      && !prefix.utf8.contains(0)
  }

  func checkConfiguration() throws(EtcdError) {
    if let configurationError { throw configurationError }
  }
}

extension EtcdCluster: CustomReflectable {
  /// A mirror with the endpoints only.
  public var customMirror: Mirror { Mirror(self, children: ["endpoints": endpoints]) }
}

/// A user of etcd.
public struct EtcdUser: Sendable {
  /// The user's name.
  public var name: String
  /// The user's password.
  ///
  /// Locket overwrites its copies after authenticating. libcurl, and the library that it uses for
  /// TLS, do not overwrite theirs.
  public var password: Secret

  /// Creates a user.
  public init(name: String, password: Secret) {
    self.name = name
    self.password = password
  }
}

extension EtcdUser {
  /// The request for a token, as JSON with the password, which the caller overwrites.
  func authentication() throws(EtcdError) -> [UInt8] {
    let name = try EtcdCluster.encode(name)
    var body: [UInt8] = []
    // Growing would leave a copy of the bytes in memory.
    body.reserveCapacity(name.count + 6 * password.count + 32)
    body += "{\"name\":".utf8
    body += name
    body += ",\"password\":\"".utf8
    unsafe password.withUnsafeBytes { bytes in
      for index in bytes.indices {
        let byte = unsafe bytes[index]
        switch byte {
        case 0..<0x20: body += "\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): body += [UInt8(ascii: "\\"), byte]
        default: body.append(byte)
        }
      }
    }
    body += "\"}".utf8
    return body
  }
}

extension EtcdCluster {
  /// Passes a connection to a closure, and keeps it if the closure returns true as well.
  func withConnection<Result>(
    to endpoint: Int, _ body: (HTTPConnection) -> (Result, isReusable: Bool)
  ) throws(EtcdError) -> Result {
    try refreshMaterial()
    let (idle, material, stamp) = state.withLock {
      ($0.idle[endpoint]?.popLast(), $0.material, $0.stamp)
    }
    let connection = if let idle { idle } else { try HTTPConnection(material) }
    let (result, isReusable) = body(connection)
    state.withLock { state in
      // After a failure, the other connections to the endpoint are likely to fail too.
      guard isReusable else { return state.idle[endpoint] = nil }
      // A connection with older certificates is closed.
      guard state.stamp == stamp, state.idle[endpoint, default: []].count < 8 else { return }
      state.idle[endpoint, default: []].append(connection)
    }
    return result
  }

  /// Returns a connection that is not shared.
  func makeConnection() throws(EtcdError) -> HTTPConnection {
    try checkConfiguration()
    try refreshMaterial()
    return try HTTPConnection(state.withLock { $0.material })
  }

  /// Reads the certificates if their files have changed, at most once a second.
  private func refreshMaterial() throws(EtcdError) {
    guard let tls else { return }
    let now = ContinuousClock.now
    let isDue = state.withLock { state in
      if let last = state.stampCheck, now - last < .seconds(1) { return false }
      state.stampCheck = now
      return true
    }
    if !isDue { return }
    do throws(EtcdError) {
      let stamp = try tls.stamp()
      if state.withLock({ $0.stamp == stamp && $0.material != nil }) { return }
      let material = try tls.material()
      state.withLock { state in
        state.material = material
        state.stamp = stamp
        state.idle = [:]
      }
    } catch {
      // The certificates that were read before are used while their files are being replaced.
      if state.withLock({ $0.material == nil }) {
        state.withLock { $0.stampCheck = nil }
        throw error
      }
    }
  }

  /// The endpoints in the order in which they are tried.
  func endpointOrder() -> [Int] {
    let now = ContinuousClock.now
    return state.withLock { state in
      let all = endpoints.indices.map { (state.preferred + $0) % endpoints.count }
      let ready = all.filter { state.failures[$0].map { $0.until <= now } ?? true }
      return ready + all.filter { !ready.contains($0) }
    }
  }

  func didAnswer(_ endpoint: Int) {
    state.withLock { state in
      state.preferred = endpoint
      state.failures[endpoint] = nil
    }
  }

  func didFail(_ endpoint: Int) {
    state.withLock { state in
      let count = (state.failures[endpoint]?.count ?? 0) + 1
      let delay = Duration.milliseconds(100 << min(count, 6))
      state.failures[endpoint] = (count, .now + delay)
      if state.preferred == endpoint { state.preferred = (endpoint + 1) % endpoints.count }
    }
  }
}
