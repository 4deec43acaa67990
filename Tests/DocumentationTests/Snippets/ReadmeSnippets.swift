import CLibrary
import FoundationEssentials
import KeyValueStorage
import SecretStorage
import TestSupport
import Testing

/// The code of the README and of the overview of `SecretStorage`.
final class ReadmeSnippets: DirectoryTests {
  struct Account {
    @GenericPassword(service: "com.example.app", account: "peter") var token: String?
    @InternetPassword(server: "imap.example.com", account: "peter", protocol: .imaps, port: 993)
    var password: String?
  }

  final class Session: Sendable {
    let token = PasswordItem<String>(.generic(service: "com.example.app", account: "peter"))

    func signOut() { token.value = nil }
  }

  struct Player: Sendable {
    @StoredValue("volume", in: .standard) var volume = 0.8
    @GenericPassword(service: "com.example.app", account: "peter") var token: String?
  }

  private static func play() {
    let player = Player()
    player.volume -= 0.3  // now in ~/.config/<executable>/settings.json
    print(player.volume)  // 0.5
    player.token = "The Valley Wind"  // now in ~/.local/share/<executable>/secrets.vault, encrypted
    print(player.token ?? "none")  // The Valley Wind
    #expect(player.volume == 0.5 && player.token == "The Valley Wind")
    #expect(player.$volume.error == nil)
  }

  /// The places of the standard and of the default store are set once in a process.
  @Test func stored() async throws {
    await #expect(processExitsWith: .success) { [path = directory.url.path as String] in
      for name in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"] {
        unsafe setenv(name, "\(path)/\(name)", 1)
      }
      ReadmeSnippets.play()
    }
    let entries = try FileManager.default.subpathsOfDirectory(atPath: directory.url.path)
    #expect(entries.contains { $0.hasSuffix("/secrets.vault") })
  }

  @Test func lockedVaultGivesNeededKey() throws {
    let vault = directory.vault()
    try vault.setPassphrase(Secret("correct horse battery staple".utf8), cost: .minimum)
    SecretStores.withDefaultStore(vault) { Account().token = "The Valley Wind" }
    vault.lock()
    SecretStores.withDefaultStore(vault) {
      let player = Account()
      #expect(player.token == nil)
      var shown = ""
      func print(_ text: Any) { shown = "\(text)" }

      do {
        print(try player.$token.load() ?? "not signed in")
      } catch SecretStoreError.locked(let keys) {
        print("unlock the vault with \(keys)")  // unlock the vault with its passphrase
      } catch {
        print(error)
      }
      #expect(shown == "unlock the vault with its passphrase")
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
