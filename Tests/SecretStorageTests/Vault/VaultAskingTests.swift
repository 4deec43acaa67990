import CipherSupport
import Concurrency
import Dispatch
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Unlocking a vault by asking in a conversation, and the asynchronous forms of slow methods.
struct VaultAskingTests {
  private let vault = TestVault()
  private let passphrase = Secret("open sesame".utf8)

  private func lockedVault() throws -> SecretVault {
    try vault.open().setPassphrase(passphrase, cost: .cheap)
    return vault.open()
  }

  private func failure(_ body: () async throws -> Void) async -> SecretStoreError? {
    do {
      try await body()
      return nil
    } catch {
      return error as? SecretStoreError
    }
  }

  @Test func theReasonNamesTheVaultAndIsShownOnce() async throws {
    let person = ScriptedConversation("open barley", "", "open sesame")
    let object = try lockedVault()
    try await object.unlock(asking: person)
    #expect(try !object.isLocked)
    let wrong = ["error: The passphrase is wrong. Try again.", "hidden: Passphrase: "]
    #expect(
      person.log == ["reason: Unlock \(vault.path)", "hidden: Passphrase: "] + wrong + wrong)
  }

  @Test func anUnlockedOrMissingVaultAsksNothing() async throws {
    let person = ScriptedConversation()
    try await vault.open().unlock(asking: person)
    let object = try lockedVault()
    try await object.unlock(with: .passphrase(passphrase))
    try await object.unlock(asking: person)
    #expect(person.log == [])
  }

  @Test func severalTasksAskOnce() async throws {
    let person = ScriptedConversation("open sesame")
    let object = try lockedVault()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { try await object.unlock(asking: person) } }
      try await group.waitForAll()
    }
    #expect(person.log.filter { $0.hasPrefix("hidden") }.count == 1)
  }

  @Test func aLockedVaultWithoutAPassphraseIsNotAskedFor() async throws {
    let object = vault.open()
    try await object.addSlot(.keyFile(try vault.keyFile(1)), named: "file")
    object.lock()
    let person = ScriptedConversation()
    let error = await failure { try await object.unlock(asking: person) }
    #expect(error == .invalid("The vault has no passphrase"))
    #expect(person.log == [])
  }

  @Test func theErrorOfTheConversationEndsIt() async throws {
    let object = try lockedVault()
    for expected in [SecretStoreError.cancelled, .unavailable("no terminal")] {
      let person = CustomConversation { _ throws(SecretStoreError) in throw expected }
      #expect(await failure { try await object.unlock(asking: person) } == expected)
    }
    // The semaphore is free again.
    let person = CustomConversation { [passphrase] _ in passphrase }
    try await object.unlock(asking: person)
  }

  @Test func aQuestionTimesOutAndAnAnswerInTimeDoesNot() async throws {
    let object = try lockedVault()
    for timeout in [Duration.milliseconds(10), .zero, .seconds(-1)] {
      let error = await failure {
        try await object.unlock(asking: ScriptedConversation(), timeout: timeout)
      }
      #expect(error == .unavailable("The question was not answered within \(timeout)."))
      #expect(try object.isLocked)
    }
    let person = ScriptedConversation("open sesame")
    try await object.unlock(asking: person, timeout: .seconds(Int64.max))
    #expect(try !object.isLocked)
  }

  @Test func cancellingWinsOverTheTimeout() async throws {
    let object = try lockedVault()
    let person = ScriptedConversation()
    let task = Task { try await object.unlock(asking: person, timeout: .seconds(900)) }
    try await suspend { person.log.count == 2 }
    task.cancel()
    #expect(await failure { try await task.value } == .cancelled)
  }

  /// A cipher whose next derivation lasts until it is released.
  private final class HoldingCipher: ForwardingCipher {
    let cipher = OpenSSLCipher()
    let isHolding = Lock(false)
    let release = DispatchSemaphore(value: 0)

    func stretch(
      _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
    ) throws(SecretStoreError) -> Secret {
      isHolding.withLock { $0 = true }
      // Far more than the rest takes, so that a mistake fails instead of hanging.
      #expect(release.wait(timeout: .now() + .seconds(900)) == .success)
      return try cipher.stretch(passphrase, salt: salt, cost: cost)
    }
  }

  enum Work: CaseIterable { case unlock, asking, setPassphrase, changePassphrase, addSlot }

  /// More tasks than the pool has threads derive keys, while another task still runs.
  @Test(arguments: Work.allCases)
  func derivationsLeaveThePoolAndEndWithTheirTask(_ work: Work) async throws {
    let unlocked = vault.open()
    try await unlocked.addSlot(.passphrase(passphrase), named: "person", cost: .cheap)
    let bytes = try vault.bytes
    let cipher = HoldingCipher()
    let object = vault.open(cipher: cipher)
    let isLocked = work == .unlock || work == .asking
    if isLocked { object.lock() }
    let (old, new) = (passphrase, Secret("other".utf8))
    let tasks = (0...ProcessInfo.processInfo.activeProcessorCount).map { number in
      Task {
        switch work {
        case .unlock: try await object.unlock(with: .passphrase(old))
        case .asking: try await object.unlock(asking: CustomConversation { _ in old })
        case .setPassphrase: try await object.setPassphrase(new, cost: .cheap)
        case .changePassphrase:
          try await object.changePassphrase(from: old, to: new, cost: .cheap)
        case .addSlot:
          try await object.addSlot(.passphrase(new), named: "\(number)", cost: .cheap)
        }
      }
    }
    try await suspend { cipher.isHolding.withLock { $0 } }
    for task in tasks { task.cancel() }
    for task in tasks { #expect(await failure { try await task.value } == .cancelled) }
    #expect(try object.isLocked == isLocked)
    #expect(try vault.bytes == bytes)
    for _ in tasks { cipher.release.signal() }
  }

  @Test func aVaultThatCannotBeReadIsLockedOrNotAsLastSeen() throws {
    let object = try lockedVault()
    try object.unlock(with: .passphrase(passphrase))
    let never = vault.open()
    try vault.replace(by: "#!/bin/sh\n".utf8)
    #expect(throws: SecretStoreError.self) { try never.isLocked }
    #expect(throws: SecretStoreError.self) { try object.isLocked }
    object.lock()
    #expect(try object.isLocked)
  }
}
