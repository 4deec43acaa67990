import CLibrary
import Concurrency
import FoundationEssentials
import SecretStorage
import StorageInternals

/// How a request is made.
struct CallPolicy {
  var deadline: ContinuousClock.Instant
  /// Whether repeating the request has no further effect.
  var isRepeatable = true
  /// The maximum size of the answer, in bytes.
  var limit = 4 << 20

  /// The maximum size of an answer with many or large values.
  static let largeAnswer = 96 << 20
}

extension EtcdCluster {
  /// The result of a request to one endpoint.
  enum Attempt {
    case answer(HTTPConnection.Answer)
    /// The cluster refused the request, as another member would.
    case refused(EtcdError)
    /// The token is missing, expired or void.
    case needsToken
    /// The request had certainly no effect.
    case notMade(EtcdError)
    /// The request may have had an effect.
    case unknown(EtcdError)
  }

  /// Makes a request at one member after the other, until one answers or the deadline passes.
  func call<Answer: Decodable>(
    _ path: String, _ request: some EtcdRequest, as type: Answer.Type, _ policy: CallPolicy
  ) throws(EtcdError) -> Answer {
    try checkConfiguration()
    return try Self.decode(type, try send(path, Array(request.json.utf8), policy).body[...])
  }

  /// Makes a transaction once; the result says whether an earlier copy of it may have been made.
  func transact(
    _ transaction: Transaction, by deadline: ContinuousClock.Instant
  ) throws(EtcdError) -> (answer: TransactionAnswer, mayBeRepeated: Bool) {
    try checkConfiguration()
    let answer = try send(
      "kv/txn", Array(transaction.json.utf8), CallPolicy(deadline: deadline, isRepeatable: false))
    do throws(EtcdError) {
      return (try Self.decode(TransactionAnswer.self, answer.body[...]), answer.mayBeRepeated)
    } catch {
      throw .uncertain("The answer to a write cannot be read")
    }
  }

  private func send(
    _ path: String, _ body: [UInt8], _ policy: CallPolicy
  ) throws(EtcdError) -> HTTPConnection.Answer {
    var failure = EtcdError.unreachable("No endpoint of etcd answered in time")
    var tokens = 0
    var round = 0
    while true {
      var certificateFailures = 0
      for endpoint in endpointOrder() {
        var remaining = policy.deadline - .now
        while remaining > .zero {
          let token = try token(policy.deadline)
          let attempt = try attempt(
            endpoint, path, body, token: token,
            timeout: min(remaining, timeout(for: body, policy)), limit: policy.limit)
          switch attempt {
          case .answer(let answer):
            didAnswer(endpoint)
            return answer
          case .refused(let error):
            didAnswer(endpoint)
            throw error
          case .needsToken:
            tokens += 1
            guard user != nil else {
              throw .authentication("The etcd cluster requires a user")
            }
            guard tokens < 4 else { throw .authentication("etcd refuses new tokens") }
            state.withLock { if $0.token == token { $0.token = nil } }
            remaining = policy.deadline - .now
            continue
          case .notMade(let error):
            failure = error
          case .unknown(let error):
            failure = error
            if !policy.isRepeatable {
              didFail(endpoint)
              throw .uncertain("The answer to a write was lost")
            }
          }
          break
        }
        if remaining <= .zero { throw failure }
        didFail(endpoint)
        if case .certificate = failure { certificateFailures += 1 }
      }
      // Trying again would not change certificates.
      if certificateFailures == endpoints.count { throw failure }
      let pause = min(.milliseconds(20 << min(round, 5)), policy.deadline - .now)
      if pause <= .zero { throw failure }
      usleep(UInt32(pause / .microseconds(1)))
      round += 1
    }
  }

  /// The time for a request at one member, which is never silent for ``requestTimeout``; large ones
  /// are sent at 1 MiB a second at least.
  private func timeout(for body: [UInt8], _ policy: CallPolicy) -> Duration {
    let isLarge = policy.limit >= CallPolicy.largeAnswer
    return requestTimeout + .milliseconds(body.count >> 10) + (isLarge ? .seconds(10) : .zero)
  }

