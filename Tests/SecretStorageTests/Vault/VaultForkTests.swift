import CLibrary
import Concurrency
import Dispatch
import TestSupport
import Testing

@testable import SecretStorage

/// The behavior of a child forked without `exec` from a process with busy threads.
///
/// Each test runs in its own process; a child of the test process would inherit its locks.
@Suite(.forks) struct VaultForkTests {
  /// The actions of a child; each throws or exits at a violation.
  static let operations: [String: @Sendable (Family) throws -> Void] = [
    "properties": { family in
      try check(family.token.value == "default")
      try check(family.token.status == .locked && family.token.error?.isLocked == true)
      try check(family.onChange.value == nil && family.onChange.status == .locked)
      family.token.value = "child's"
      try check(family.token.status == .locked && family.token.hasUnsavedChanges)
      family.onChange.value?.append("child's")
      try check(!family.onChange.hasUnsavedChanges)
    },
    "vault": { family in
      let (vault, item) = (family.vault, family.item)
      try check(vault.isLocked)
      try check(vault.verify().lockedCount > 0)
      try expectLocked { try vault.items(matching: .all) }
      try expectLocked { try vault.secret(of: item.id) }
      try expectLocked { try vault.salvageableItems() }
      try expectLocked { try vault.add("child's", account: "child") }
      try expectLocked { try vault.remove(item.id, expecting: item.revision) }
      try expectLocked { try vault.compact() }
      try expectLocked { try vault.rotateKeys() }
      try expectLocked { try vault.setPassphrase("child's", cost: .minimum) }
    },
    "unlock": { family in
      family.vault.lock()
      try expectLocked { try family.vault.unlock() }
      try expect(.wrongPassphrase) { try family.vault.unlock(with: .passphrase("wrong")) }
      try family.vault.unlock(with: .passphrase(Family.passphrase))
      try check(family.vault.text("still") == "value")
      try check(family.onChange.value == "value")
      try family.vault.add("child's", account: "child \(getpid())")
      try check(family.vault.text("child \(getpid())") == "child's")
      family.vault.lock()
      try check(family.vault.isLocked)
    },
    "observe": { family in
      let count = Lock(0)
      let token = family.vault.observeChanges { count.withLock { $0 += 1 } }
      family.vault.automaticLocking = AutomaticLocking(
        afterIdle: .zero, whenSuspended: true, signals: [SIGUSR2])
      try check(family.vault.automaticLocking.signals == [SIGUSR2])
      try family.vault.unlock(with: .passphrase(Family.passphrase))
      try check(count.withLock { $0 } > 0)
      // The idle time expires at once.
      try check(family.vault.isLocked)
      try check(!family.vault.diagnose().findings.isEmpty)
      withExtendedLifetime(token) {}
    },
    "new object": { family in
      try check(family.makeVault().isLocked)
      let vault = family.makeVault()
      try vault.unlock(with: .passphrase(Family.passphrase))
      try check(vault.text("still") == "value")
      let device = family.deviceVault()
      try check(device.text("device") == "value")
      try expectLocked { try family.device.text("device") }
      try family.device.unlock()
      try check(family.device.text("device") == "value")
    },
    "other stores": { family in
      try check(family.memory.items(matching: .all).isEmpty)
      _ = try family.memory.add(
        "child's", identity: .generic(service: "child"), attributes: ItemAttributes())
      try check(family.memory.items(matching: .all).count == 1)
      try check(!family.unsaved.hasUnsavedChanges)
      try family.unsaved.save()
      SecretStores.onFailure(SecretStorageFailure(.read, .locked()))
      try expect(.cancelled) { try family.context.authorization(with: nil) }
      try check(PAMAuthenticator().capabilities.isEmpty)
      SecretStores.withDefaultStore(family.memory) {
        PasswordItem<String>(.generic(service: "child")).value = "changed"
      }
    },
  ]

  @Test func forkedChildrenHaveNoKeysAndDoNotHang() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let family = try Family()
        let threads = family.beBusy()
        var wrong: [String] = []
        for round in 0..<Campaign.size(sample: 2, full: 100) {
          for (name, perform) in Self.operations.sorted(by: { $0.key < $1.key }) {
            let status = try ForkedChild { try perform(family) }.end()
            if status != 0 { wrong.append("\(name) \(round): \(status)") }
          }
        }
        threads.stop()
        #expect(wrong.isEmpty)
        try family.checkParent()
      }
    }
  }

  @Test func idleForkedChildHoldsNoLock() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let family = try Family()
        let threads = family.beBusy()
        let children = try (0..<20).map { _ in try ForkedChild { while true { pause() } } }
        threads.stop()
        for vault in [family.vault, family.makeVault()] {
          try vault.unlock(with: .passphrase(Family.passphrase))
          try vault.change("still", to: "changed")
          try vault.compact()
          try vault.change("still", to: "value")
        }
        for child in children { child.kill() }
        try family.checkParent()
      }
    }
  }

  @Test func accessBelongsToTheParentOfAFork() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let family = try Family()
        // The first uses of generic types by all threads are over before the process forks.
        family.beBusy().stop()
        let parent = getpid()
        family.token.value = "set"
        // Both processes return from the access.
        var child: ForkedChild?
        func change(_ text: inout String?) throws {
          child = try ForkedChild.fork()
          text?.append(getpid() == parent ? " by the parent" : " by the child")
        }
        try change(&family.token.value)
        if getpid() != parent { _exit(family.token.hasUnsavedChanges ? 1 : 0) }
        try #require(child).wait()
        #expect(family.token.value == "set by the parent")

        var hasForked = false
        do {
          try family.vault.compact { _ in
            if !hasForked { child = try? ForkedChild.fork() }
            hasForked = true
            return .proceed
          }
          if getpid() != parent { _exit(1) }
        } catch {
          if getpid() == parent { throw error }
          if case SecretStoreError.unavailable = error { _exit(0) }
          _exit(1)
        }
        try #require(child).wait()
        #expect(try family.vault.verify().isSound)
      }
    }
  }
}

