import FoundationEssentials
import KeyValueStorage
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

private struct Player: Sendable {
  @StoredValue("volume", in: .standard) var volume = 0.8

  func mute() { volume = 0 }
}

private struct Session: Sendable {
  let token = PasswordItem<String>(.generic(service: "com.example.app"))
}

@Suite(.expectsFailures)
struct IsolationSnippets {
  @Suite(.isolatedStorage)
  struct PlayerTests {
    @Test func mutedPlayerIsSilent() {
      let player = Player()
      player.mute()
      #expect(player.volume == 0)
    }
  }

  @Test func lockedTokenIsNotAbsent() {
    let store = InMemorySecretStore()
    SecretStores.withDefaultStore(store) {
      let session = Session()
      session.token.value = "The Valley Wind"
      store.lock()
      #expect(session.token.value == nil && session.token.status == .locked)
      store.unlock()
      store.denial = "the sensor is busy"
      #expect(session.token.value == nil && session.token.status == .denied)
    }
  }
}
