import Concurrency
import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

@testable import EtcdStorage

/// What a vault leaves in etcd.
@Suite(.needsEtcd, .expectsFailures)
struct EtcdVaultTests {
  private let machines: EtcdTestVault

  init() throws { machines = try EtcdTestVault() }

  private func keys() throws -> [KeyValue] {
    let start = Bytes("\(machines.prefix)/")
    return try machines.cluster.read(
      RangeRequest(key: start, range_end: start.endOfPrefix), limit: CallPolicy.largeAnswer
    ).all
  }

  @Test func deviceSlotAloneIsRefused() throws {
    let vault = machines.open()
    #expect(throws: SecretStoreError.self) { try vault.add("1", account: "a") }
    #expect(throws: SecretStoreError.self) {
      try vault.addSlot(.device, named: "this machine")
    }
    #expect(try keys().isEmpty)
    try vault.addSlot(.keyFile(machines.keyFile), named: "every machine")
    let slot = try #require(try vault.slots.first { $0.kind == .keyFile })
    let error = #expect(throws: SecretStoreError.self) { try vault.removeSlot(slot.id) }
    #expect("\(try #require(error))".contains("every machine can open"))
    #expect(vault.guarantees.contains(.sharedBetweenMachines))
  }

  @Test func anotherMachineOpensTheVaultWithTheKey() throws {
    _ = try machines.make().add("The Valley Wind", account: "a")
    let other = machines.open(machine: "b", try testCluster())
    #expect(try other.isLocked)
    try other.unlock(with: .keyFile(machines.keyFile))
    #expect(try other.text(of: "a") == "The Valley Wind")
    _ = try other.add("The Sixth Station", account: "b")
    try wait { try machines.open().text(of: "b") == "The Sixth Station" }
  }

  @Test func etcdHasNoPlaintext() throws {
    _ = try machines.make().add("The Valley Wind", account: "peter")
    for found in try keys() {
      let text = String(decoding: found.bytes, as: UTF8.self)
      #expect(!text.contains("Valley") && !text.contains("peter"))
    }
  }

  @Test func largeSecretsAreInPiecesThatBelongToOneBatch() throws {
    let vault = try machines.make()
    let large = Secret([UInt8](repeating: 7, count: 3 << 20))
    let item = try vault.add(
      large, identity: .generic(service: "s", account: "large"), attributes: ItemAttributes())
    let pieces = try keys().filter { "\($0.key.text)".contains("/pieces/") }
    #expect(pieces.count == 4)
    let other = machines.open(try testCluster())
    #expect(try other.secret(of: item.id)?.secret == large)
    // The old pieces go with the log that they belong to.
    try vault.remove(item.id, expecting: item.revision)
    try vault.compact()
    #expect(try keys().allSatisfy { !$0.key.text.contains("/pieces/") })
    #expect(try other.items(matching: .all).isEmpty)
  }

  @Test func compactionBesideAWriterLosesNothing() throws {
    let (vault, other) = (try machines.make(), machines.open(try testCluster()))
    for number in 0..<20 { _ = try vault.add("\(number)", account: "a\(number)") }
    let failures = Lock<[any Error]>([])
    onThreads(2) { thread in
      do {
        for number in 0..<15 {
          if thread == 0 {
            _ = try other.add("\(number)", account: "b\(number)")
          } else if number % 5 == 0 {
            try vault.compact()
          }
        }
      } catch {
        failures.withLock { $0.append(error) }
      }
    }
    #expect(failures.withLock { $0 }.isEmpty)
    let fresh = machines.open(try testCluster())
    #expect(try fresh.items(matching: .all).count == 35)
    #expect(try fresh.verify().damage.isEmpty)
    let generations = Set(
      try keys().filter { $0.key.text.contains("/log/") }
        .map { $0.key.text.split(separator: "/").dropLast().last })
    #expect(generations.count == 1)
  }

  @Test func writersOfSeveralProcessesTakeTurns() throws {
    _ = try machines.make()
    let vaults = try (0..<4).map { _ in machines.open(try testCluster()) }
    let failures = Lock<[any Error]>([])
    onThreads(4) { thread in
      do {
        for number in 0..<10 { _ = try vaults[thread].add("x", account: "\(thread)-\(number)") }
      } catch {
        failures.withLock { $0.append(error) }
      }
    }
    #expect(failures.withLock { $0 }.isEmpty)
    #expect(try machines.open(try testCluster()).items(matching: .all).count == 40)
  }

  @Test func damagedBatchIsReportedAndRepaired() throws {
    let vault = try machines.make()
    for number in 0..<5 { _ = try vault.add("\(number)", account: "a\(number)") }
    let batch = try #require(try keys().last { $0.key.text.contains("/log/") })
    _ = try machines.cluster.call(
      "kv/put", PutRequest(key: batch.key, value: Bytes("damaged")), as: EmptyAnswer.self,
      CallPolicy(deadline: .now + .seconds(60)))
    let reopened = machines.open(try testCluster())
    #expect(throws: SecretStoreError.self) { try reopened.add("x", account: "x") }
    #expect(try reopened.text(of: "a0") == "0")
    #expect(try !reopened.repair().isEmpty)
    #expect(try reopened.verify().damage.isEmpty)
    #expect(try reopened.items(matching: .all).count == 4)
    let copies = try reopened.damagedCopies
    #expect(copies.count == 1 && batch.key.text.hasPrefix(copies[0].path))
    _ = try reopened.add("x", account: "x")
    try reopened.compact()
    #expect(try keys().contains { $0.key == batch.key })
    try reopened.removeDamagedCopies()
    #expect(try !keys().contains { $0.key == batch.key })
    #expect(try machines.open(try testCluster()).items(matching: .all).count == 5)
  }

  @Test func restoredBackupIsRefused() throws {
    let vault = try machines.make()
    _ = try vault.add("1", account: "a")
    let backup = try keys()
    _ = try vault.add("2", account: "b")
    let start = Bytes("\(machines.prefix)/")
    let deadline = ContinuousClock.now + .seconds(60)
    _ = try machines.cluster.call(
      "kv/deleterange", DeleteRequest(key: start, range_end: start.endOfPrefix),
      as: EmptyAnswer.self, CallPolicy(deadline: deadline))
    for item in backup {
      _ = try machines.cluster.call(
        "kv/put", PutRequest(key: item.key, value: Bytes(item.bytes)), as: EmptyAnswer.self,
        CallPolicy(deadline: deadline))
    }
    let reopened = machines.open(try testCluster())
    let error = #expect(throws: SecretStoreError.self) { try reopened.items(matching: .all) }
    guard case .rolledBack? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try reopened.acceptRollback()
    #expect(try reopened.text(of: "a") == "1")
    // A machine without a record of the vault cannot know.
    let stranger = machines.open(machine: "b", try testCluster())
    try stranger.unlock(with: .keyFile(machines.keyFile))
    #expect(try stranger.items(matching: .all).count == 1)
  }

  @Test func removedVaultIsNoticed() throws {
    let vault = try machines.make()
    _ = try vault.add("1", account: "a")
    let start = Bytes("\(machines.prefix)/")
    _ = try machines.cluster.call(
      "kv/deleterange", DeleteRequest(key: start, range_end: start.endOfPrefix),
      as: EmptyAnswer.self, CallPolicy(deadline: .now + .seconds(60)))
    let error = #expect(throws: SecretStoreError.self) {
      try machines.open(try testCluster()).items(matching: .all)
    }
    guard case .replaced? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func observersAreNotifiedOfOtherProcesses() throws {
    let (vault, other) = (try machines.make(), machines.open(try testCluster()))
    let calls = Lock(0)
    let observation = other.observeChanges { calls.withLock { $0 += 1 } }
    _ = try other.revision()
    _ = try vault.add("1", account: "a")
    try wait { calls.withLock { $0 } > 0 }
    try wait { try other.text(of: "a") == "1" }
    withExtendedLifetime(observation) {}
  }
}

extension Bytes {
  var text: String { String(decoding: array, as: UTF8.self) }
}
