import Concurrency
import FoundationEssentials
import KeyValueStorage
import SecretStorage
import TestSupport
import Testing

@testable import EtcdStorage

/// What other programs see of settings, and write beside them.
@Suite(.needsEtcd, .expectsFailures)
struct EtcdSettingsTests {
  private let prefix = "/test/\(UUID())"
  private let member: EtcdProcess
  private let store: KeyValueStore

  init() throws {
    member = try EtcdProcess.shared.get()
    store = KeyValueStore(etcd: try testCluster(), prefix: prefix)
  }

  @Test func peopleReadAndWriteSettings() throws {
    try store.set(0.8, for: "volume")
    try store.set(["host": "x"], for: "server")
    #expect(try member.control(["get", "--print-value-only", "\(prefix)/volume"]) == "0.8\n")
    #expect(
      try member.control(["get", "--print-value-only", "\(prefix)/server"]).contains("\"host\""))
    try member.control(["put", "\(prefix)/volume", " 0.25 "])
    try member.control(["put", "\(prefix)/theirs", "{\"x\": [1]}"])
    #expect(try store.value(of: "volume") == 0.25)
    try store.set(1, for: "other")
    #expect(
      try member.control(["get", "--print-value-only", "\(prefix)/theirs"]) == "{\"x\": [1]}\n")
    try member.control(["del", "\(prefix)/volume"])
    #expect(try store.value(of: "volume", as: Double.self) == nil)
  }

  @Test func mistakeOfOneSettingIsItsOwn() throws {
    try store.set(1, for: "a")
    try member.control(["put", "\(prefix)/b", "no JSON"])
    #expect(try store.value(of: "a") == 1)
    #expect(throws: KeyValueStoreError.self) { try store.value(of: "b", as: Int.self) }
    try store.set(2, for: "b")
    #expect(try store.value(of: "b") == 2)
  }

  @Test func changedKeyIsObserved() throws {
    let seen = Lock<[Int]>([])
    let observation = StoredValue(wrappedValue: 0, "a", in: store)
      .observe { _, new in seen.withLock { $0.append(new) } }
    try member.control(["put", "\(prefix)/a", "7"])
    try wait { seen.withLock { $0 } == [7] }
    withExtendedLifetime(observation) {}
  }

  /// Changes that the watch reports are applied to what is known of many settings.
  @Test func manySettingsFollowChangesOfAllKinds() throws {
    let other = KeyValueStore(etcd: try testCluster(), prefix: prefix)
    func set(_ range: Range<Int>, to text: String) throws {
      try other.transaction { for number in range { try other.set(text, for: "k\(number)") } }
    }
    try set(0..<1100, to: "a")
    let seen = Lock("")
    let observation = StoredValue(wrappedValue: "", "last", in: store)
      .observe { _, new in seen.withLock { $0 = new } }
    #expect(try store.keys().count == 1100)
    try other.set("b", for: "k1")
    try other.remove("k2")
    try member.control(["put", "\(prefix)/k3", "\"c\""])
    try member.control(["del", "\(prefix)/k4"])
    try set(10..<80, to: "d")
    try other.set("end", for: "last")
    try wait { seen.withLock { $0 } == "end" }
    let fresh = KeyValueStore(etcd: try testCluster(), prefix: prefix)
    #expect(try store.keys() == fresh.keys())
    for key in try fresh.keys() {
      #expect(try store.value(of: key, as: String.self) == fresh.value(of: key))
    }
    #expect(try store.value(of: "k79") == "d" && store.keys().count == 1099)
    withExtendedLifetime(observation) {}
  }

  @Test func largeTransactionIsOne() throws {
    let other = KeyValueStore(etcd: try testCluster(), prefix: prefix)
    for round in 1...3 {
      let isDone = Lock(false)
      let counts = Lock<Set<Int>>([])
      onThreads(2) { thread in
        do {
          if thread == 0 {
            try store.transaction {
              for number in 0..<150 {
                try store.set(String(repeating: "\(round)", count: 10_000), for: "k\(number)")
              }
            }
            isDone.withLock { $0 = true }
          } else {
            while !isDone.withLock({ $0 }) {
              let contents = try EtcdBackend(try testCluster(), prefix: prefix).load()
              let values = Set((0..<150).map { contents["k\($0)"].map { Array($0.prefix(3)) } })
              _ = counts.withLock { $0.insert(values.count) }
            }
          }
        } catch {
          isDone.withLock { $0 = true }
          Issue.record(error)
        }
      }
      #expect(counts.withLock { $0 }.isSubset(of: [1]))
    }
    #expect(try other.keys().count == 150)
    let start = Bytes("\(prefix).journal/")
    let rest = try testCluster().read(RangeRequest(key: start, range_end: start.endOfPrefix))
    #expect(rest.all.isEmpty)
  }

  @Test func journalOfAKilledWriterIsCompleted() throws {
    try store.set(1, for: "a")
    let keys = SettingKeys(prefix)
    let part = """
      [{"key":"\(Data("a".utf8).base64EncodedString())","value":"\(Data("2".utf8).base64EncodedString())"}]
      """
    try member.control(["put", keys.part("8000000000000001", 0).text, part])
    try member.control([
      "put", keys.head.text,
      "{\"format\":1,\"nonce\":\"8000000000000002\",\"journal\":\"8000000000000001\",\"parts\":1}",
    ])
    #expect(try store.value(of: "a") == 2)
    try store.set(3, for: "b")
    #expect(try member.control(["get", "--print-value-only", "\(prefix)/a"]) == "2\n")
    #expect(try KeyValueStore(etcd: try testCluster(), prefix: prefix).keys() == ["a", "b"])
  }

  @Test(arguments: [
    "", "/", "app", "/app/", "/a\0b", "/" + String(repeating: "x", count: 1024),
  ])
  func prefixIsAPath(_ prefix: String) throws {
    let store = KeyValueStore(etcd: try testCluster(), prefix: prefix)
    let error = #expect(throws: KeyValueStoreError.self) { try store.set(1, for: "a") }
    let isInvalid = if case .invalid? = error { true } else { false }
    #expect(isInvalid, "\(String(describing: error))")
    let vault = SecretVault(etcd: try testCluster(), prefix: prefix, authenticator: nil)
    #expect(throws: SecretStoreError.self) { try vault.items(matching: .all) }
  }

  @Test func tooLargeValueIsRefused() throws {
    try store.set(1, for: "a")
    let error = #expect(throws: KeyValueStoreError.self) {
      try store.set(String(repeating: "x", count: 2 << 20), for: "b")
    }
    guard case .tooLarge? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try store.keys() == ["a"])
  }
}
