import FoundationEssentials
import SecretStorage
import SecretStorageTesting
import Testing

private typealias MyStore = InMemorySecretStore

/// The code of the overview of `SecretStorageTesting`.
struct ConformanceSnippets {
  let conformance = SecretStoreConformance("MyStore") { MyStore() }

  @Test(arguments: SecretStoreConformance.Check.allCases)
  func storeConforms(_ check: SecretStoreConformance.Check) async {
    await conformance.run(check)
  }

  @Test(arguments: SecretStoreConformance.Check.allCases)
  func vaultConforms(_ check: SecretStoreConformance.Check) async {
    let directory = TemporaryDirectory()
    @Sendable func open() -> SecretVault {
      let file = directory.url.appending(path: "secrets.vault")
      return SecretVault(fileURL: file, stateDirectory: directory.url)
    }
    await SecretStoreConformance("SecretVault", makeStore: open, reopen: { _ in open() }).run(check)
  }
}
