import CipherSupport
import CLibrary
import Concurrency
import Dispatch
import TestSupport
import Testing

@testable import SecretStorage

/// Locking a vault while another thread unlocks it.
struct VaultUnlockingTests {
  /// A cipher that blocks before stretching a passphrase until released.
  private struct StoppingCipher: ForwardingCipher {
    let cipher = TestCipher()
    let isStopped = DispatchSemaphore(value: 0)
    let mayGoOn = DispatchSemaphore(value: 0)

    func stretch(
      _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
    ) throws(SecretStoreError) -> Secret {
      isStopped.signal()
      mayGoOn.wait()
      return try cipher.stretch(passphrase, salt: salt, cost: cost)
    }
  }

  /// A cipher that reports each stretching of a passphrase.
  private struct CountingCipher: ForwardingCipher {
    let cipher = TestCipher()
    let willStretch: @Sendable () -> Void

    func stretch(
      _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
    ) throws(SecretStoreError) -> Secret {
      willStretch()
      return try cipher.stretch(passphrase, salt: salt, cost: cost)
    }
  }

  enum Locking: CaseIterable { case call, signal, callAndUnlockOfAnother, none }

  private static let passphrase = Secret("open sesame".utf8)
  private let vault = TestVault()

  /// Another object rotates the keys during every derivation; the last one excludes it.
  @Test func unlockingEndsThoughTheKeysAreRotatedAllTheTime() throws {
    let other = vault.open()
    try other.setPassphrase(Self.passphrase, cost: .cheap)
    try other.add("text", account: "account")
    let outcomes = Lock<[SecretStoreError?]>([])
    let object = vault.open(
      cipher: CountingCipher {
        // From the third attempt on, the other object finds the lock taken.
        other.lockTimeout = outcomes.withLock { $0.count } < 2 ? .seconds(30) : .zero
        do {
          try other.rotateKeys(keeping: [.passphrase(Self.passphrase)])
          outcomes.withLock { $0.append(nil) }
        } catch {
          outcomes.withLock { $0.append(error as? SecretStoreError) }
        }
      })
    try object.unlock(with: .passphrase(Self.passphrase))
    let found = outcomes.withLock { $0 }
    #expect(found.count == 3)
    #expect(found.prefix(2) == [nil, nil])
    guard case .busy = found.last ?? nil else {
      Issue.record("The last rotation ended with \(found).")
      return
    }
    #expect(try object.text("account") == "text")
  }

  @Test(arguments: Locking.allCases)
  func lockingWinsOverAnUnlockingThatIsUnderWay(_ locking: Locking) throws {
    let other = vault.open()
    try other.setPassphrase(Self.passphrase, cost: .cheap)
    try other.add("text", account: "account")
    let cipher = StoppingCipher()
    let object = vault.open(cipher: cipher)
    if locking == .signal { object.automaticLocking = AutomaticLocking(signals: [SIGWINCH]) }
    let outcome = Lock<Result<Void, any Error>?>(nil)
    let end = DispatchSemaphore(value: 0)
    DispatchQueue(label: "unlocking").async {
      let result = Result {
        try object.unlock(with: .passphrase(Self.passphrase))
      }
      outcome.withLock { $0 = result }
      end.signal()
    }
    cipher.isStopped.wait()
    switch locking {
    case .call: object.lock()
    case .signal:
      kill(getpid(), SIGWINCH)
      try wait { object.contents.withLock { $0.keys.isLockedByApp } }
    case .callAndUnlockOfAnother:
      object.lock()
      try other.unlock(with: .passphrase(Self.passphrase))
    case .none: break
    }
    cipher.mayGoOn.signal()
    end.wait()
    let result = outcome.withLock { $0 }
    if locking == .none {
      #expect(throws: Never.self) { try result?.get() }
      #expect(try object.text("account") == "text")
      return
    }
    #expect(throws: SecretStoreError.cancelled) { try result?.get() }
    #expect(object.contents.withLock { $0.keys.ring.user == nil })
    #expect(try object.isLocked)
    #expect(throws: SecretStoreError.locked) { try object.text("account") }
    cipher.mayGoOn.signal()
    try object.unlock(with: .passphrase(Self.passphrase))
    #expect(try object.text("account") == "text")
  }
}
