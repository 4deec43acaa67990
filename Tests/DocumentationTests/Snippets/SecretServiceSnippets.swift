import SecretService
import SecretStorage
import Testing

/// The code of the overview of `SecretService`, which uses no keyring of this machine.
struct SecretServiceSnippets {
  struct Account {
    @GenericPassword(service: "com.example.app", account: "peter", in: .secretService)
    var token: String?
  }

  struct OtherMail {
    @GenericPassword(
      service: "mail", in: .matching(attributes: ["server": "imap.example.com", "user": "peter"]))
    var password: String?
  }

  @Test func declaringReadsNothing() {
    struct Mail { @GenericPassword(service: "mail", in: .secretService) var password: String? }

    let store = SecretServiceStore(layout: .pythonKeyring)
    let password = PasswordItem<String>(.generic(service: "mail", account: "peter"), in: store)
    #expect(!password.hasUnsavedChanges)
    #expect(
      !Account().$token.hasUnsavedChanges && !Mail().$password.hasUnsavedChanges
        && !OtherMail().$password.hasUnsavedChanges)
  }

  private func bootstrap() {
    SecretStores.bootstrap(.desktop(orVault: .vault))
  }

  private func unlock(_ account: Account) async throws {
    if account.$token.status == .locked {
      try await SecretServiceStore.secretService.unlock()
    }
    print(account.token ?? "none")
  }
}
