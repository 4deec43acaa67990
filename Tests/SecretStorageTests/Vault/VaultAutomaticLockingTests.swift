import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Automatic locking of a vault.
struct VaultAutomaticLockingTests {
  /// A clock that only `advance` moves.
  private final class StoppedClock: Sendable {
    private let time = Lock(ContinuousClock.now)

    var now: ContinuousClock.Instant { time.withLock { $0 } }

    func advance(seconds: Int) {
      time.withLock { $0 += .seconds(seconds) }
    }
  }

  private let vault = TestVault()
  private let clock = StoppedClock()

  /// Opens a vault with an item and an idle limit.
  private func open(afterSeconds limit: Int? = 10) throws -> SecretVault {
    let object = vault.open()
    try object.add("text", account: "account")
    lock(object, afterSeconds: limit)
    return object
  }

  private func lock(_ object: SecretVault, afterSeconds limit: Int?) {
    let setting = AutomaticLocking(afterIdle: limit.map { .seconds($0) })
    object.apply(setting) { [clock] in clock.now }
  }

  /// Whether the user key is in memory; the check itself is no access.
  private func hasKey(_ object: SecretVault) -> Bool {
    object.contents.withLock { $0.keys.ring.user != nil }
  }

  @Test func defaultSettingNeverLocks() throws {
    #expect(vault.open().automaticLocking == AutomaticLocking())
    #expect(AutomaticLocking().allSignals.isEmpty)
    let object = try open(afterSeconds: nil)
    clock.advance(seconds: 1000)
    #expect(try object.text("account") == "text")
  }

  @Test func vaultLocksAfterTheIdleTime() throws {
    let object = try open()
    let item = try #require(try object.item("account"))
    clock.advance(seconds: 9)
    #expect(try !object.isLocked)
    clock.advance(seconds: 1)
    #expect(throws: SecretStoreError.locked) { try object.secret(of: item.id) }
    #expect(throws: SecretStoreError.locked) { try object.add("text", account: "other") }
    #expect(try object.isLocked)
    #expect(!hasKey(object))
    // Attributes stay readable, as after any locking.
    #expect(try object.items(matching: .all) == [item])
  }

  enum Use: CaseIterable { case read, add, update, remove, unlock }

  @Test(arguments: Use.allCases) func useRestartsTheIdleTime(_ use: Use) throws {
    let object = try open()
    clock.advance(seconds: 9)
    switch use {
    case .read: #expect(try object.text("account") == "text")
    case .add: try object.add("text", account: "other")
    case .update: try object.change("account", to: "other")
    case .remove: try object.remove("account")
    case .unlock:
      clock.advance(seconds: 11)
      #expect(throws: SecretStoreError.locked) { try object.text("account") }
      clock.advance(seconds: 11)
      try object.unlock()
    }
    clock.advance(seconds: 9)
    #expect(try !object.isLocked)
    clock.advance(seconds: 1)
    #expect(try object.isLocked)
  }

  /// Searches, revisions and failed writes, which an app may make at any time, do not count as use.
  @Test func searchAndFailedWriteAreNoUse() throws {
    let object = try open()
    clock.advance(seconds: 9)
    _ = try object.revision()
    #expect(try object.items(matching: .all).count == 1)
    #expect(throws: SecretStoreError.duplicate) { try object.add("text", account: "account") }
    #expect(try !object.isLocked)
    #expect(try object.verify().isSound)
    // Accesses by another object do not count either.
    try vault.open().change("account", to: "other")
    _ = try object.revision()
    clock.advance(seconds: 1)
    #expect(try object.isLocked)
  }

  @Test func newSettingReplacesTheOld() throws {
    let object = try open()
    lock(object, afterSeconds: 20)
    clock.advance(seconds: 19)
    #expect(try !object.isLocked)
    lock(object, afterSeconds: 10)
    clock.advance(seconds: 9)
    #expect(try !object.isLocked)
    lock(object, afterSeconds: nil)
    clock.advance(seconds: 1000)
    #expect(try !object.isLocked)
    #expect(try object.text("account") == "text")
    // It does not extend a time that has elapsed.
    lock(object, afterSeconds: 10)
    clock.advance(seconds: 10)
    lock(object, afterSeconds: 20)
    #expect(throws: SecretStoreError.locked) { try object.text("account") }
  }

  @Test func extremeIdleTimesDoNotOverflow() throws {
    let object = try open()
    object.automaticLocking = AutomaticLocking(afterIdle: .seconds(Int64.max))
    #expect(try object.text("account") == "text")
    object.automaticLocking = AutomaticLocking(afterIdle: .seconds(Int64.min))
    #expect(throws: SecretStoreError.locked) { try object.text("account") }
  }

