import FoundationEssentials

extension EtcdCluster {
  /// What a diagnosis found out about a member or a watch.
  struct Finding {
    let subject: String
    let text: String
    var isProblem = false
  }

  /// Asks each endpoint for its state; a member that does not answer is a problem.
  func findings() -> [Finding] {
    var found: [Finding] = []
    var leaders: Set<String> = []
    for (number, url) in endpoints.enumerated() {
      do throws(EtcdError) {
        try checkConfiguration()
        let status = try status(of: number)
        let leader = status.leader ?? "0"
        leaders.insert(leader)
        let role = leader == status.header?.member_id ? "leader" : "follower"
        let revision = status.header?.revision?.value ?? 0
        let size = (status.dbSize?.value ?? 0) >> 10
        found.append(
          Finding(
            subject: "Member",
            text: """
              \(url): \(role), etcd \(String((status.version ?? "?").prefix(20))), revision \
              \(revision), \(size) KiB
              """))
      } catch {
        found.append(Finding(subject: "Member", text: "\(error)", isProblem: true))
      }
    }
    if leaders.count > 1 || leaders.contains("0") {
      found.append(
        Finding(
          subject: "Leader", text: "The members do not agree on a leader, or are of two clusters.",
          isProblem: true))
    }
    return found
  }

  private func status(of endpoint: Int) throws(EtcdError) -> StatusAnswer {
    let token = try token(.now + readTimeout)
    switch try attempt(
      endpoint, "maintenance/status", Array(EmptyRequest().json.utf8), token: token,
      timeout: requestTimeout, limit: 1 << 20)
    {
    case .answer(let answer): return try Self.decode(StatusAnswer.self, answer.body[...])
    case .refused(let error), .notMade(let error), .unknown(let error): throw error
    case .needsToken: throw .authentication("\(endpoints[endpoint]) requires a user")
    }
  }
}
