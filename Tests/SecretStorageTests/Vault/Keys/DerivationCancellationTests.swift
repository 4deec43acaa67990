import CipherSupport
import Concurrency
import Dispatch
import FoundationEssentials
import TestSupport
import Testing

@testable import SecretStorage

/// The derivation of a key from a passphrase or an application password ends for its caller when
/// the vault is locked, or when the task or the context is cancelled.
struct DerivationCancellationTests {
  /// Makes one derivation run an action, and last until it is released.
  private final class Stall: Sendable {
    private let next = Lock<(skipped: Int, action: @Sendable () -> Void)?>(nil)
    private let release = DispatchSemaphore(value: 0)

    func begin(after skipped: Int, _ action: @escaping @Sendable () -> Void) {
      next.withLock { $0 = (skipped, action) }
    }

    func hold() {
      let action = next.withLock { next -> (@Sendable () -> Void)? in
        guard let (skipped, action) = next else { return nil }
        next = skipped > 0 ? (skipped - 1, action) : nil
        return skipped > 0 ? nil : action
      }
      guard let action else { return }
      action()
      release.wait()
    }

    func end() { release.signal() }
  }

  enum Work: CaseIterable {
    case unlock, addSlot, setPassphrase, openingForChange, sealingForChange
    case openingForRotation, sealingForRotation, export

    /// The derivations of the same work before the one that is cancelled.
    var skipped: Int { self == .sealingForChange || self == .sealingForRotation ? 1 : 0 }

    func run(_ object: SecretVault, _ vault: TestVault) throws {
      switch self {
      case .unlock: try object.unlock(with: .tests)
      case .addSlot: try object.addSlot(.passphrase("other"), named: "other", cost: .minimum)
      case .setPassphrase: try object.setPassphrase("other", cost: .minimum)
      case .openingForChange, .sealingForChange:
        try object.changePassphrase(from: TestVault.passphrase, to: "other", cost: .minimum)
      case .openingForRotation, .sealingForRotation: try object.rotateKeys(keeping: [.tests])
      case .export: try object.export(of: vault)
      }
    }
  }

  enum Ending: CaseIterable { case lock, taskCancellation, contextCancellation }
  enum Access: CaseIterable { case load, save }

  private let vault = TestVault()
  private let stall = Stall()

  private func open() -> SecretVault { vault.open(cipher: HookedCipher(willStretch: stall.hold)) }

  /// Expects work to end during a derivation, by an action or else by its task's cancellation.
  private func expectEnd(
    after skipped: Int = 0, by action: (@Sendable () -> Void)?,
    of work: @escaping @Sendable () async throws -> Void
  ) async {
    let task = Lock<Task<Void, any Error>?>(nil)
    stall.begin(after: skipped) {
      if let action { action() } else { task.withLock { $0?.cancel() } }
    }
    let running = task.withLock { task in
      let running = Task { try await work() }
      task = running
      return running
    }
    await #expect(throws: SecretStoreError.cancelled) { try await running.value }
    stall.end()
  }

  // The ways to end a derivation do not depend on its purpose.
  @Test(
    arguments: Campaign.isFull
      ? Work.allCases.flatMap { [($0, Ending.lock), ($0, Ending.taskCancellation)] }
      : Work.allCases.enumerated().map { ($1, $0 % 2 == 0 ? Ending.lock : .taskCancellation) })
  func lockOrCancellationEndsDerivation(_ work: Work, by ending: Ending) async throws {
    let object = open()
    try object.add("value", account: "a")
    try object.addSlot(.tests, named: "passphrase", cost: .minimum)
    let bytes = try vault.bytes
    let lock: (@Sendable () -> Void)? = ending == .lock ? object.lock : nil
    await expectEnd(after: work.skipped, by: lock) { [vault] in try work.run(object, vault) }
    #expect(try object.isLocked == (ending == .lock))
    #expect(try vault.bytes == bytes)
    #expect(!FileManager.default.fileExists(atPath: vault.export.path))
  }

  @Test(arguments: Access.allCases, [Ending.taskCancellation, .contextCancellation])
  func cancellationEndsPasswordDerivation(_ access: Access, by ending: Ending) async throws {
    let object = open()
    try object.add(
      "value", account: "a", .applicationPassword, by: AuthenticationContext(password: "right"))
    let password = object.property("a", .manual)
    if access == .save { password.value = "other" }
    // A new context, so that no derived key is cached.
    let context = AuthenticationContext(password: "right")
    let cancel: (@Sendable () -> Void)? = ending == .contextCancellation ? context.cancel : nil
    await expectEnd(by: cancel) {
      switch access {
      case .load: _ = try await password.load(authorizedBy: context)
      case .save: try await password.save(authorizedBy: context)
      }
    }
    let item = try #require(try object.item("a"))
    let text = try await object.text(of: item, by: AuthenticationContext(password: "right"))
    #expect(text == "value")
  }

  /// A cipher that derives when it may, and whose release tells whether the passphrase is gone.
  private final class StalledCipher: ForwardingCipher {
    private struct WeakMemory: Sendable { weak var memory: SecretMemory? }

    let cipher = TestCipher()
    private let passphrase = Lock(WeakMemory())
    private let mayDerive: DispatchSemaphore
    private let tell: @Sendable (Bool) -> Void

    init(after mayDerive: DispatchSemaphore, _ tell: @escaping @Sendable (Bool) -> Void) {
      (self.mayDerive, self.tell) = (mayDerive, tell)
    }

    deinit { tell(passphrase.withLock { $0.memory == nil }) }

    func stretch(
      _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
    ) throws(SecretStoreError) -> Secret {
      self.passphrase.withLock { $0.memory = passphrase.memory }
      mayDerive.wait()
      return Secret([])
    }
  }

  /// The derivation outlives its call, and releases the passphrase before it releases the cipher.
  @Test func cancelledDerivationReleasesThePassphrase() {
    let (mayDerive, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isReleased = Lock(false)
    expectError(.cancelled) {
      let cipher = StalledCipher(after: mayDerive) { isGone in
        isReleased.withLock { $0 = isGone }
        hasEnded.signal()
      }
      _ = try cipher.stretch("passphrase", salt: [], cost: .minimum) {
        () throws(SecretStoreError) in throw .cancelled
      }
    }
    mayDerive.signal()
    hasEnded.wait()
    #expect(isReleased.withLock { $0 })
  }
}
