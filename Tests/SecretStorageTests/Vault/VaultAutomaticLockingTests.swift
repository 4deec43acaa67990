import CLibrary
import Concurrency
import TestSupport
import Testing

@testable import SecretStorage

struct VaultAutomaticLockingTests {
  private let vault = TestVault()
  /// The time of a clock that only `pass` moves.
  private let now = Lock(ContinuousClock.now)

  private func pass(seconds: Int) { now.withLock { $0 += .seconds(seconds) } }

  /// Opens a vault with an item, which locks after ten seconds or another time.
  private func open(afterSeconds limit: Int? = 10) throws -> SecretVault {
    let object = vault.open()
    try object.add("text", account: "account")
    lock(object, afterSeconds: limit)
    return object
  }

  /// Expects a vault to lock when ten seconds have passed, and not before.
  private func expectLocking(of object: SecretVault) throws {
    pass(seconds: 9)
    #expect(try !object.isLocked)
    pass(seconds: 1)
    #expect(try object.isLocked)
    #expect(!hasKey(object))
  }

  private func lock(_ object: SecretVault, afterSeconds limit: Int?) {
    let setting = AutomaticLocking(afterIdle: limit.map { .seconds($0) })
    object.apply(setting) { [now] in now.withLock { $0 } }
  }

  /// Whether the user key is in memory; the check itself is no access.
  private func hasKey(_ object: SecretVault) -> Bool {
    object.contents.withLock { $0.keys.ring.user != nil }
  }

  @Test func defaultSettingNeverLocks() throws {
    #expect(vault.open().automaticLocking == AutomaticLocking())
    #expect(AutomaticLocking().allSignals.isEmpty)
    let object = try open(afterSeconds: nil)
    pass(seconds: 1000)
    #expect(try object.text("account") == "text")
  }

  @Test func vaultLocksAfterTheIdleTime() throws {
    let object = try open()
    let item = try #require(try object.item("account"))
    try expectLocking(of: object)
    expectLocked { try object.secret(of: item.id) }
    expectLocked { try object.add("text", account: "other") }
    // Attributes stay readable, as after any locking.
    #expect(try object.items(matching: .all) == [item])
  }

  @Test func vaultWithoutIdleTimeIsUnlocked() throws {
    let object = try open(afterSeconds: nil)
    try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    lock(object, afterSeconds: 0)
    #expect(try object.isLocked)
    try object.unlock(with: .passphrase(TestVault.passphrase))
    #expect(try object.isLocked)
  }

  enum Use: CaseIterable { case read, get, add, update, remove, unlock }

  @Test(arguments: Use.allCases) func useRestartsTheIdleTime(_ use: Use) throws {
    let object = try open()
    pass(seconds: 9)
    switch use {
    case .read: #expect(try object.text("account") == "text")
    case .get:
      let item = PasswordItem<String>(
        .generic(service: "campaign", account: "account"), in: object)
      #expect(item.value == "text")
      pass(seconds: 9)
      #expect(item.value == "text")
    case .add: try object.add("text", account: "other")
    case .update: try object.change("account", to: "other")
    case .remove: try object.remove("account")
    case .unlock:
      pass(seconds: 11)
      expectLocked { try object.text("account") }
      pass(seconds: 11)
      try object.unlock()
    }
    try expectLocking(of: object)
  }

  /// Searches, revisions and failed writes, which an app may make at any time, do not count as use.
  @Test func searchAndFailedWriteAreNoUse() throws {
    let object = try open()
    pass(seconds: 9)
    _ = try object.revision()
    #expect(try object.items(matching: .all).count == 1)
    #expect(throws: SecretStoreError.duplicate) { try object.add("text", account: "account") }
    #expect(try !object.isLocked)
    #expect(try object.verify().isSound)
    // Accesses by another object do not count either.
    try vault.open().change("account", to: "other")
    _ = try object.revision()
    pass(seconds: 1)
    #expect(try object.isLocked)
  }

  @Test func newSettingReplacesTheOld() throws {
    let object = try open()
    for (limit, idle) in [(20, 19), (10, 9), (nil, 1000)] as [(Int?, Int)] {
      lock(object, afterSeconds: limit)
      pass(seconds: idle)
      #expect(try !object.isLocked)
    }
    #expect(try object.text("account") == "text")
    // It does not extend a time that has elapsed.
    lock(object, afterSeconds: 10)
    pass(seconds: 10)
    lock(object, afterSeconds: 20)
    expectLocked { try object.text("account") }
  }

  @Test func extremeIdleTimesDoNotOverflow() throws {
    let object = try open()
    object.automaticLocking = AutomaticLocking(afterIdle: .seconds(Int64.max))
    #expect(try object.text("account") == "text")
    object.automaticLocking = AutomaticLocking(afterIdle: .seconds(Int64.min))
    expectLocked { try object.text("account") }
  }

  @Test(arguments: ["item", "passphrase"])
  func idleTimeBeginsWithTheFirstKey(of first: String) throws {
    let object = vault.open()
    lock(object, afterSeconds: 10)
    pass(seconds: 100)
    #expect(try object.items(matching: .all).isEmpty)
    if first == "item" {
      try object.add("text", account: "account")
    } else {
      try object.setPassphrase("x", cost: .minimum)
    }
    try expectLocking(of: object)
  }

  @Test func timerLocksWithoutAnAccess() throws {
    let object = try open(afterSeconds: nil)
    let heard = Heard<Bool>()
    let observation = object.observeChanges { heard.hear(true) }
    object.automaticLocking = AutomaticLocking(afterIdle: .milliseconds(20))
    try wait { !hasKey(object) }
    heard.wait(for: true)
    expectLocked { try object.text("account") }
    withExtendedLifetime(observation) {}
  }

  /// The timer fires early by its own clock, finds time left, and rearms.
  @Test func timerThatFiresEarlyIsRescheduled() throws {
    let object = try open(afterSeconds: nil)
    let looks = Lock(0)
    object.apply(AutomaticLocking(afterIdle: .milliseconds(20))) { [now] in
      looks.withLock { $0 += 1 }
      return now.withLock { $0 }
    }
    try wait { looks.withLock { $0 > 10 } }
    #expect(hasKey(object))
    pass(seconds: 1)
    try wait { !hasKey(object) }
  }

  @Test func accessAfterTheIdleTimeNotifiesObservers() throws {
    let object = try open()
    let heard = Heard<Bool>()
    let observation = object.observeChanges {
      // The handler runs outside the lock of the contents.
      heard.hear(object.contents.withLock { $0.keys.isLockedByApp })
    }
    pass(seconds: 10)
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
          expectLocked { try objects[0].text("account") }
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
  func signalThatCannotBeCaughtEndsTheProcess(_ signal: Int32) async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [signal] in
      SecretVault().automaticLocking = AutomaticLocking(signals: [signal])
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("Signal \(signal) cannot lock a vault"))
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