  @Test func idleTimeBeginsWithTheFirstKey() throws {
    let object = vault.open()
    lock(object, afterSeconds: 10)
    clock.advance(seconds: 100)
    #expect(try object.items(matching: .all).isEmpty)
    try object.add("text", account: "account")
    clock.advance(seconds: 9)
    #expect(try object.text("account") == "text")
    clock.advance(seconds: 10)
    #expect(throws: SecretStoreError.locked) { try object.text("account") }
  }

  @Test func vaultWithNewPassphraseLocksToo() throws {
    let object = vault.open()
    lock(object, afterSeconds: 10)
    try object.setPassphrase("x", cost: .minimum)
    clock.advance(seconds: 9)
    #expect(try !object.isLocked)
    clock.advance(seconds: 1)
    #expect(try object.isLocked)
    #expect(!hasKey(object))
  }

  @Test func timerLocksWithoutAnAccess() throws {
    let object = vault.open()
    try object.add("text", account: "account")
    let heard = Heard<Bool>()
    let observation = object.observeChanges { heard.hear(true) }
    object.automaticLocking = AutomaticLocking(afterIdle: .milliseconds(20))
    try wait { !hasKey(object) }
    heard.wait(for: true)
    #expect(throws: SecretStoreError.locked) { try object.text("account") }
    withExtendedLifetime(observation) {}
  }

  /// The timer fires early by its own clock, finds time left, and rearms.
  @Test func timerThatFiresEarlyIsRescheduled() throws {
    let object = vault.open()
    try object.add("text", account: "account")
    let looks = Lock(0)
    object.apply(AutomaticLocking(afterIdle: .milliseconds(20))) { [clock] in
      looks.withLock { $0 += 1 }
      return clock.now
    }
    try wait { looks.withLock { $0 > 10 } }
    #expect(hasKey(object))
    clock.advance(seconds: 1)
    try wait { !hasKey(object) }
  }

  @Test func accessAfterTheIdleTimeNotifiesObservers() throws {
    let object = try open()
    let heard = Heard<Bool>()
    let observation = object.observeChanges {
      // The handler runs outside the lock of the contents.
      heard.hear(object.contents.withLock { $0.keys.isLockedByApp })
    }
    clock.advance(seconds: 10)
    _ = try object.revision()
    heard.wait(for: true)
    withExtendedLifetime(observation) {}
  }

  // In separate processes, because a handler of a signal is global.

  @Test func settingDoesNotRetainVault() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        var object: SecretVault? = TestVault().open()
        weak let released = object
        try object?.add("text", account: "account")
        let setting = AutomaticLocking(afterIdle: .seconds(3600), signals: [SIGWINCH, SIGURG])
        object?.automaticLocking = setting
        #expect(object?.automaticLocking == setting)
        object?.automaticLocking.afterIdle = nil
        #expect(object?.automaticLocking == AutomaticLocking(signals: [SIGWINCH, SIGURG]))
        object = nil
        try wait { released == nil }
      }
    }
  }

  @Test func signalLocksEveryVaultThatObservesIt() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let objects = (0..<3).map { _ in TestVault().open() }
        for object in objects {
          try object.add("text", account: "account")
          object.automaticLocking = AutomaticLocking(signals: [SIGWINCH, SIGURG])
        }
        // The newest setting counts.
        objects[2].automaticLocking = AutomaticLocking()
        for signal in [SIGWINCH, SIGURG, SIGWINCH] {
          kill(getpid(), signal)
          try wait { try objects[0].isLocked && objects[1].isLocked }
          #expect(throws: SecretStoreError.locked) { try objects[0].text("account") }
          #expect(try objects[2].text("account") == "text")
          try objects[0].unlock()
          try objects[1].unlock()
        }
      }
    }
  }

  /// By default, the signal would end the process.
  @Test func signalAfterTheSettingIsNotMissed() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let object = TestVault().open()
      object.automaticLocking = AutomaticLocking(signals: [SIGUSR2])
      kill(getpid(), SIGUSR2)
      try wait { object.contents.withLock { $0.keys.isLockedByApp } }
      exit(7)
    }
  }

  @Test(arguments: [SIGKILL, SIGSEGV, 0])
  func signalThatCannotBeCaughtEndsTheProcess(_ signal: Int32) async {
    await #expect(processExitsWith: .failure) { [signal] in
      SecretVault().automaticLocking = AutomaticLocking(signals: [signal])
    }
  }

  @Test func erasingKeysDoesNotDisturbTheirUse() throws {
    let cipher = OpenSSLCipher()
    let key = try Secret.random(32)
    let sealed = try cipher.seal("text", with: key, authenticating: [])
    try onThreads(4) { number in
      for _ in 0..<300 {
        if number == 0 {
          cipher.eraseKeys()
        } else {
          let opened = try cipher.open(sealed[...], with: key, authenticating: [])
          #expect(opened.text == "text")
        }
      }
    }
  }
}
