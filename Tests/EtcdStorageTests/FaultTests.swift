import CLibrary
import Concurrency
import FoundationEssentials
import KeyValueStorage
import SecretStorage
import TestSupport
import Testing

@testable import EtcdStorage

/// Lost answers, unreachable and silent members, interrupted watches.
@Suite(.needsEtcd, .expectsFailures)
struct EtcdFaultTests {
  private let proxy: FaultyProxy
  /// A client with short deadlines, through the proxy.
  private let cluster: EtcdCluster

  init() throws {
    proxy = try FaultyProxy(to: try EtcdProcess.shared.get().url)
    cluster = EtcdCluster(endpoints: [proxy.url])
    cluster.requestTimeout = .seconds(20)
    cluster.readTimeout = .seconds(60)
    cluster.writeTimeout = .seconds(60)
  }

  @Test func lostAnswerIsSettledByRepeating() throws {
    let test = try EtcdTestVault(cluster)
    let vault = try test.make()
    _ = try vault.add("1", account: "a")
    proxy.set(.dropNextAnswer)
    // The watch of the head key may also be what loses its answer.
    _ = try vault.add("2", account: "b")
    proxy.set(.dropNextAnswer)
    _ = try vault.add("3", account: "c")
    proxy.set(.pass)
    let other = test.open(try testCluster())
    #expect(try other.items(matching: .all).count == 3)
    #expect(try other.verify().damage.isEmpty)
  }

  @Test func lostAnswerOfASettingIsSettledByRepeating() throws {
    let prefix = "/test/\(UUID())"
    let store = KeyValueStore(etcd: cluster, prefix: prefix)
    try store.set(1, for: "a")
    for number in 2...5 {
      proxy.set(.dropNextAnswer)
      try store.set(number, for: "a")
    }
    let other = KeyValueStore(etcd: try testCluster(), prefix: prefix)
    #expect(try other.value(of: "a") == 5)
  }

  /// A journal hides what other programs put, so that it is copied even if that takes long.
  @Test func journalIsCopiedBeyondTheTimeOfAWrite() throws {
    let prefix = "/test/\(UUID())"
    let store = KeyValueStore(etcd: cluster, prefix: prefix)
    try store.set(1, for: "a")
    cluster.writeTimeout = .seconds(6)
    proxy.set(.change { _ in usleep(150_000) })
    try store.transaction {
      for number in 0..<4_000 { try store.set(number, for: "k\(number)") }
    }
    let start = Bytes("\(prefix).journal/")
    let rest = try testCluster().read(RangeRequest(key: start, range_end: start.endOfPrefix))
    #expect(rest.all.isEmpty)
  }

