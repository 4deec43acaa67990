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
      for property in [family.token, family.onChange, family.unsaved] {
        property.value?.append("child's")
        property.value = "child's"
        property.attributes.label = "child's"
        try check(property.value == (property === family.token ? "default" : nil))
        try check(property.status == .forked && property.error == .forked)
        try check(!property.hasUnsavedChanges && property.attributes.label == nil)
        try check(property.creationDate == nil)
        property.forget()
        try expectForked { try property.load() }
        try expectForked { try property.save() }
        try expectForked { try property.remove() }
        try expectForked { try property.matchCount }
      }
    },
    "vault": { family in
      for vault in [family.vault, family.device, family.makeVault(), family.deviceVault()] {
        vault.lock()
        try expectForked { try vault.isLocked }
        try expectForked { try vault.verify() }
        try expectForked { try vault.slots }
        try expectForked { try vault.revision() }
        try expectForked { try vault.items(matching: .all) }
        try expectForked { try vault.secret(of: family.item.id) }
        try expectForked { try vault.salvageableItems() }
        try expectForked { try vault.salvageableItems(unlockingWith: [.device]) }
        for flags in [AccessFlags(), .userPresence] {
          let attributes = ItemAttributes(accessControl: AccessControl(flags: flags))
          try expectForked {
            try vault.add("child's", identity: .generic(service: "child"), attributes: attributes)
          }
        }
        try expectForked { try vault.remove(family.item.id, expecting: family.item.revision) }
        try expectForked { try vault.compact() }
        try expectForked { try vault.repair() }
        try expectForked { try vault.rotateKeys() }
        try expectForked { try vault.acceptRollback() }
        try expectForked { try vault.setPassphrase("child's", cost: .minimum) }
        try expectForked { try vault.unlock() }
        try expectForked { try vault.unlock(with: .passphrase(Family.passphrase)) }
        try expectForked { try vault.damagedCopies }
        try check(vault.diagnose().problems.count == 1)
      }
    },
    "observe": { family in
      let token = family.vault.observeChanges { _exit(1) }
      family.vault.automaticLocking = AutomaticLocking(afterIdle: .zero, signals: [SIGUSR2])
      try check(family.vault.automaticLocking == AutomaticLocking())
      token.cancel()
    },
    "other stores": { family in
      try check(family.memory.items(matching: .all).isEmpty)
      try expectForked {
        try family.memory.add(
          "child's", identity: .generic(service: "child"), attributes: ItemAttributes())
      }
      SecretStores.onFailure = { _ in _exit(1) }
      SecretStores.onFailure(SecretStorageFailure(.read, .locked()))
      family.context.cancel()
      try expectForked { try family.context.authorization(with: nil) }
      try expectForked { try OpenSSLCipher().digest([]) }
      try expectForked { try ScryptCost.calibrated() }
      try check(PAMAuthenticator().capabilities.isEmpty)
      try SecretStores.withDefaultStore(family.memory) {
        let password = PasswordItem<String>(.generic(service: "child"))
        password.value = "changed"
        try check(password.status == .forked)
      }
    },
  ]

  @Test func forkedChildrenReadAndWriteNothingAndDoNotHang() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let family = try Family()
        let threads = family.beBusy()
        var wrong: [String] = []
        for round in 0..<Campaign.size(sample: 2, full: 100) {
          for (name, perform) in Self.operations.sorted(by: { $0.key < $1.key }) {
            let status = try ForkedChild(isQuiet: true) { try perform(family) }.end()
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
          _exit(error as? SecretStoreError == .forked ? 0 : 1)
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

private func expectForked<Result>(line: Int32 = #line, _ body: () throws -> Result) throws {
  try check((try? failure { _ = try body() }) == .forked, line: line)
}
