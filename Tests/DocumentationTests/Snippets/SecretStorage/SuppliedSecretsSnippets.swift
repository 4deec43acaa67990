import CLibrary
import FoundationEssentials
import SecretStorage
import TestSupport
import Testing

// The code of the article "Secrets from files and variables".
struct SuppliedSecretsSnippets {
  struct Service {
    /// The file `port` with the text `8443`.
    @GenericPassword(service: "port", in: .credentials) var port: Int?
    /// The file `github__token`.
    @GenericPassword(service: "github", account: "token", in: .credentials) var token: String?
  }

  @Test func credentialsAreEmptyWithoutSystemd() throws {
    let service = Service()
    #expect(service.port == nil && service.token == nil)
    #expect(service.$port.status == .absent)
  }

  @Test func namesAreMapped() {
    let store = DirectorySecretStore(
      directory: URL(filePath: "/run/secrets"),
      naming: .mapping([
        "smtp-password": .internet(server: "smtp.example.com", protocol: .smtp),
        "github-token": .generic(service: "github", account: "token"),
      ]))
    #expect(store.guarantees.contains(.readOnly))
  }

  /// In a process of its own, because it changes the environment.
  @Test func variablesAreRemoved() async {
    await #expect(processExitsWith: .success) {
      unsafe setenv("APP_GITHUB__TOKEN", "token", 1)
      let variables = EnvironmentSecretStore(prefix: "APP_", removingVariables: true)
      let token = PasswordItem<String>(.generic(service: "github", account: "token"), in: variables)
      let left = ProcessInfo.processInfo.environment["APP_GITHUB__TOKEN"]
      if token.value != "token" || left != nil { exit(1) }
    }
  }

  @Test func layersAreTheDefaultStore() async {
    await #expect(processExitsWith: .success) {
      SecretStores.bootstrap(.layers([.credentials, .environment(prefix: "APP_"), .vault]))
    }
  }

  @Test func layerOfWritesIsNamed() throws {
    let directory = try TemporaryDirectory()
    let vault = SecretVault(
      fileURL: directory.url.appending(path: "secrets.vault"), stateDirectory: directory.url)
    let shared = InMemorySecretStore()
    let machine = SecretLayer(
      DirectorySecretStore(directory: URL(filePath: "/run/secrets")), named: "machine")
    let store = LayeredSecretStore(
      layers: [
        machine.optional, SecretLayer(vault, named: "own"), SecretLayer(shared, named: "team"),
      ],
      writingTo: "own")
    let token = PasswordItem<String>(.generic(service: "locket.example"), in: store)
    token.value = "The Valley Wind"
    #expect(try vault.items(matching: .all).count == 1)
    #expect(shared.items(matching: .all).isEmpty)
  }
}
