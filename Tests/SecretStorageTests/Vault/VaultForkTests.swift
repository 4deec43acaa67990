import CLibrary
import Concurrency
import Dispatch
import FoundationEssentials
import TestSupport
import Testing

@testable import SecretStorage

/// The behaviour of a child forked without `exec` from a process with busy threads.
///
/// Each test runs in its own process; a child of the test process would inherit its locks.
@Suite(.forks) struct VaultForkTests {
  /// The actions of one child; it throws or exits at a violation.
  struct Operation: Sendable {
    let name: String
    let perform: @Sendable (Family) throws -> Void
  }

  static let operations = [
    Operation(name: "get") { family in
      try check(family.token.value == "default")
      try check(family.token.status == .locked && family.token.error == .locked)
      try check(family.onChange.value == nil && family.onChange.status == .locked)
    },
    Operation(name: "set") { family in
      family.token.value = "child's"
      try check(family.token.status == .locked && family.token.hasUnsavedChanges)
      family.onChange.value?.append("child's")
      try check(!family.onChange.hasUnsavedChanges)
    },
    Operation(name: "read") { family in
      try expect(.locked) { try family.vault.items(matching: .all) }
      try expect(.locked) { try family.vault.secret(of: family.item.id) }
      try expect(.locked) { try family.vault.salvageableItems() }
      try check(family.vault.isLocked)
      try check(family.vault.verify().lockedCount > 0)
    },
    Operation(name: "write") { family in
      try expect(.locked) { try family.vault.add("child's", account: "child") }
      try expect(.locked) {
        try family.vault.remove(family.item.id, expecting: family.item.revision)
      }
      try expect(.locked) { try family.vault.compact() }
      try expect(.locked) { try family.vault.rotateKeys() }
      try expect(.locked) {
        try family.vault.setPassphrase(Secret("child's".utf8), cost: .cheap)
      }
    },
    Operation(name: "unlock") { family in
      family.vault.lock()
      try expect(.locked) { try family.vault.unlock() }
      try expect(.wrongPassphrase) {
        try family.vault.unlock(with: .passphrase(Secret("wrong".utf8)))
      }
      try family.vault.unlock(with: .passphrase(Family.passphrase))
      try check(family.vault.text("still") == "value")
      try check(family.onChange.value == "value")
      try family.vault.add("child's", account: "child \(getpid())")
      try check(family.vault.text("child \(getpid())") == "child's")
      family.vault.lock()
      try check(family.vault.isLocked)
    },
    Operation(name: "observe") { family in
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
    Operation(name: "new object") { family in
      try check(family.makeVault().isLocked)
      let vault = family.makeVault()
      try vault.unlock(with: .passphrase(Family.passphrase))
      try check(vault.text("still") == "value")
      let device = family.deviceVault()
      try check(device.text("device") == "value")
      try expect(.locked) { try family.device.text("device") }
      try family.device.unlock()
      try check(family.device.text("device") == "value")
    },
    Operation(name: "other stores") { family in
      try check(family.memory.items(matching: .all).isEmpty)
      _ = try family.memory.add(
        Secret("child's".utf8), identity: .generic(service: "child"), attributes: ItemAttributes())
      try check(family.memory.items(matching: .all).count == 1)
      try check(!family.unsaved.hasUnsavedChanges)
      try family.unsaved.save()
      SecretStores.onFailure(SecretStorageFailure(.read, .locked))
      try expect(.cancelled) { try family.context.authorization(with: nil) }
      try check(PAMAuthenticator().capabilities.isEmpty)
      SecretStores.withDefaultStore(family.memory) {
        let password = PasswordItem<String>(.generic(service: "child"))
        password.value = "changed"
      }
    },
  ]

  @Test func noChildHangsAndNoneHasItsParentsKeys() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let family = try Family()
        let threads = family.beBusy()
        var hung = 0
        var wrong: [String] = []
        for round in 0..<Campaign.size(sample: 8, full: 100) {
          for operation in Self.operations {
            let child = try ForkedChild {
              try operation.perform(family)
              _exit(0)
            }
            switch child.end(within: .seconds(600)) {
            case nil: hung += 1
            case 0: break
            case let status?: wrong.append("\(operation.name) \(round): \(status)")
            }
          }
        }
        threads.stop()
        #expect(hung == 0 && wrong.isEmpty)
        try family.checkParent()
      }
    }
  }

  @Test func aChildThatDoesNothingKeepsNoLock() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let family = try Family()
        let threads = family.beBusy()
        let children = try (0..<20).map { _ in try ForkedChild { while true { pause() } } }
        threads.stop()
        for vault in [family.vault, family.makeVault()] {
          vault.lockTimeout = .seconds(10)
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

  @Test func aChildForkedInsideOfAnAccessLeavesItToTheParent() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let family = try Family()
        let parent = getpid()
        family.token.value = "set"
        // Both processes return from the access.
        var child: pid_t = -1
        func change(_ text: inout String?) {
          child = forkProcess()
          text?.append(child == 0 ? " by the child" : " by the parent")
        }
        change(&family.token.value)
        if child == 0 { _exit(family.token.hasUnsavedChanges ? 1 : 0) }
        try check(end(of: child) == 0)
        try check(family.token.value == "set by the parent")

        child = -1
        do {
          try family.vault.compact { _ in
            if child == -1 { child = forkProcess() }
            return .proceed
          }
          if getpid() != parent { _exit(1) }
        } catch {
          if getpid() == parent { throw error }
          guard case SecretStoreError.unavailable = error else { _exit(1) }
          _exit(0)
        }
        try check(end(of: child) == 0)
        try check(family.vault.verify().isSound)
      }
    }
  }
}