  @Test func journalThatIsCopiedForEverIsGivenUp() throws {
    let prefix = "/test/\(UUID())"
    let keys = SettingKeys(prefix)
    let number = "8000000000000001"
    let changes = (0..<10_000).map { "{\"key\":\(Bytes("k\($0)").json),\"value\":\"MQ==\"}" }
    let part = Bytes("[\(changes.joined(separator: ","))]")
    let head = Bytes(
      #"{"format":1,"nonce":"8000000000000002","journal":"\#(number)","parts":1}"#)
    for put in [
      PutRequest(key: keys.part(number, 0), value: part), PutRequest(key: keys.head, value: head),
    ] {
      _ = try testCluster().call(
        "kv/put", put, as: EmptyAnswer.self, CallPolicy(deadline: .now + .seconds(60)))
    }
    // 200 requests take longer than 30 times the time of a write.
    cluster.writeTimeout = .milliseconds(300)
    proxy.set(.change { _ in usleep(100_000) })
    let store = KeyValueStore(etcd: cluster, prefix: prefix)
    #expect(throws: KeyValueStoreError.self) { try store.set(1, for: "a") }
    #expect(try !testCluster().read(RangeRequest(key: keys.part(number, 0))).all.isEmpty)
    proxy.set(.pass)
    cluster.writeTimeout = .seconds(60)
    try store.set(2, for: "a")
    #expect(try store.keys().count == 10_001)
  }

  @Test func outcomeIsUncertainWhileTheClusterStaysAway() throws {
    let test = try EtcdTestVault(cluster)
    let vault = try test.make()
    _ = try vault.add("1", account: "a")
    cluster.requestTimeout = .milliseconds(200)
    cluster.writeTimeout = .milliseconds(500)
    proxy.set(.dropAnswers(to: "request_put"))
    let password = PasswordItem<String>(.generic(service: "s", account: "b"), in: vault)
    password.value = "2"
    // It is unknown whether it is saved, so it counts as unsaved.
    #expect(password.hasUnsavedChanges && password.value == "2")
    let isUncertain = if case .uncertain? = password.error { true } else { false }
    #expect(isUncertain, "\(String(describing: password.error))")
    relax()
    try wait { (try? vault.text(of: "a")) == "1" }
    let other = test.open(try testCluster())
    #expect(try other.text(of: "b") == "2")
    try password.save()
    #expect(!password.hasUnsavedChanges && password.error == nil)
    #expect(try other.items(matching: .all).count == 2)
  }

  /// Passes everything again, with long deadlines.
  private func relax() {
    proxy.set(.pass, endingConnections: true)
    cluster.requestTimeout = .seconds(20)
    cluster.readTimeout = .seconds(60)
    cluster.writeTimeout = .seconds(60)
  }

  @Test func uncertainSettingStaysUnsavedUntilItIsSettled() throws {
    let prefix = "/test/\(UUID())"
    let store = KeyValueStore(etcd: cluster, prefix: prefix)
    let property = StoredValue(wrappedValue: 0, "a", in: store)
    property.wrappedValue = 1
    cluster.requestTimeout = .milliseconds(200)
    cluster.writeTimeout = .milliseconds(500)
    proxy.set(.dropAnswers(to: "request_put"))
    property.wrappedValue = 2
    #expect(property.wrappedValue == 2)
    guard case .uncertain? = property.error else {
      Issue.record("\(String(describing: property.error))")
      return
    }
    relax()
    try wait {
      do { try store.synchronize() } catch { return false }
      return property.error == nil
    }
    #expect(try KeyValueStore(etcd: try testCluster(), prefix: prefix).value(of: "a") == 2)
  }

  @Test func settledTransactionIsNeverMadeLater() throws {
    let prefix = "/test/\(UUID())"
    let head = EtcdHead(cluster, SettingKeys(prefix).head)
    cluster.requestTimeout = .milliseconds(200)
    // The transaction does not arrive, but might later.
    proxy.set(.silent)
    let value = Array("{\"format\":1,\"nonce\":\"8000000000000001\"}".utf8)
    let put = Operation.put(SettingKeys(prefix).setting("a"), Bytes("1"))
    let error = #expect(throws: EtcdError.self) {
      _ = try head.commit(value, expecting: 0, [put], by: .now + .milliseconds(500))
    }
    if case .uncertain? = error {} else { Issue.record("\(String(describing: error))") }
    relax()
    // Settling excludes that the transaction is applied later.
    try settle(head)
    let late = try head.commit(value, expecting: 0, [put], by: .now + .seconds(60))
    guard case .conflict = late else {
      Issue.record("A settled transaction was applied.")
      return
    }
  }

