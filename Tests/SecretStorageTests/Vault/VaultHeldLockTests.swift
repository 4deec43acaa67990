import CLibrary
import Concurrency
import Dispatch
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Locks held by a stopped process.
struct VaultHeldLockTests {
  private let vault = TestVault()
  private var lock: String { "\(vault.path).lock" }

  /// A wait beyond the test's time limit.
  private static let forever = Duration.seconds(1_000_000)

  /// Starts a process, and stops it while it holds a lock.
  private func holder(of lock: String) throws -> ChildProcess {
    let journal = try vault.path("journal")
    let child = try ChildProcess("hold", on: vault, [lock], journal: journal)
    try wait {
      try vault.names().contains("journal") && TestVault.bytes(of: journal) == Array("held\n".utf8)
    }
    child.signal(SIGSTOP)
    return child
  }

  @Test func writesEndAtTheDeadlineAndThenAtOnce() throws {
    let object = vault.open()
    let item = try object.add("value", account: "a")
    let export = URL(filePath: try vault.path("export"))
    let passphrase = Secret("passphrase".utf8)
    try object.export(to: export, passphrase: passphrase, cost: .cheap)
    let holder = try holder(of: lock)
    let busy = SecretStoreError.busy(path: lock, holder: holder.identifier)
    object.lockTimeout = .milliseconds(20)
    let writes: [(SecretVault) throws -> Void] = [
      { try $0.add("new", account: "b") },
      { try $0.change("a", to: "changed") },
      { try $0.remove(item.id, expecting: item.revision) },
      { try $0.setPassphrase(passphrase, cost: .cheap) },
      { try $0.addSlot(.passphrase(passphrase), named: "person", cost: .cheap) },
      { try $0.compact() },
      { try $0.rotateKeys() },
      { try $0.importItems(from: export, passphrase: passphrase) },
    ]
    for write in writes {
      #expect(throws: busy) { try write(object) }
      // After the first time-out, later writes do not wait.
      object.lockTimeout = Self.forever
    }
    let other = vault.open()
    other.lockTimeout = Self.forever
    #expect(throws: busy) { try other.change("a", to: "changed") }
    #expect("\(busy)".contains(lock) && "\(busy)".contains("\(holder.identifier)"))

    holder.stop()
    holder.end()
    try object.change("a", to: "changed")
    #expect(try vault.open().texts() == ["a": "changed"])
    #expect(try vault.open().verify().isSound)
  }