/// The stores and properties of a process that forks.
final class Family: Sendable {
  static let passphrase: Secret = "passphrase"

  private let files = TestVault()
  private let deviceFiles = TestVault()
  let vault, device: SecretVault
  let memory = InMemorySecretStore()
  let item: SecretItem
  let token, onChange, unsaved: PasswordItem<String>
  let context = AuthenticationContext(reason: "test", reuse: .seconds(3600))

  init() throws {
    SecretStores.onFailure = { _ in }
    vault = files.open()
    try vault.setPassphrase(Self.passphrase, cost: .minimum)
    item = try vault.add("value", account: "still")
    device = deviceFiles.open()
    try device.add("value", account: "device")
    _ = try memory.add(
      "parent's", identity: .generic(service: "parent"), attributes: ItemAttributes())
    token = PasswordItem(.generic(service: "token"), defaultValue: "default", in: vault)
    onChange = PasswordItem(item.identity, refreshPolicy: .onChange, in: vault)
    unsaved = PasswordItem(item.identity, refreshPolicy: .manual, in: vault)
    unsaved.value = "parent's"
    vault.automaticLocking = AutomaticLocking(afterIdle: .seconds(3600), signals: [SIGUSR1])
  }

  func makeVault() -> SecretVault { files.open() }
  func deviceVault() -> SecretVault { deviceFiles.open() }

  /// Uses every store from several threads until these are stopped.
  func beBusy() -> BusyThreads {
    BusyThreads([
      { _ in
        _ = try self.vault.items(matching: .all)
        _ = try self.vault.text("still")
      },
      { number in
        let item = try self.vault.add("busy", account: "busy \(number)")
        try self.vault.remove(item.id, expecting: item.revision)
      },
      { number in self.token.value = "\(number)" },
      { _ in
        _ = (self.token.value, self.onChange.value, self.unsaved.hasUnsavedChanges)
        _ = try self.device.text("device")
      },
      { number in
        let identity = ItemIdentity.generic(service: "busy", account: "\(number)")
        _ = try self.memory.add("busy", identity: identity, attributes: ItemAttributes())
        _ = self.memory.items(matching: .all)
        SecretStores.onFailure(SecretStorageFailure(.read, .locked()))
      },
      { number in
        try self.vault.compact()
        _ = self.vault.observeChanges {}
      },
    ])
  }

  func checkParent() throws {
    let other = makeVault()
    try other.unlock(with: .passphrase(Self.passphrase))
    for vault in [vault, other] {
      #expect(try vault.text("still") == "value")
      #expect(try vault.verify().isSound)
    }
    #expect(unsaved.value == "parent's")
    #expect(try device.text("device") == "value")
  }
}

/// Threads that repeat their work until they are stopped.
///
/// Each has finished some accesses when the initializer returns: Swift's runtime makes a generic
/// type at its first use, under a lock that a child forked meanwhile would wait for without end.
struct BusyThreads: Sendable {
  private let isStopped = Lock(false)
  private let failures = Lock([String]())
  private let group = DispatchGroup()

  init(_ works: [@Sendable (Int) throws -> Void]) {
    let begun = DispatchGroup()
    for work in works {
      begun.enter()
      DispatchQueue(label: "busy").async(group: group) { [isStopped, failures] in
        for number in 0... {
          do { try work(number) } catch { failures.withLock { $0.append("\(number): \(error)") } }
          if number == 20 { begun.leave() }
          if isStopped.withLock({ $0 }) { break }
        }
      }
    }
    begun.wait()
  }

  func stop() {
    isStopped.withLock { $0 = true }
    group.wait()
    #expect(failures.withLock { $0 } == [])
  }
}

/// Exits a child with a failure; the line is its status.
private func check(_ holds: @autoclosure () throws -> Bool, line: Int32 = #line) throws {
  if try !holds() { _exit(line % 250 + 2) }
}

private func expect<Result>(
  _ expected: SecretStoreError, line: Int32 = #line, _ body: () throws -> Result
) throws { try check((try? failure { _ = try body() }) == expected, line: line) }

private func expectLocked<Result>(line: Int32 = #line, _ body: () throws -> Result) throws {
  try check((try? failure { _ = try body() })?.isLocked == true, line: line)
}
