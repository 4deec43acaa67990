import CLibrary
import Concurrency
import FoundationEssentials
import KeyValueStorage
import SecretStorage
import TestSupport
import Testing

@testable import EtcdStorage

/// Processes that write vaults and settings in three members, which are killed, paused, cut off,
/// compacted and defragmented, whose leader moves and whose tokens become void: no acknowledged
/// write is lost or made twice, no read is older than it may be, and no getter waits long.
///
/// Proxies between the members and before each of them make networks that can be cut.
@Suite(.needsEtcd, .expectsFailures)
struct ClusterCampaignTests {
  private let members: [Member]
  private let user: EtcdUser
  /// One word, because `etcdctl user passwd` reads no more.
  private static let password = "Mehve"

  private struct Member {
    let process: EtcdProcess
    /// The proxies for clients and for the other members.
    let clients, peers: FaultyProxy
    /// The number of the member in the requests to others.
    var number = ""
  }

  init() throws {
    let ports = try EtcdProcess.freePorts(6).map { "http://127.0.0.1:\($0)" }
    let names = ["a", "b", "c"]
    let peers = try (3..<6).map { try FaultyProxy(to: ports[$0]) }
    let all = zip(names, peers).map { "\($0)=\($1.url)" }.joined(separator: ",")
    var members = try (0..<3).map { number in
      Member(
        process: try EtcdProcess(
          name: names[number], url: ports[number],
          [
            "--listen-peer-urls", ports[3 + number], "--initial-advertise-peer-urls",
            peers[number].url, "--initial-cluster", all, "--initial-cluster-token",
            "locket-campaign",
          ]), clients: try FaultyProxy(to: ports[number]), peers: peers[number])
    }
    for index in 0..<3 {
      let cluster = Self.cluster([members[index].process.url], nil)
      let status = try cluster.call(
        "maintenance/status", EmptyRequest(), as: StatusAnswer.self,
        CallPolicy(deadline: .now + .seconds(60)))
      let number = try #require(status.header?.member_id.flatMap { UInt64($0) })
      members[index].number = String(number, radix: 16)
    }
    let first = members[0].process
    user = try enableUsers(password: Self.password) { try first.control($0) }
    self.members = members
  }

  private static func cluster(_ urls: [String], _ user: EtcdUser?) -> EtcdCluster {
    let cluster = EtcdCluster(endpoints: urls, user: user)
    // The tests of other suites keep the machine busy.
    cluster.requestTimeout = .seconds(10)
    cluster.readTimeout = .seconds(60)
    cluster.writeTimeout = .seconds(60)
    return cluster
  }

