import Testing

@testable import SecretStorage

/// The code of an app that catches some errors of a password and of a vault.
///
/// The compiler of Swift 6.3.1 crashes on these shapes where the functions have typed throws.
struct CatchingErrorsTests {
  private let vault = TestVault()

  private func token(in store: SecretVault) throws -> String {
    @GenericPassword(service: "campaign", account: "a", in: store)
    var token: String?
    do {
      try $token.load()
    } catch SecretStoreError.locked {
      try store.unlock(with: .passphrase(TestVault.passphrase))
    }
    return token!
  }

  private func attempts(toUnlock store: SecretVault, with passphrases: [String]) throws -> Int {
    for (attempt, passphrase) in passphrases.enumerated() {
      do {
        try store.unlock(with: .passphrase(Secret(passphrase.utf8)))
        return attempt + 1
      } catch SecretStoreError.wrongPassphrase where attempt < 2 {
        continue
      }
    }
    return 0
  }

  private func lockedVault() throws -> SecretVault {
    let object = try vault.protected().adding("value", account: "a")
    object.lock()
    return object
  }

  @Test func lockedErrorIsCaughtAndTheVaultUnlocked() throws {
    #expect(try token(in: lockedVault()) == "value")
  }

  @Test func wrongPassphraseIsCaughtTwice() throws {
    let object = try lockedVault()
    #expect(throws: SecretStoreError.wrongPassphrase) {
      try attempts(toUnlock: object, with: ["a", "b", "c", "The Valley Wind"])
    }
    #expect(try attempts(toUnlock: object, with: ["a", "b", "The Valley Wind"]) == 3)
  }
}
