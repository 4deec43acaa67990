import CLibrary
import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

extension KeyValueStore {
  static let server = KeyValueStore(
    applicationName: "server", writes: .coalesced(within: .seconds(1)))
}

struct ServerSettings: Sendable {
  @StoredValue("requestLimit", in: .server) var requestLimit = 100
}

/// The code of the article "What an access costs".
struct AccessCostsSnippets {
  struct Update: Sendable {
    let limit: Int
    let name: String
  }

  struct Settings: Sendable {
    @StoredValue var limit: Int
    @StoredValue var revision: Int

    init(_ store: KeyValueStore) {
      _limit = StoredValue(wrappedValue: 1, "limit", in: store)
      _revision = StoredValue(wrappedValue: 0, "revision", in: store)
    }
  }

  struct Client: Sendable {
    let store: KeyValueStore
    let settings: Settings

    func apply(_ update: Update) async throws {
      try await store.transaction {
        settings.limit = update.limit
        settings.revision += 1
      }
      try await store.set(update.name, for: "name")
    }

    func loadSettings() throws { try store.load() }
  }

  final class Handler: Sendable {
    private let settings = ServerSettings()

    func isAllowed(requests: Int) -> Bool { requests <= settings.requestLimit }

    func setLimit(_ limit: Int, _ respond: @escaping @Sendable (Result<Void, any Error>) -> Void) {
      settings.requestLimit = limit
      Task {
        do {
          try await KeyValueStore.server.synchronize()
          respond(.success(()))
        } catch {
          respond(.failure(error))
        }
      }
    }
  }

  @MainActor final class VolumeModel {
    private let volume: StoredValue<Double>
    private(set) var problem: String?

    init(store: KeyValueStore) { volume = StoredValue(wrappedValue: 0.8, "volume", in: store) }

    /// Called for each movement of a slider.
    func slide(to value: Double) { volume.wrappedValue = value }

    /// Called before the window closes.
    func close() async {
      do {
        try await volume.store.synchronize()
      } catch {
        problem = "\(error)"
      }
    }
  }

  @Test func tasksAwaitTheirWrites() async throws {
    let store = KeyValueStore()
    let client = Client(store: store, settings: Settings(store))
    try client.loadSettings()
    try await client.apply(Update(limit: 5, name: "x"))
    #expect(try await store.keys() == ["limit", "name", "revision"])
    #expect(client.settings.limit == 5)
  }

  @Test func handlerRespondsWhenTheLimitIsOnDisk() async throws {
    let directory = try TemporaryDirectory()
    // The location of the store is set once in a process, so this needs a process of its own.
    await #expect(processExitsWith: .success) { [path = directory.path as String] in
      unsafe setenv("XDG_CONFIG_HOME", path, 1)
      let handler = Handler()
      #expect(!handler.isAllowed(requests: 101))
      try await withCheckedThrowingContinuation { continuation in
        handler.setLimit(200) { continuation.resume(with: $0) }
      }
      #expect(handler.isAllowed(requests: 101))
      let store = KeyValueStore(applicationName: "server")
      #expect(try await store.value(of: "requestLimit") == 200)
    }
  }

  @MainActor @Test func modelWritesWhenItsWindowCloses() async throws {
    let directory = try TemporaryDirectory()
    let file = directory.url.appending(path: "settings.json")
    let model = VolumeModel(
      store: KeyValueStore(json: file, writes: .coalesced(within: .seconds(100_000))))
    model.slide(to: 0.5)
    #expect(try await KeyValueStore(json: file).value(of: "volume", as: Double.self) == nil)
    await model.close()
    #expect(model.problem == nil)
    #expect(try await KeyValueStore(json: file).value(of: "volume") == 0.5)
  }
}