  @Test func acknowledgedWritesOutlastTheFaultsOfMembers() throws {
    let processes = Campaign.size(sample: 2, full: 5)
    let count = Campaign.size(sample: 12, full: 1000)
    let directory = try TemporaryDirectory()
    let cluster = Self.cluster(members.map(\.process.url), user)
    let prefix = "/app"
    func vault() -> SecretVault {
      SecretVault(
        etcd: cluster, prefix: "\(prefix)/vault",
        stateDirectory: URL(filePath: directory("state")), authenticator: nil)
    }
    let key = URL(filePath: directory("key"))
    try Data((0..<64).map { UInt8($0) }).write(to: key)
    try vault().addSlot(.keyFile(key), named: "every machine")
    _ = try vault().add(
      Secret("0".utf8), identity: .generic(service: "counter"), attributes: ItemAttributes())
    // On one machine, so that the device's slot opens the vault.
    let workers = try (0..<processes).map { number in
      try ChildProcess(
        executable: "EtcdWorker",
        [
          members.map(\.clients.url).joined(separator: ","), prefix, directory("state"),
          "\(count)", user.name, Self.password,
        ], output: directory("journal \(number)"))
    }
    var generator = SeededGenerator(seed: 1)
    var round = 0
    while !workers.allSatisfy(\.hasEnded) {
      try disturb(Fault.allCases[round % Fault.allCases.count], &generator)
      round += 1
    }
    for worker in workers { try worker.wait() }
    let final = (
      vault: try vaultNumber(vault()),
      settings: try KeyValueStore(etcd: cluster, prefix: "\(prefix)/settings")
        .value(of: "counter", as: Int.self) ?? 0
    )
    #expect(try vault().verify().damage.isEmpty)
    let journals = try (0..<processes).map { worker in
      String(decoding: try content(of: directory("journal \(worker)")), as: UTF8.self)
        .split(separator: "\n")
    }
    for (counter, number) in [("v", final.vault), ("s", final.settings)] {
      var history = CounterHistory()
      for journal in journals {
        try history.add(
          journal.filter { $0.hasPrefix("\(counter)\t") }.map { String($0.dropFirst(2)) })
      }
      #expect(history.contradictions(atEnd: number) == [])
      #expect(history.acknowledgedCount > count * processes / 2)
    }
    let waits = journals.map { journal in
      journal.last { $0.hasPrefix("g\t") }.flatMap { Int($0.dropFirst(2)) }
    }
    // A getter has two seconds to ask whether there is a change, and two to read it.
    let limit = Campaign.size(sample: 20_000, full: 6000)
    for wait in waits { #expect(try #require(wait) < limit) }
  }

  private func vaultNumber(_ vault: SecretVault) throws -> Int {
    let item = try #require(try vault.items(matching: .all).first)
    return Int(try #require(try vault.secret(of: item.id)).secret.password) ?? -1
  }

  private enum Fault: CaseIterable {
    case kill, cutOff, voidTokens, pause, pauseMajority, cutOffFromMembers, moveLeader, compact
    case defragment
  }

  /// Does something to the cluster that clients must survive.
  private func disturb(_ fault: Fault, _ generator: inout SeededGenerator) throws {
    let member = members[Int.random(in: 0..<3, using: &generator)]
    let others = members.filter { $0.process !== member.process }
    let isShort = !Campaign.isFull
    // Commands fail while there is no leader, or on members that are not the leader.
    func control(_ process: EtcdProcess, _ arguments: String...) -> String {
      (try? process.control(arguments + ["--user", "root:root"])) ?? ""
    }
    switch fault {
    case .kill:
      member.process.stop(keepingData: true)
      usleep(400_000)
      try member.process.start()
    case .pause:
      try member.process.signal(SIGSTOP)
      usleep(isShort ? 800_000 : 3_000_000)
      try member.process.signal(SIGCONT)
    case .pauseMajority:
      for other in others { try other.process.signal(SIGSTOP) }
      usleep(isShort ? 800_000 : 5_000_000)
      for other in others { try other.process.signal(SIGCONT) }
    case .cutOff, .cutOffFromMembers:
      if fault == .cutOff { member.clients.set(.silent) }
      member.peers.set(.silent)
      for other in others { other.peers.set(.isolate([member.number])) }
      usleep(isShort ? 1_500_000 : 6_000_000)
      for member in members {
        for proxy in [member.clients, member.peers] {
          proxy.set(.pass, endingConnections: true)
        }
      }
    case .voidTokens:
      _ = try? others[0].process.control(
        ["user", "passwd", user.name, "--interactive=false", "--user", "root:root"],
        input: Self.password)
    case .compact:
      let cluster = Self.cluster(others.map(\.process.url), user)
      let revision = try cluster.read(RangeRequest(key: Bytes("/app"))).revision
      _ = control(others[0].process, "compact", "\(revision)")
    case .defragment: _ = control(member.process, "defrag")
    case .moveLeader:
      for leader in members {
        for other in members where other.process !== leader.process {
          _ = control(leader.process, "move-leader", other.number)
        }
      }
    }
    usleep(isShort ? 300_000 : 700_000)
  }
}