  func attempt(
    _ endpoint: Int, _ path: String, _ body: [UInt8], token: String?, timeout: Duration, limit: Int
  ) throws(EtcdError) -> Attempt {
    let url = "\(endpoints[endpoint])/v3/\(path)"
    let headers = token.map { ["Authorization: \($0)"] } ?? []
    return try withConnection(to: endpoint) { connection in
      do throws(HTTPConnection.Failure) {
        let answer = try connection.post(
          url, body, headers: headers, timeout: timeout, silence: requestTimeout, limit: limit)
        if answer.status == 200 { return (.answer(answer), true) }
        // A hostile server may repeat the password.
        let isQuoted = path != Self.authentication
        return (classify(answer, endpoint, isQuoted: isQuoted, hiding: token), true)
      } catch {
        let what = "\(endpoints[endpoint]): \(error.message)"
        if error.isOfCertificate { return (.notMade(.certificate(what)), false) }
        return (error.isUnsent ? .notMade(.unreachable(what)) : .unknown(.unreachable(what)), false)
      }
    }
  }

  private static let authentication = "auth/authenticate"

  private func classify(
    _ answer: HTTPConnection.Answer, _ endpoint: Int, isQuoted: Bool, hiding token: String?
  ) -> Attempt {
    let failure: FailureAnswer
    do {
      failure = try Self.decode(FailureAnswer.self, answer.body[...])
    } catch {
      let text = String(decoding: answer.body.prefix(300), as: UTF8.self)
      if text.contains("CommonName") {
        return .refused(
          .certificate(
            """
            The JSON gateway of etcd refuses a client certificate with a common name if there are \
            users: use one without
            """))
      }
      let error = EtcdError.malformed(
        "\(endpoints[endpoint]) answered with status \(answer.status) and no reason")
      return answer.status >= 500 ? .unknown(error) : .refused(error)
    }
    let reason = failure.error ?? failure.message ?? "no reason given"
    let what =
      isQuoted ? "etcd: \(reason.quoted(hiding: token))" : "etcd cannot authenticate the user"
    return Self.classify(reason, what, code: failure.code ?? 0, status: answer.status)
  }

  private static func classify(
    _ reason: String, _ what: String, code: Int, status: Int
  ) -> Attempt {
    switch (code, status) {
    case (16, _), (_, 401): return .needsToken
    case (3, _) where reason.contains("user name is empty"): return .needsToken
    case (_, _) where reason.contains("auth store is old"): return .needsToken
    case (3, _) where reason.contains("authentication failed"):
      return .refused(.authentication("etcd refuses the name or the password of the user"))
    case (9, _) where reason.contains("authentication is not enabled"):
      return .refused(.authentication("The etcd cluster has no users"))
    case (7, _), (_, 403): return .refused(.denied(what))
    case (11, _): return .refused(.compacted(what))
    case (5, _): return .refused(.busy("A lease of etcd expired during a long write"))
    case (8, _) where reason.contains("space exceeded"): return .refused(.full(what))
    case (8, _) where reason.contains("too many requests"): return .notMade(.unreachable(what))
    case (8, _),
      (3, _) where reason.contains("too large"):
      return .refused(.tooLarge(what))
    case (14, _), (4, _), (2, _), (13, _), (1, _), (_, 500...): return .unknown(.unreachable(what))
    default: return .refused(.malformed("\(what) (code \(code), status \(status))"))
    }
  }

  static func encode(_ value: some Encodable) throws(EtcdError) -> [UInt8] {
    do {
      return Array(try JSONEncoder().encode(value))
    } catch {
      throw .invalid("A value for etcd cannot be encoded.")
    }
  }

  static func decode<Answer: Decodable>(
    _ type: Answer.Type, _ bytes: ArraySlice<UInt8>
  ) throws(EtcdError) -> Answer {
    do {
      return try JSONDecoder().decode(type, from: Data(bytes))
    } catch {
      // The error would contain parts of the answer.
      throw .malformed("An answer of etcd cannot be read")
    }
  }
}

