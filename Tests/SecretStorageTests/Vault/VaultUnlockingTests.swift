import CLibrary
import Concurrency
import FoundationEssentials
import Dispatch
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Unlocking a vault that another thread locks, or another process replaces, meanwhile.
struct VaultUnlockingTests {
  enum Unlocking: CaseIterable { case locked, unlocked, byPassphrase }

  private enum Locking: CaseIterable { case call, callAndUnlockOfAnother, none, signal }

  private let vault = TestVault()
  private let other: SecretVault

  init() throws {
    other = try vault.protected()
    try other.add("text", account: "account")
  }

  /// Another object rotates the keys during every derivation; the last one excludes it.
  @Test func unlockEndsDuringConstantRotations() throws {
    let outcomes = Lock<[SecretStoreError?]>([])
    let cipher = HookedCipher { [other] in
      // From the third attempt on, the other object finds the lock taken.
      other.lockTimeout = outcomes.withLock { $0.count } < 2 ? .unlimited : .zero
      let outcome = try? failure { try other.rotate() }
      outcomes.withLock { $0.append(outcome) }
    }
    let object = vault.open(cipher: cipher)
    try object.unlock(with: .tests)
    #expect(outcomes.withLock { $0.map { $0?.kind } } == [nil, nil, "busy"])
    #expect(try object.text("account") == "text")
  }

  /// The file is replaced between the check of the present one and the reading with the keys.
  @Test(arguments: Unlocking.allCases)
  func refusedUnlockLeavesTheVaultAsItWas(_ unlocking: Unlocking) throws {
    try other.addSlot(.device, named: "device")
    let older = try vault.bytes
    try other.change("account", to: "new")
    let genuine = try vault.bytes
    let isArmed = Lock(false)
    let object = vault.open(
      // Only before a whole file is read, which is the second step.
      fileSystem: .before(.opendir, on: vault.path.parentDirectory) { [vault] _ in
        if isArmed.withLock({ $0 }) { try vault.replace(by: older) }
      })
    func unlock() throws {
      try unlocking == .byPassphrase ? object.unlock(with: .tests) : object.unlock()
    }
    #expect(try object.text("account") == "new")
    if unlocking != .unlocked { object.lock() }
    isArmed.withLock { $0 = true }
    expectError("rolledBack") { try unlock() }
    #expect(try vault.bytes == older)
    isArmed.withLock { $0 = false }
    try vault.replace(by: genuine)
    #expect(try object.isLocked == (unlocking != .unlocked))
    try unlock()
    #expect(try object.text("account") == "new")
  }

  /// The tables of `VaultAccessibilityTableTests` have the outcomes of the rest.
  @Test func lockedVaultRefusesKeyChangesAndTransfers() throws {
    try other.add("value", account: "always", .always)
    try other.export(of: vault)
    let (bytes, slots) = (try vault.bytes, try other.slots)
    let exported = try TestVault.bytes(of: vault.export.path)
    other.lock()
    for locked in [other, vault.open(), try vault.openElsewhere()] {
      for work in VaultWork.allCases where ![.add, .change, .compact, .remove].contains(work) {
        expectLocked("\(work)") { try work.perform(on: locked, of: vault) }
      }
      expectLocked { try locked.importItems(of: vault, isDryRun: true) }
      expectLocked { try locked.addSlot(.device, named: "device") }
      #expect(try locked.slots == slots)
    }
    #expect(try vault.bytes == bytes)
    #expect(try TestVault.bytes(of: vault.export.path) == exported)
  }

  /// In a separate process, because a handler of a signal is global.
  @Test func lockDuringUnlockCancelsIt() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        for locking in Locking.allCases { try VaultUnlockingTests().expectCancellation(locking) }
      }
    }
  }

  private func expectCancellation(_ locking: Locking) throws {
    let (isStopped, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let object = vault.open(
      cipher: HookedCipher {
        isStopped.signal()
        mayGoOn.wait()
      })
    if locking == .signal { object.automaticLocking = AutomaticLocking(signals: [SIGWINCH]) }
    let outcome = Lock<Result<Void, any Error>?>(nil)
    let unlocking = DispatchGroup()
    DispatchQueue(label: "unlocking").async(group: unlocking) {
      let result = Result { try object.unlock(with: .tests) }
      outcome.withLock { $0 = result }
    }
    isStopped.wait()
    switch locking {
    case .call: object.lock()
    case .callAndUnlockOfAnother:
      object.lock()
      try other.unlock(with: .tests)
    case .none: break
    case .signal:
      kill(getpid(), SIGWINCH)
      try wait { object.isLockedByApp }
    }
    mayGoOn.signal()
    unlocking.wait()
    let result = outcome.withLock { $0 }
    if locking == .none {
      #expect(throws: Never.self) { try result?.get() }
    } else {
      expectError(.cancelled) { try result?.get() }
      #expect(try object.userKey == nil && object.isLocked)
      expectLocked { try object.text("account") }
      mayGoOn.signal()
      try object.unlock(with: .tests)
    }
    #expect(try object.text("account") == "text")
  }
}
