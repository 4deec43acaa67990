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

  /// Returns the most calls of `flock` after an opening since last time; a wait makes at least two.
  private func takeTries(_ log: CallLog) -> Int {
    log.take().split { $0.hasPrefix("open ") }.map(\.count).max() ?? 0
  }

  /// Starts a process, and stops it while it holds a lock.
  private func hold(_ lock: String) throws -> (holder: ChildProcess, busy: SecretStoreError) {
    let journal = try vault.path("journal \(UUID())")
    let child = try ChildProcess("hold", on: vault, [lock], journal: journal)
    // It writes the line "held".
    try wait(for: child) { try FileSystem().status(of: journal)?.size == 5 }
    child.signal(SIGSTOP)
    return (child, .busy(path: lock, holder: child.identifier))
  }

  @Test func writesTimeOutOnceAndThenFailAtOnce() throws {
    let log = CallLog(.open, .flock, on: lock)
    let object = try vault.open(fileSystem: log.fileSystem).adding("value", account: "a")
    try object.export(of: vault)
    let (holder, busy) = try hold(lock)
    let other = vault.open(fileSystem: log.fileSystem)
    for writer in [object, other] { writer.lockTimeout = .milliseconds(20) }
    _ = takeTries(log)
    expectError(busy) { try object.add("new", account: "b") }
    // The first try, and one at the deadline, however late that is.
    #expect(takeTries(log) > 1)
    // An export writes to another file.
    for work in VaultWork.allCases where work != .export {
      #expect(throws: busy, "\(work)") { try work.perform(on: object, of: vault) }
      #expect(takeTries(log) == 1, "\(work)")
    }
    expectError(busy) { try other.change("a", to: "changed") }
    #expect(takeTries(log) == 1)
    #expect("\(busy)".contains(lock) && "\(busy)".contains("\(holder.identifier)"))
    holder.kill()
    try object.change("a", to: "changed")
    try vault.open().expectSound(["a": "changed"])
  }

  @Test func readLockAndUnlockDoNotWaitForWriters() throws {
    let log = CallLog(.open, .flock, on: lock)
    let object = try vault.open(fileSystem: log.fileSystem).adding("value", account: "a")
    let (holder, _) = try hold(lock)
    _ = takeTries(log)
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
    try wait { takeTries(log) > 0 }
    for _ in 0..<5 {
      for reader in [object, vault.open()] {
        try reader.expectSound(["a": "value"])
        #expect(reader.diagnose().isHealthy)
      }
      try object.export(of: vault, overwriting: true)
      object.lock()
      #expect(try object.isLocked)
      expectLocked { try object.text("a") }
      try object.unlock()
    }
    holder.stop()
    writers.wait()
    // The vault may have been locked just before a writer used a key.
    let found = outcomes.withLock { $0 }
    #expect(found.values.allSatisfy { $0?.isLocked != false })
    #expect(try vault.open().texts().count == (found[0] == .some(nil) ? 2 : 1))
  }

  @Test func waitingWritersTimeOutTogether() throws {
    let object = try vault.openWithItem()
    let (holder, busy) = try hold(lock)
    object.lockTimeout = .milliseconds(100)
    onThreads(8) { number in
      for _ in 0..<3 { expectError(busy) { try object.add("new", account: "\(number)") } }
    }
    #expect(try object.texts() == ["a": "value"])
    holder.kill()
    object.lockTimeout = .unlimited
    try onThreads(8) { number in try object.add("new", account: "\(number)") }
    #expect(try object.texts().count == 9)
  }

  @Test func onlyNewVaultWaitsForDeviceKeyLock() throws {
    try FileSystem().makeDirectories(vault.statePath)
    let lock = "\(vault.statePath)/device.key.lock"
    let (holder, busy) = try hold(lock)
    let object = vault.open()
    object.lockTimeout = .zero
    expectError(busy) { try object.add("value", account: "a") }
    #expect(try object.items(matching: .all) == [])
    holder.kill()
    try object.add("value", account: "a")

    // An existing device key needs no lock.
    let second = try hold(lock).holder
    try vault.open().rotateKeys()
    try vault.open().removePassphrase()
    #expect(try vault.open().texts() == ["a": "value"])
    second.stop()
  }

  // In separate processes, because the handler is global.

  @Test func propertyKeepsValueOfTimedOutWrite() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let test = VaultHeldLockTests()
        let heard = hearFailures()
        let object = test.vault.open()
        let password = object.property("a")
        password.value = "stored"
        let (holder, busy) = try test.hold(test.lock)
        object.lockTimeout = .zero
        password.value = "new"
        #expect(heard.all == [SecretStorageFailure(.write, busy)])
        #expect(password.value == "new" && password.hasUnsavedChanges && password.error == busy)
        #expect(password.status == .unavailable(busy.description))
        holder.kill()
        try password.save()
        #expect(test.vault.open().property("a").value == "new")
      }
    }
  }

  @Test func heldStateLockDoesNotBlockTheVault() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let test = VaultHeldLockTests()
        let vault = test.vault
        try vault.open().add("value", account: "a")
        let state = try vault.stateFile(".state")
        let (holder, busy) = try test.hold(state)
        let heard = hearFailures()
        let log = CallLog(.open, .flock, on: state)
        let object = vault.open(fileSystem: log.fileSystem)
        object.lockTimeout = .milliseconds(20)
        #expect(try object.texts() == ["a": "value"])
        try object.add("new", account: "b")
        heard.wait(for: SecretStorageFailure(.maintenance, busy))
        #expect(test.takeTries(log) > 1)
        // After the first time-out, later accesses do not wait.
        object.lock()
        try object.unlock()
        for work in VaultWork.allCases { try work.perform(on: object, of: vault) }
        #expect(test.takeTries(log) == 1)
        let other = vault.open()
        try other.expectSound(["b": "new", "new": "new"])
        #expect(other.diagnose().isHealthy)
        #expect(Set(heard.all) == [SecretStorageFailure(.maintenance, busy)])
        holder.kill()
        // The next write makes up for the missed update of the state.
        let old = try vault.bytes
        try other.change("b", to: "newest")
        try vault.replace(by: old)
        #expect(throws: SecretStoreError.self) { try vault.open().texts() }
      }
    }
  }
}
