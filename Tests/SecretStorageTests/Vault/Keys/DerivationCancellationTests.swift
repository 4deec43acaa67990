import CipherSupport
import Concurrency
import Dispatch
import FoundationEssentials
import Testing

@testable import SecretStorage

/// The derivation of a key from a passphrase or an application password ends for its caller when
/// the vault is locked, or when the task or the context is cancelled.
struct DerivationCancellationTests {
  /// A cipher whose chosen derivation runs an action, and then lasts until it is released.
  private final class StallingCipher: ForwardingCipher {
    private struct Stall {
      var skipped: Int
      let action: @Sendable () -> Void
    }

    let cipher = OpenSSLCipher()
    private let stall = Lock<Stall?>(nil)
    private let release = DispatchSemaphore(value: 0)
    private let hasEnded = DispatchSemaphore(value: 0)

    func stretch(
      _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
    ) throws(SecretStoreError) -> Secret {
      let action = stall.withLock { stall -> (@Sendable () -> Void)? in
        guard let present = stall else { return nil }
        stall?.skipped -= 1
        if present.skipped > 0 { return nil }
        stall = nil
        return present.action
      }
      if let action {
        action()
        // Far more than the rest takes, so that a mistake fails instead of hanging.
        #expect(release.wait(timeout: .now() + .seconds(900)) == .success)
        hasEnded.signal()
      }
      return try cipher.deriveKey(from: passphrase, salt: salt, purpose: "stretched")
    }

    /// Stalls the derivation after `skipped` others, while `work` runs and throws.
    func stalling(
      after skipped: Int, _ action: @escaping @Sendable () -> Void, _ work: () async -> Void
    ) async {
      stall.withLock { $0 = Stall(skipped: skipped, action: action) }
      await work()
      release.signal()
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async { [hasEnded] in
          #expect(hasEnded.wait(timeout: .now() + .seconds(900)) == .success)
          continuation.resume()
        }
      }
    }
  }

  enum Work: CaseIterable {
    case unlock, addSlot, setPassphrase, openingForChange, sealingForChange
    case openingForRotation, sealingForRotation, export

    /// The derivations of the same work before the one that is cancelled.
    var skipped: Int { self == .sealingForChange || self == .sealingForRotation ? 1 : 0 }

    func run(_ object: SecretVault, _ vault: TestVault) throws {
      let other = Secret("other".utf8)
      switch self {
      case .unlock: try object.unlock(with: .passphrase(TestVault.passphrase))
      case .addSlot: try object.addSlot(.passphrase(other), named: "other", cost: .cheap)
      case .setPassphrase: try object.setPassphrase(other, cost: .cheap)
      case .openingForChange, .sealingForChange:
        try object.changePassphrase(from: TestVault.passphrase, to: other, cost: .cheap)
      case .openingForRotation, .sealingForRotation:
        try object.rotateKeys(keeping: [.passphrase(TestVault.passphrase)])
      case .export: try object.export(to: vault.export, passphrase: other, cost: .cheap)
      }
    }
  }

  private let vault = TestVault()
  private let cipher = StallingCipher()

  private func vaultWithPassphrase() throws -> SecretVault {
    let object = vault.open(cipher: cipher)
    try object.add("value", account: "a")
    try object.addSlot(.passphrase(TestVault.passphrase), named: "passphrase", cost: .cheap)
    return object
  }

  @Test(arguments: Work.allCases)
  func lockingEndsTheWork(_ work: Work) async throws {
    let object = try vaultWithPassphrase()
    let bytes = try vault.bytes
    await cipher.stalling(after: work.skipped, { object.lock() }) {
      #expect(throws: SecretStoreError.cancelled) { try work.run(object, vault) }
    }
    #expect(try object.isLocked)
    #expect(try vault.bytes == bytes)
    #expect(!FileManager.default.fileExists(atPath: vault.export.path))
  }

  @Test(arguments: Work.allCases)
  func cancellingTheTaskEndsTheWork(_ work: Work) async throws {
    let object = try vaultWithPassphrase()
    let bytes = try vault.bytes
    let vault = vault
    let task = Lock<Task<Void, any Error>?>(nil)
    await cipher.stalling(after: work.skipped, { task.withLock { $0?.cancel() } }) {
      let running = task.withLock { task in
        let running = Task { try work.run(object, vault) }
        task = running
        return running
      }
      await #expect(throws: SecretStoreError.cancelled) { try await running.value }
    }
    #expect(try !object.isLocked)
    #expect(try vault.bytes == bytes)
  }

  enum Access: CaseIterable {
    case load, save
  }

  @Test(arguments: Access.allCases, [false, true])
  func cancellingEndsTheDerivationForAnApplicationPassword(
    _ access: Access, _ endsContext: Bool
  ) async throws {
    let object = vault.open(cipher: cipher)
    try object.add(
      "value", account: "a", .applicationPassword, by: AuthenticationContext(password: "right"))
    @GenericPassword(service: "campaign", account: "a", refreshPolicy: .manual, in: object)
    var value: String?
    let password = $value
    if access == .save { value = "other" }
    // A new context, so that no derived key is cached.
    let context = AuthenticationContext(password: "right")
    let task = Lock<Task<Void, any Error>?>(nil)
    await cipher.stalling(
      after: 0, { if endsContext { context.cancel() } else { task.withLock { $0?.cancel() } } }
    ) {
      let running = task.withLock { task in
        let running = Task {
          switch access {
          case .load: _ = try await password.load(authorizedBy: context)
          case .save: try await password.save(authorizedBy: context)
          }
        }
        task = running
        return running
      }
      await #expect(throws: SecretStoreError.cancelled) { try await running.value }
    }
    let item = try #require(try object.item("a"))
    let text = try await object.text(of: item, by: AuthenticationContext(password: "right"))
    #expect(text == "value")
  }
}