  @Test func readingLockingAndUnlockingWaitForNoWriter() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let holder = try holder(of: lock)
    object.lockTimeout = Self.forever
    let hasWritten = Lock(false)
    let group = DispatchGroup()
    let failure = Lock<(any Error)?>(nil)
    for number in 0..<2 {
      DispatchQueue(label: "writer").async(group: group) {
        do {
          // Writes to a locked vault would fail without a wait.
          try wait { try !object.isLocked }
          if number == 0 { try object.add("new", account: "b") } else { try object.compact() }
          hasWritten.withLock { $0 = true }
        } catch {
          failure.withLock { $0 = error }
        }
      }
    }
    let export = URL(filePath: try vault.path("export"))
    for round in 0..<100 {
      for reader in [object, vault.open()] {
        #expect(try reader.text("a") == "value")
        #expect(try reader.verify().isSound)
        #expect(reader.diagnose().isHealthy)
      }
      if round % 10 == 0 {
        try object.export(
          to: export, passphrase: Secret("passphrase".utf8), cost: .cheap, overwriting: true)
      }
    }
    #expect(!hasWritten.withLock { $0 })
    holder.stop()
    group.wait()
    #expect(failure.withLock { $0 } == nil)
    #expect(try vault.open().texts() == ["a": "value", "b": "new"])
  }

  @Test func aVaultIsLockedAndUnlockedWhileAWriterWaits() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let holder = try holder(of: lock)
    object.lockTimeout = Self.forever
    let ended = Lock(Int?.none)
    let group = DispatchGroup()
    DispatchQueue(label: "writer").async(group: group) {
      do throws(SecretStoreError) {
        try object.add("new", account: "b")
        ended.withLock { $0 = 1 }
      } catch {
        // The vault was locked just before the item was sealed.
        ended.withLock { $0 = error == .locked ? 0 : -1 }
      }
    }
    for _ in 0..<100 {
      object.lock()
      #expect(try object.isLocked)
      #expect(throws: SecretStoreError.locked) { try object.text("a") }
      try object.unlock()
      #expect(try object.text("a") == "value")
    }
    holder.stop()
    group.wait()
    let outcome = try #require(ended.withLock { $0 })
    #expect(outcome >= 0)
    #expect(try vault.open().texts().count == 1 + outcome)
  }

  @Test func allWritersThatWaitFailTogether() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let holder = try holder(of: lock)
    object.lockTimeout = .milliseconds(100)
    let busy = SecretStoreError.busy(path: lock, holder: holder.identifier)
    onThreads(8) { number in
      for _ in 0..<3 {
        #expect(throws: busy) { try object.add("new", account: "\(number)") }
      }
    }
    #expect(try object.texts() == ["a": "value"])
    holder.stop()
    holder.end()
    try onThreads(8) { number in try object.add("new", account: "\(number)") }
    #expect(try object.texts().count == 9)
  }

  @Test func aNewVaultWaitsForItsDeviceKeyAndReadersDoNot() throws {
    try FileSystem().makeDirectories(vault.statePath)
    let lock = "\(vault.statePath)/device.key.lock"
    let holder = try holder(of: lock)
    let object = vault.open()
    object.lockTimeout = .zero
    #expect(throws: SecretStoreError.busy(path: lock, holder: holder.identifier)) {
      try object.add("value", account: "a")
    }
    #expect(try object.items(matching: .all) == [])
    holder.stop()
    holder.end()
    try object.add("value", account: "a")

    // An existing device key needs no lock.
    let second = try self.holder(of: lock)
    try vault.open().rotateKeys()
    try vault.open().removePassphrase()
    #expect(try vault.open().texts() == ["a": "value"])
    second.stop()
  }

  // In separate processes, because the handler is global.

  @Test func aPropertyKeepsWhatWaitedInVain() async {
    await #expect(processExitsWith: .success) {
      let test = VaultHeldLockTests()
      let heard = Lock([SecretStorageFailure]())
      ExpectedFailures.begin()
      SecretStores.onFailure = { failure in heard.withLock { $0.append(failure) } }
      let object = test.vault.open()
      let password = PasswordItem<String>(.generic(service: "service"), in: object)
      password.value = "stored"
      let holder = try test.holder(of: test.lock)
      object.lockTimeout = .zero
      let busy = SecretStoreError.busy(path: test.lock, holder: holder.identifier)
      password.value = "new"
      let failure = SecretStorageFailure(.write, busy, storeName: test.vault.path)
      #expect(heard.withLock { $0 } == [failure])
      #expect(password.value == "new" && password.hasUnsavedChanges && password.error == busy)
      #expect(password.status == .unavailable(busy.description))
      holder.stop()
      holder.end()
      try password.save()
      #expect(
        PasswordItem<String>(.generic(service: "service"), in: test.vault.open()).value == "new")
    }
  }

  @Test func aHeldStateKeepsNothingFromBeingReadOrWritten() async {
    await #expect(processExitsWith: .success) {
      let test = VaultHeldLockTests()
      let vault = test.vault
      try vault.open().add("value", account: "a")
      let name = try FileSystem().entries(of: vault.statePath).first { $0.hasSuffix(".state") }
      let state = "\(vault.statePath)/\(try #require(name))"
      let holder = try test.holder(of: state)
      let heard = Heard<SecretStorageFailure>()
      ExpectedFailures.begin()
      SecretStores.onFailure = heard.hear
      let busy = SecretStoreError.busy(path: state, holder: holder.identifier)
      let object = vault.open()
      object.lockTimeout = .milliseconds(20)
      #expect(try object.texts() == ["a": "value"])
      try object.add("new", account: "b")
      #expect(heard.wait(for: SecretStorageFailure(.maintenance, busy)))
      // After the first time-out, later accesses do not wait.
      object.lockTimeout = VaultHeldLockTests.forever
      try object.change("a", to: "changed")
      try object.remove("b")
      object.lock()
      try object.unlock()
      try object.compact()
      try object.rotateKeys()
      let passphrase = Secret("passphrase".utf8)
      try object.setPassphrase(passphrase, cost: .cheap)
      try object.removePassphrase()
      let export = URL(filePath: try vault.path("export"))
      try object.export(to: export, passphrase: passphrase, cost: .cheap)
      try object.importItems(from: export, passphrase: passphrase)
      let other = vault.open()
      #expect(try other.texts() == ["a": "changed"])
      #expect(other.diagnose().isHealthy)
      #expect(try other.verify().isSound)
      #expect(Set(heard.all) == [SecretStorageFailure(.maintenance, busy)])
      holder.stop()
      holder.end()
      // The next write makes up for the missed update of the state.
      let old = try vault.bytes
      try other.change("a", to: "newest")
      try vault.replace(by: old)
      #expect(throws: SecretStoreError.self) { try vault.open().texts() }
    }
  }
}
