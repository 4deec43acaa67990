import Dispatch
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// What a child does that was forked from a process with busy threads, without `exec`.
///
/// Each test is a process of its own: a child of the tests' own process would bring their locks
/// along.
@Suite(.forks) struct VaultForkTests {
  /// What one child does; it throws or exits where something is not as documented.
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
      // The idle time is over at once.
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
      SecretStorage.onFailure(PasswordFailure(.read, .locked))
      try expect(.cancelled) { try family.context.authorization(with: nil) }
      try check(PAMAuthenticator().capabilities.isEmpty)
      SecretStorage.withDefaultStore(family.memory) {
        let password = PasswordItem<String>(.generic(service: "child"))
        password.value = "changed"
      }
    },
  ]

  @Test func noChildHangsAndNoneHasItsParentsKeys() async {
    await #expect(processExitsWith: .success) {
      let family = try Family()
      let end = Lock(false)
      let group = try family.beBusy(until: end)
      var hung = 0
      var wrong: [String] = []
      for round in 0..<Campaign.size(sample: 8, full: 100) {
        for operation in Self.operations {
          let child = try ForkedChild {
            try operation.perform(family)
            _exit(0)
          }
          switch child.end(within: .seconds(60)) {
          case nil: hung += 1
          case 0: break
          case let status?: wrong.append("\(operation.name) \(round): \(status)")
          }
        }
      }
      end.withLock { $0 = true }
      group.wait()
      if hung > 0 || !wrong.isEmpty { fatalError("\(hung) children hung; wrong: \(wrong)") }
      try family.checkParent()
    }
  }

  @Test func aChildThatDoesNothingKeepsNoLock() async {
    await #expect(processExitsWith: .success) {
      let family = try Family()
      let end = Lock(false)
      let group = try family.beBusy(until: end)
      let children = try (0..<20).map { _ in try ForkedChild { while true { pause() } } }
      end.withLock { $0 = true }
      group.wait()
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

  @Test func aChildForkedInsideOfAnAccessLeavesItToTheParent() async {
    await #expect(processExitsWith: .success) {
      let family = try Family()
      let parent = getpid()
      family.token.value = "set"
      // Both processes return from within the access.
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
      do throws(SecretStoreError) {
        try family.vault.compact { _ in
          if child == -1 { child = forkProcess() }
          return .proceed
        }
        if getpid() != parent { _exit(1) }
      } catch {
        if getpid() == parent { throw error }
        guard case .unavailable = error else { _exit(1) }
        _exit(0)
      }
      try check(end(of: child) == 0)
      try check(family.vault.verify().isSound)
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
    SecretStorage.onFailure = { _ in }
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

  /// Has threads use everything until the end.
  func beBusy(until end: Lock<Bool>) throws -> DispatchGroup {
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
        SecretStorage.onFailure(PasswordFailure(.read, .locked))
      },
      { number in
        try self.vault.compact()
        _ = self.vault.observeChanges {}
      },
    ]
    let group = DispatchGroup()
    for work in works {
      DispatchQueue(label: "busy").async(group: group) {
        var number = 0
        while !end.withLock({ $0 }) {
          do {
            try work(number)
          } catch {
            fatalError("The parent failed: \(error)")
          }
          number += 1
        }
      }
    }
    return group
  }

  /// The parent is unlocked, and has what it wrote.
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

/// Forks, and returns the child's identifier, or zero in the child.
private func forkProcess() -> pid_t {
  // Swift's overlay of the C library hides `fork`, whose prototype is `pid_t fork(void)`.
  typealias Fork = @convention(c) () -> pid_t
  return unsafe unsafeBitCast(dlsym(nil, "fork")!, to: Fork.self)()
}

private func end(of child: pid_t) -> Int32 {
  var status: Int32 = 0
  // The status is written before this returns.
  while unsafe waitpid(child, &status, 0) == -1, errno == EINTR {}
  return status
}

/// Ends a child in failure, with the line as its status.
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
