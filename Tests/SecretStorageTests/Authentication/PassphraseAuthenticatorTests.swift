import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

struct PassphraseAuthenticatorTests {
  private let vault = TestVault()
  private let passphrase = Secret("open sesame".utf8)

  private func lockedVault() throws -> SecretVault {
    try vault.open().setPassphrase(passphrase, cost: .cheap)
    return vault.open()
  }

  @Test(arguments: 1...3)
  func rightPassphraseIsAPasscode(attempt: Int) async throws {
    let wrong = ["open barley", ""].prefix(attempt - 1)
    let person = ScriptedConversation(answers: wrong + ["open sesame"])
    let object = try lockedVault()
    let authenticator = PassphraseAuthenticator(for: object, conversation: person)
    #expect(authenticator.capabilities == .passcode)
    #expect(await authenticator.outcome() == .success(.passcode))
    let retry = ["error: The passphrase is wrong. Try again.", "hidden: Passphrase: "]
    #expect(
      person.log == ["reason: Because", "hidden: Passphrase: "]
        + Array(repeating: retry, count: attempt - 1).flatMap(\.self))
    #expect(try object.isLocked)
  }

  @Test(arguments: [.min, 0, 1, 3], [true, false])
  func lastWrongPassphraseIsADenial(attempts: Int, isBound: Bool) async throws {
    // There is one attempt at least.
    let count = max(1, attempts)
    let person = ScriptedConversation(answers: Array(repeating: "open barley", count: count))
    let object = try lockedVault()
    let unbound = PassphraseAuthenticator(attempts: attempts, conversation: person)
    let own = PassphraseAuthenticator(for: object, attempts: attempts, conversation: person)
    let bound = try #require(vault.open(authenticator: unbound).authenticator)
    let authenticator: any Authenticator = isBound ? bound : own
    let outcome = await authenticator.outcome()
    let times = count == 1 ? "" : " \(count) times"
    #expect(outcome == .failure(.denied("the passphrase was wrong\(times)")))
    #expect(person.log.filter { $0.hasPrefix("hidden") }.count == count)
    #expect(person.log.last == "error: The passphrase is wrong.")
  }

  @Test func otherProofIsDeniedWithoutAQuestion() async throws {
    let person = ScriptedConversation()
    let authenticator = PassphraseAuthenticator(for: try lockedVault(), conversation: person)
    let outcome = await authenticator.outcome(accepting: [.biometry, .presence])
    #expect(outcome.denial != nil)
    #expect(person.log == [])
  }

  @Test func vaultWithoutPassphraseHasNoCapability() async throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let authenticator = PassphraseAuthenticator(for: object, conversation: ScriptedConversation())
    #expect(authenticator.capabilities == [])
    #expect(await authenticator.outcome().denial?.contains("no passphrase") == true)
    try object.setPassphrase(passphrase, cost: .cheap)
    #expect(authenticator.capabilities == .passcode)
    try object.removePassphrase()
    #expect(authenticator.capabilities == [])
  }

  @Test func errorOfTheConversationIsKept() async throws {
    let object = try lockedVault()
    for error in [SecretStoreError.cancelled, .unavailable("no terminal")] {
      let person = ScriptedConversation(result: .failure(error))
      let authenticator = PassphraseAuthenticator(for: object, conversation: person)
      #expect(await authenticator.outcome() == .failure(error))
    }
  }

  @Test func taskCancellationEndsTheQuestion() async throws {
    let person = ScriptedConversation()
    let authenticator = PassphraseAuthenticator(for: try lockedVault(), conversation: person)
    let task = Task { await authenticator.outcome() }
    try await suspend { person.log.count == 2 }
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
  }

  @Test func invalidFileIsCorrupted() async throws {
    let object = try lockedVault()
    try vault.replace(by: "#!/bin/sh\n".utf8)
    let authenticator = PassphraseAuthenticator(
      for: object, conversation: ScriptedConversation("open sesame"))
    #expect(await authenticator.outcome().error?.corrupted != nil)
  }

  @Test func authenticatorWithoutVaultIsUnavailable() async {
    let authenticator = PassphraseAuthenticator(conversation: ScriptedConversation())
    #expect(authenticator.capabilities == [])
    #expect(await authenticator.outcome().unavailability?.contains("has no vault") == true)
  }

  @Test func boundAuthenticatorDoesNotRetainTheVault() async throws {
    let person = ScriptedConversation("open sesame")
    weak var released: SecretVault?
    do {
      let object = vault.open(authenticator: PassphraseAuthenticator(conversation: person))
      try object.setPassphrase(passphrase, cost: .cheap)
      released = object
      let authenticator = try #require(object.authenticator)
      #expect(authenticator.capabilities == .passcode)
      #expect(await authenticator.outcome() == .success(.passcode))
    }
    // The thread that checked the passphrase may still be releasing its closure.
    try await suspend { released == nil }
  }

  @Test func authenticatorOfAnotherVaultStaysBoundToIt() async throws {
    let other = try lockedVault()
    let own = TestVault()
    let person = ScriptedConversation("open sesame")
    let object = own.open(
      authenticator: PassphraseAuthenticator(for: other, conversation: person))
    #expect(object.authenticator?.capabilities == .passcode)
    #expect(await object.authenticator?.outcome() == .success(.passcode))
  }
}
