import Dispatch
import FoundationEssentials
import SecretStorage
import SerializedAccess
import TestSupport
import Testing

/// The code of the README and of the overview of `SecretStorage`.
struct ReadmeSnippets {
  struct Account {
    @GenericPassword(service: "com.example.app", account: "peter") var token: String?
    @InternetPassword(server: "imap.example.com", account: "peter", protocol: .imaps, port: 993)
    var password: String?
  }

  final class Session: Sendable {
    let token = PasswordItem<String>(.generic(service: "com.example.app", account: "peter"))

    func signOut() { token.value = nil }
  }

  @Test func values() {
    struct Statistics: Sendable {
      @Serialized var requests = 0
    }

    let statistics = Statistics()
    DispatchQueue.concurrentPerform(iterations: 1000) { _ in
      statistics.requests += 1
    }
    print(statistics.requests)  // 1000
    #expect(statistics.requests == 1000)
  }

  @Test func secrets() {
    let store = InMemorySecretStore()
    SecretStores.withDefaultStore(store) {
      struct Account {
        @GenericPassword(service: "com.example.app", account: "peter") var token: String?
      }

      let account = Account()
      account.token = "The Valley Wind"
      print(account.token ?? "none")  // The Valley Wind
      account.token = nil  // removes the item
      #expect(store.items(matching: .all).isEmpty)
    }
  }

  @Test func loading() {
    SecretStores.withDefaultStore(InMemorySecretStore()) {
      let account = Account()
      account.token = "The Valley Wind"
      do {
        if let token = try account.$token.load() {
          print("signed in, with a token of \(token.count) characters")
        } else {
          print("not signed in")
        }
      } catch SecretStoreError.locked {
        print("unlock the vault first")
      } catch {
        print(error)
      }
      #expect(account.$token.status == .value)
    }
  }

  @Test func ownStore() {
    struct Login {
      @GenericPassword(service: "com.example.app", in: .inMemory) var session: String?
    }
    Login().session = "The Valley Wind"
    // Other tests use the shared store as well.
    let query = ItemQuery.exactly(.generic(service: "com.example.app"))
    #expect(InMemorySecretStore.inMemory.items(matching: query).count == 1)
  }

  @Test func passphrase() throws {
    let directory = try TemporaryDirectory()
    let file = directory.url.appending(path: "secrets.vault")
    let stateDirectory = directory.url.appending(path: "state")
    let passphrase = "correct horse battery staple"

    let vault = SecretVault(fileURL: file, stateDirectory: stateDirectory)
    try vault.setPassphrase(Secret(passphrase.utf8))
    vault.lock()
    try vault.unlock(with: .passphrase(Secret(passphrase.utf8)))

    #expect(try vault.hasPassphrase)
    #expect(try !vault.isLocked)
  }

  @Test func defaultStore() async {
    // The default store is set once in a process, so this needs a process of its own.
    await #expect(processExitsWith: .success) {
      SecretStores.bootstrap(
        try SecretVault(applicationName: "example").requiring([.survivesReboot, .encryptedAtRest]))
    }
  }

  @Test func signingOutForgetsTheToken() {
    SecretStores.withDefaultStore(InMemorySecretStore()) {
      let session = Session()
      session.token.value = "The Valley Wind"
      session.signOut()
      #expect(session.token.value == nil)
    }
  }
}
