import FoundationEssentials
import SecretStorage
import StorageTesting
import TestSupport
import Testing

private typealias MyStore = InMemorySecretStore

/// The code of the overview of `StorageTesting`.
struct ConformanceSnippets {
  let conformance = SecretStoreConformance("MyStore") { MyStore() }

  @Test(arguments: SecretStoreConformance.Check.allCases)
  func storeConforms(_ check: SecretStoreConformance.Check) async {
    await conformance.run(check)
  }

  @Test(arguments: SecretStoreConformance.Check.allCases)
  func vaultConforms(_ check: SecretStoreConformance.Check) async throws {
    let directory = try TemporaryDirectory()
    @Sendable func open() -> SecretVault {
      let file = directory.url.appending(path: "secrets.vault")
      return SecretVault(fileURL: file, stateDirectory: directory.url)
    }
    await SecretStoreConformance("SecretVault", makeStore: open, reopen: { _ in open() }).run(check)
  }
}