  @Test func vaultIsMadeAfterAnUncertainFirstWrite() throws {
    let test = try EtcdTestVault(cluster)
    let vault = test.open()
    #expect(try vault.items(matching: .all).isEmpty)
    cluster.requestTimeout = .milliseconds(200)
    cluster.readTimeout = .milliseconds(400)
    cluster.writeTimeout = .milliseconds(400)
    proxy.set(.silent)
    #expect(throws: SecretStoreError.self) { try test.make() }
    relax()
    let log = SharedLog(cluster, test.prefix)
    // As after a write whose answer was lost.
    try wait {
      do throws(EtcdError) {
        _ = try log.look()
        return true
      } catch {
        return false
      }
    }
    cluster.requestTimeout = .milliseconds(200)
    proxy.set(.silent)
    #expect(throws: EtcdError.self) {
      try log.key.commit(
        Array("{\"nonce\":\"8000000000000001\"}".utf8), expecting: 0, [],
        by: .now + .milliseconds(300))
    }
    relax()
    try settle(log.key)
    _ = try test.make().add("1", account: "a")
    #expect(try test.open(try testCluster()).text(of: "a") == "1")
  }

  /// Settles when the cluster has been reached again.
  private func settle(_ head: EtcdHead) throws {
    try wait {
      do throws(EtcdError) {
        _ = try cluster.read(RangeRequest(key: head.key))
        try head.settle()
        return true
      } catch {
        return false
      }
    }
  }

  @Test func noThreadWaitsBehindTheTimeoutsOfOthers() throws {
    let test = try EtcdTestVault(cluster)
    let vault = try test.make()
    let store = KeyValueStore(etcd: cluster, prefix: test.prefix + "/settings")
    let names = (0..<8).map {
      PasswordItem<String>(.generic(service: "s", account: "\($0)"), in: vault)
    }
    let setting = StoredValue(wrappedValue: 0, "a", in: store)
    for name in names { name.value = "The Valley Wind" }
    setting.wrappedValue = 1
    cluster.requestTimeout = .milliseconds(300)
    cluster.readTimeout = .seconds(2)
    cluster.writeTimeout = .seconds(20)
    proxy.set(.silent)
    // Afterwards, a getter asks the cluster.
    usleep(1_100_000)
    let times = Lock<[Duration]>([])
    onThreads(10) { thread in
      let time = ContinuousClock().measure {
        switch thread {
        case 8: #expect(throws: SecretStoreError.self) { try vault.add("2", account: "b") }
        case 9: #expect(setting.wrappedValue == 1)
        default:
          #expect(names[thread].value == "The Valley Wind")
          let isUnavailable = if case .unavailable = names[thread].status { true } else { false }
          #expect(isUnavailable)
        }
      }
      times.withLock { $0.append(time) }
    }
    // One after another, they would take 18 seconds, and the writer alone 20.
    #expect(times.withLock { $0.max() ?? .zero } < .seconds(9))
    // While the outage lasts, a write fails at once too.
    let write = ContinuousClock().measure {
      #expect(throws: SecretStoreError.self) { try vault.add("2", account: "b") }
    }
    #expect(write < .seconds(2))
    relax()
    try wait { (try? vault.items(matching: .all).count) == 8 }
  }

  @Test func silentClusterIsWaitedForOnce() throws {
    let test = try EtcdTestVault(cluster)
    let vault = try test.make()
    let name = PasswordItem<String>(.generic(service: "s", account: "a"), in: vault)
    name.value = "The Valley Wind"
    #expect(name.value == "The Valley Wind" && name.status == .value)
    cluster.requestTimeout = .milliseconds(300)
    cluster.readTimeout = .milliseconds(600)
    proxy.set(.silent)
    let clock = ContinuousClock()
    // While the watch is taken to be healthy, a value is from memory.
    try wait {
      _ = name.value
      if case .unavailable = name.status { return true }
      return false
    }
    let start = clock.now
    for _ in 0..<20 { #expect(name.value == "The Valley Wind") }
    // Twenty reads that wait would take twelve seconds.
    #expect(clock.now - start < .seconds(6))
    relax()
    try wait {
      _ = name.value
      return name.status == .value
    }
    #expect(name.value == "The Valley Wind")
  }

  @Test func interruptedWatchIsResumed() throws {
    let prefix = "/test/\(UUID())"
    let (store, other) = (
      KeyValueStore(etcd: cluster, prefix: prefix),
      KeyValueStore(etcd: try testCluster(), prefix: prefix)
    )
    let seen = Lock<[Int]>([])
    let property = StoredValue(wrappedValue: 0, "a", in: store)
    let observation = property.observe { _, new in seen.withLock { $0.append(new) } }
    try other.set(1, for: "a")
    try wait { seen.withLock { $0.last } == 1 }
    proxy.set(.refuse, endingConnections: true)
    try other.set(2, for: "a")
    usleep(100_000)
    proxy.set(.pass)
    try wait { seen.withLock { $0.last } == 2 }
    withExtendedLifetime(observation) {}
  }

  @Test func watchOfAForgottenConnectionIsReplaced() throws {
    let prefix = "/test/\(UUID())"
    cluster.watchSilence = .milliseconds(200)
    // The kept connections are forgotten too.
    cluster.requestTimeout = .seconds(1)
    let store = KeyValueStore(etcd: cluster, prefix: prefix)
    let property = StoredValue(wrappedValue: 0, "a", in: store)
    let seen = Lock<[Int]>([])
    let observation = property.observe { _, new in seen.withLock { $0.append(new) } }
    let other = KeyValueStore(etcd: try testCluster(), prefix: prefix)
    try other.set(1, for: "a")
    try wait { seen.withLock { $0 } == [1] }
    proxy.silenceConnections()
    try other.set(2, for: "a")
    try wait { seen.withLock { $0 } == [1, 2] }
    #expect(property.error == nil)
    withExtendedLifetime(observation) {}
  }

  @Test func runningProcessNoticesARestoredBackup() throws {
    let member = try EtcdProcess()
    let cluster = EtcdCluster(endpoints: [member.url])
    cluster.readTimeout = .seconds(60)
    cluster.watchSilence = .milliseconds(200)
    let test = try EtcdTestVault(cluster)
    let vault = try test.make()
    _ = try vault.add("1", account: "a")
    let property = StoredValue(
      wrappedValue: 0, "a", in: KeyValueStore(etcd: cluster, prefix: "/settings"))
    property.wrappedValue = 1
    let seen = Lock(0)
    let observation = property.observe { _, new in seen.withLock { $0 = new } }
    let backup = test.directory("backup")
    try member.control(["snapshot", "save", backup])
    _ = try vault.add("2", account: "b")
    for number in 2...5 { property.wrappedValue = number }
    try wait { seen.withLock { $0 } == 5 }
    try member.restore(backup)
    try wait {
      do {
        _ = try vault.items(matching: .all)
        return false
      } catch let error as SecretStoreError {
        if case .rolledBack = error { return true }
        return false
      }
    }
    try wait { seen.withLock { $0 } == 1 && property.wrappedValue == 1 }
    // The revision of this change is one that the process has seen before.
    let other = KeyValueStore(etcd: EtcdCluster(endpoints: [member.url]), prefix: "/settings")
    try other.set(3, for: "a")
    try wait { seen.withLock { $0 } == 3 && property.wrappedValue == 3 }
    try vault.acceptRollback()
    #expect(try vault.items(matching: .all).count == 1)
    withExtendedLifetime(observation) {}
  }

  @Test func watchIsRebuiltAfterACompaction() throws {
    // A member of its own, because compacting is for all keys.
    let member = try EtcdProcess()
    let proxy = try FaultyProxy(to: member.url)
    let (far, near) = (
      EtcdCluster(endpoints: [proxy.url]), EtcdCluster(endpoints: [member.url])
    )
    for cluster in [far, near] { cluster.readTimeout = .seconds(60) }
    let (store, other) = (
      KeyValueStore(etcd: far, prefix: "/s"), KeyValueStore(etcd: near, prefix: "/s")
    )
    try other.set(0, for: "a")
    let property = StoredValue(wrappedValue: 0, "a", in: store)
    let seen = Lock(0)
    let observation = property.observe { _, new in seen.withLock { $0 = new } }
    try other.set(1, for: "a")
    try wait { seen.withLock { $0 } == 1 }
    proxy.set(.refuse, endingConnections: true)
    for number in 2...20 { try other.set(number, for: "a") }
    let revision = try near.read(RangeRequest(key: Bytes("/s.head"))).revision
    try member.control(["compact", "\(revision)"])
    proxy.set(.pass)
    try wait { seen.withLock { $0 } == 20 }
    withExtendedLifetime(observation) {}
  }

  @Test func nextMemberIsUsed() throws {
    let cluster = EtcdCluster(
      endpoints: ["http://127.0.0.1:1", try EtcdProcess.shared.get().url])
    cluster.readTimeout = .seconds(60)
    let store = KeyValueStore(etcd: cluster, prefix: "/test/\(UUID())")
    try store.set(1, for: "a")
    #expect(try store.value(of: "a") == 1)
  }
}