extension EtcdCluster {
  /// Returns the token of the user, after authenticating if there is none; nil without a user.
  func token(_ deadline: ContinuousClock.Instant) throws(EtcdError) -> String? {
    guard let user else { return nil }
    if let token = state.withLock({ $0.token }) { return token }
    var body = try user.authentication()
    defer { body.wipe() }
    var failure = EtcdError.unreachable("No endpoint of etcd answered in time")
    var round = 0
    while true {
      for endpoint in endpointOrder() {
        let remaining = deadline - .now
        if remaining <= .zero { throw failure }
        // The server spends about 80 ms on a password, and more when it is busy.
        switch try attempt(
          endpoint, Self.authentication, body, token: nil,
          timeout: min(remaining, requestTimeout + .seconds(1)), limit: 64 << 10)
        {
        case .answer(let answer):
          guard let token = try Self.decode(AuthenticateAnswer.self, answer.body[...]).token,
            // A token is a header, which a line break would end.
            (1...8192).contains(token.utf8.count),
            token.utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
          else { throw .malformed("etcd answered with no token") }
          state.withLock { $0.token = token }
          return token
        case .refused(let error): throw error
        case .needsToken: throw .authentication("etcd requires a token for authenticating")
        case .notMade(let error), .unknown(let error):
          failure = error
          didFail(endpoint)
        }
      }
      if case .certificate = failure { throw failure }
      usleep(UInt32(20_000 << min(round, 4)))
      round += 1
    }
  }

  /// Makes a read for a caller that must not wait long.
  ///
  /// Once the cluster has not answered within ``readTimeout``, further reads throw at once, until a
  /// thread has reached it again.
  func read(
    _ request: RangeRequest, limit: Int = 4 << 20, by deadline: ContinuousClock.Instant? = nil
  ) throws(EtcdError) -> RangeAnswer {
    let policy = CallPolicy(deadline: deadline ?? .now + readTimeout, limit: limit)
    return try read("kv/range", request, as: RangeAnswer.self, policy, probing: request.key)
  }

  /// Makes a transaction that only reads, or whose repetition has no further effect.
  func read(
    _ request: Transaction, by deadline: ContinuousClock.Instant? = nil
  ) throws(EtcdError) -> TransactionAnswer {
    var key = request.compare.first?.key
    if case .range(let range)? = request.success.first { key = range.key }
    let policy = CallPolicy(
      deadline: deadline ?? .now + readTimeout, limit: CallPolicy.largeAnswer)
    return try read(
      "kv/txn", request, as: TransactionAnswer.self, policy, probing: key ?? Bytes("x"))
  }

  private func read<Answer: Decodable>(
    _ path: String, _ request: some EtcdRequest, as type: Answer.Type, _ policy: CallPolicy,
    probing key: Bytes
  ) throws(EtcdError) -> Answer {
    if let outage = state.withLock({ $0.outage }) { throw outage }
    do throws(EtcdError) {
      return try call(path, request, as: type, policy)
    } catch {
      if case .unreachable = error { beginOutage(error, probing: key) }
      throw error
    }
  }

  /// Makes reads fail at once until a thread has reached the cluster again.
  func beginOutage(_ error: EtcdError, probing key: Bytes) {
    let isFirst = state.withLock { state in
      defer { state.outage = error }
      return state.outage == nil
    }
    guard isFirst else { return }
    let code = DetachedThread.start(named: "locket-probe") { [weak self] in
      for round in 0... {
        usleep(UInt32(100_000 << min(round, 3)))
        guard let self, !self.isOutageOver(probing: key) else { return }
      }
    }
    // Without a thread, each read tries.
    if code != 0 { state.withLock { $0.outage = nil } }
  }

  private func isOutageOver(probing key: Bytes) -> Bool {
    do throws(EtcdError) {
      _ = try call(
        "kv/range", RangeRequest(key: key, keys_only: true), as: RangeAnswer.self,
        CallPolicy(deadline: .now + readTimeout))
    } catch {
      if case .unreachable = error { return false }
    }
    state.withLock { $0.outage = nil }
    return true
  }
}
