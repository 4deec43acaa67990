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

  /// Starts a process, and stops it while it holds a lock.
  private func holder(of lock: String) throws -> ChildProcess {
    let journal = try vault.path("journal \(UUID())")
    let child = try ChildProcess("hold", on: vault, [lock], journal: journal)
    // It writes the line "held".
    try wait(for: child) { try FileSystem().status(of: journal)?.size == 5 }
    child.signal(SIGSTOP)
    return child
  }

  @Test func writesTimeOutOnceAndThenFailAtOnce() throws {
    let object = vault.open()
    let item = try object.add("value", account: "a")
    try object.export(of: vault)
    let holder = try holder(of: lock)
    let busy = SecretStoreError.busy(path: lock, holder: holder.identifier)
    object.lockTimeout = .milliseconds(20)
    let writes: [(SecretVault) throws -> Void] = [
      { try $0.add("new", account: "b") },
      { try $0.change("a", to: "changed") },
      { try $0.remove(item.id, expecting: item.revision) },
      { try $0.setPassphrase("passphrase", cost: .minimum) },
      { try $0.addSlot(.passphrase("passphrase"), named: "person", cost: .minimum) },
      { try $0.compact() },
      { try $0.rotateKeys() },
      { try $0.importItems(of: vault) },
    ]
    for write in writes {
      #expect(throws: busy) { try write(object) }
      // After the first time-out, later writes do not wait.
      object.lockTimeout = .unlimited
    }
    let other = vault.open()
    other.lockTimeout = .unlimited
    #expect(throws: busy) { try other.change("a", to: "changed") }
    #expect("\(busy)".contains(lock) && "\(busy)".contains("\(holder.identifier)"))

    holder.stop()
    holder.end()
    try object.change("a", to: "changed")
    #expect(try vault.open().texts() == ["a": "changed"])
    #expect(try vault.open().verify().isSound)
  }

  @Test func readLockAndUnlockDoNotWaitForWriters() throws {
    let tries = Lock(0)
    let object = vault.open(
      fileSystem: FileSystem { [lock] call, path in
        if call == .flock, path == lock { tries.withLock { $0 += 1 } }
        return nil
      })
    try object.add("value", account: "a")
    let holder = try holder(of: lock)
    object.lockTimeout = .unlimited
    let first = tries.withLock { $0 } + 1
    let outcomes = Lock([Int: SecretStoreError?]())
    let writers = DispatchGroup()
    for number in 0..<2 {
      DispatchQueue(label: "writer").async(group: writers) {
        var outcome: SecretStoreError?
        do {
          if number == 0 { try object.add("new", account: "b") } else { try object.compact() }
        } catch {
          outcome = error as? SecretStoreError ?? .conflict
        }
        outcomes.withLock { $0[number] = outcome }
      }
    }
    try wait { tries.withLock { $0 } >= first }
    for _ in 0..<5 {
      for reader in [object, vault.open()] {
        #expect(try reader.text("a") == "value")
        #expect(try reader.verify().isSound)
        #expect(reader.diagnose().isHealthy)
      }
      try object.export(of: vault, overwriting: true)
      object.lock()
      #expect(try object.isLocked)
      #expect(throws: SecretStoreError.locked) { try object.text("a") }
      try object.unlock()
    }
    holder.stop()
    writers.wait()
    // The vault may have been locked just before a writer used a key.
    let found = outcomes.withLock { $0 }
    #expect(found.values.allSatisfy { $0 == nil || $0 == .locked })
    #expect(try vault.open().texts().count == (found[0] == .some(nil) ? 2 : 1))
  }

  @Test func waitingWritersTimeOutTogether() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let holder = try holder(of: lock)
    object.lockTimeout = .milliseconds(100)
    let busy = SecretStoreError.busy(path: lock, holder: holder.identifier)
    onThreads(8) { number in
      for _ in 0..<3 { #expect(throws: busy) { try object.add("new", account: "\(number)") } }
    }
    #expect(try object.texts() == ["a": "value"])
    holder.stop()
    holder.end()
    try onThreads(8) { number in try object.add("new", account: "\(number)") }
    #expect(try object.texts().count == 9)
  }

  @Test func onlyNewVaultWaitsForDeviceKeyLock() throws {
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

  @Test func propertyKeepsValueOfTimedOutWrite() async {
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
      #expect(heard.withLock { $0 } == [SecretStorageFailure(.write, busy)])
      #expect(password.value == "new" && password.hasUnsavedChanges && password.error == busy)
      #expect(password.status == .unavailable(busy.description))
      holder.stop()
      holder.end()
      try password.save()
      #expect(
        PasswordItem<String>(.generic(service: "service"), in: test.vault.open()).value == "new")
    }
  }

  @Test func heldStateLockDoesNotBlockTheVault() async {
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
      heard.wait(for: SecretStorageFailure(.maintenance, busy))
      // After the first time-out, later accesses do not wait.
      object.lockTimeout = .unlimited
      try object.change("a", to: "changed")
      try object.remove("b")
      object.lock()
      try object.unlock()
      try object.compact()
      try object.rotateKeys()
      try object.setPassphrase("passphrase", cost: .minimum)
      try object.removePassphrase()
      try object.export(of: vault)
      try object.importItems(of: vault)
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
