import Concurrency
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

/// A server, as far as its backend is one.
private final class Server: Sendable {
  let contents = Lock(KeyValueContents([], revision: 0))
  let observers = Lock([Int: @Sendable () -> Void]())
  private let isRunning = Lock(true)

  func stop() { isRunning.withLock { $0 = false } }

  func check() throws(KeyValueStoreError) {
    if !isRunning.withLock({ $0 }) { throw .unavailable("The server has stopped.") }
  }
}

private struct ServerBackend: KeyValueBackend {
  let format = KeyValueFormat.json
  let name = "a server"
  private let server: Server

  init(_ server: Server) { self.server = server }

  func load() throws(KeyValueStoreError) -> KeyValueContents {
    try server.check()
    return server.contents.withLock { $0 }
  }

  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool {
    try load().revision != revision
  }

  func update<Result>(
    within timeout: Duration?,
    _ changes: (KeyValueContents) throws(KeyValueStoreError) -> (KeyValueChanges, Result)
  ) throws(KeyValueStoreError) -> (KeyValueContents, Result) {
    while true {
      let old = try load()
      let (changes, result) = try changes(old)
      if changes.isEmpty { return (old, result) }
      let new = old.applying(changes, revision: old.revision + 1)
      let isWritten = server.contents.withLock { contents in
        if contents.revision != old.revision { return false }
        contents = new
        return true
      }
      if !isWritten { continue }
      for observer in server.observers.withLock({ Array($0.values) }) { observer() }
      return (new, result)
    }
  }

  func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
    let id = server.observers.withLock { observers in
      let id = (observers.keys.max() ?? 0) + 1
      observers[id] = handler
      return id
    }
    return KeyValueObservation { [server] in server.observers.withLock { $0[id] = nil } }
  }

  func moveAside(within timeout: Duration?) throws(KeyValueStoreError) -> String? {
    try server.check()
    return nil
  }
}

struct BackendConformanceSnippets {
  @Test(arguments: KeyValueBackendConformance.Check.allCases)
  func backendConforms(_ check: KeyValueBackendConformance.Check) async {
    let server = Server()
    await KeyValueBackendConformance(
      "ServerBackend", makeBackend: { ServerBackend(server) },
      reopen: { _ in ServerBackend(server) }, damage: { _ in server.stop() }
    ).run(check)
  }
}

private struct Player: Sendable {
  @StoredValue("volume", in: .standard) var volume = 0.8

  func mute() { volume = 0 }
}

private struct Session: Sendable {
  let token = PasswordItem<String>(.generic(service: "com.example.app"))
}

struct IsolationSnippets {
  @Suite(.isolatedStorage(requiredIn: "PlayerTests"))
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
      #expect(session.token.status == .locked)
      store.unlock()
      store.denial = "the sensor is busy"
      #expect(session.token.status == .denied)
    }
  }
}
