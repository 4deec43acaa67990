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
    let cipher = OpenSSLCipher()
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

  enum Locking: CaseIterable { case call, signal, callAndUnlockOfAnother, none }

  private static let passphrase = Secret("open sesame".utf8)
  private let vault = TestVault()

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
