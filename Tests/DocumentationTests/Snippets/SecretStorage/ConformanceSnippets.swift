import Dispatch
import FoundationEssentials
import KeyValueStorage
import SecretStorage
import StorageTesting
import TestSupport
import Testing

private typealias MyStore = InMemorySecretStore

private enum Player {
  static let volume = StoredValue(wrappedValue: 1, "volume")
}

@Suite(.isolatedStorage)
struct PlayerTests {
  @Test(arguments: 0..<200)
  func volumeIsStored(_ volume: Int) {
    Player.volume.wrappedValue = volume
    #expect(Player.volume.wrappedValue == volume)
  }
}

/// The README's sample.
struct IsolatedReadmeSnippets {
  struct Player: Sendable {
    @StoredValue("volume", in: .standard) var volume = 0.8
  }

  @Test(.isolatedStorage) func playerIsMuted() {
    Player().volume = 0  // in memory, and only in this test
  }
}

/// The code of the overview of `StorageTesting`.
struct ConformanceSnippets {
  @Test(.isolatedStorage) func volumeIsSharedWithThreads() {
    Player.volume.wrappedValue = 3
    DispatchQueue.global().sync(
      execute: IsolatedStorage.inherited {
        #expect(Player.volume.wrappedValue == 3)
      })
  }

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