/// The stores and properties of a process that forks.
final class Family: Sendable {
  static let passphrase = Secret("passphrase".utf8)

  private let files = TestVault()
  private let deviceFiles = TestVault()
  let vault: SecretVault
  let device: SecretVault
  let memory = InMemorySecretStore()
  let item: SecretItem
  let token: PasswordItem<String>
  let onChange: PasswordItem<String>
  let unsaved: PasswordItem<String>
  let context = AuthenticationContext(reason: "test", reuse: .seconds(3600))

  init() throws {
    SecretStores.onFailure = { _ in }
    vault = files.open()
    try vault.setPassphrase(Self.passphrase, cost: .cheap)
    item = try vault.add("value", account: "still")
    device = deviceFiles.open()
    try device.add("value", account: "device")
    _ = try memory.add(
      Secret("parent's".utf8), identity: .generic(service: "parent"), attributes: ItemAttributes())
    token = PasswordItem(.generic(service: "token"), defaultValue: "default", in: vault)
    onChange = PasswordItem(
      .generic(service: "campaign", account: "still"), refreshPolicy: .onChange, in: vault)
    unsaved = PasswordItem(
      .generic(service: "campaign", account: "still"), refreshPolicy: .manual, in: vault)
    unsaved.value = "parent's"
    vault.automaticLocking = AutomaticLocking(afterIdle: .seconds(3600), signals: [SIGUSR1])
  }

  func makeVault() -> SecretVault { files.open() }
  func deviceVault() -> SecretVault { deviceFiles.open() }

  /// Uses every store from several threads until these are stopped.
  func beBusy() -> BusyThreads {
    let works: [@Sendable (Int) throws -> Void] = [
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
        _ = try self.memory.add(
          Secret("busy".utf8), identity: identity, attributes: ItemAttributes())
        _ = self.memory.items(matching: .all)
        SecretStores.onFailure(SecretStorageFailure(.read, .locked))
      },
      { number in
        try self.vault.compact()
        _ = self.vault.observeChanges {}
      },
    ]
    return BusyThreads(works)
  }

  /// Checks that the parent is unlocked and has its values.
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
/// Each has finished its first access when the initializer returns: Swift's runtime makes a generic
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
        var number = 0
        do {
          repeat {
            try work(number)
            if number == 0 { begun.leave() }
            number += 1
          } while !isStopped.withLock { $0 }
        } catch {
          failures.withLock { $0.append("\(error) in access \(number)") }
          if number == 0 { begun.leave() }
        }
      }
    }
    begun.wait()
  }

  /// Waits for the threads; a failure of one is an issue.
  func stop() {
    isStopped.withLock { $0 = true }
    group.wait()
    #expect(failures.withLock { $0 } == [])
  }
}

private func forkProcess() -> pid_t {
  // Swift's overlay of the C library hides `fork`, whose prototype is `pid_t fork(void)`.
  typealias Fork = @convention(c) () -> pid_t
  return unsafe unsafeBitCast(dlsym(nil, "fork")!, to: Fork.self)()
}

private func end(of child: pid_t) -> Int32 {
  var status: Int32 = 0
  // `waitpid` writes the status before it returns.
  while unsafe waitpid(child, &status, 0) == -1, errno == EINTR {}
  return status
}

/// Exits a child with a failure; the line is its status.
private func check(_ holds: @autoclosure () throws -> Bool, line: Int32 = #line) throws {
  if try !holds() { _exit(line % 250 + 2) }
}

private func expect<Result>(
  _ expected: SecretStoreError, line: Int32 = #line, _ body: () throws -> Result
) throws {
  do {
    _ = try body()
  } catch let error as SecretStoreError where error == expected {
    return
  }
  _exit(line % 250 + 2)
}
