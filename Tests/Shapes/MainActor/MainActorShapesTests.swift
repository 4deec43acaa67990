import CLibrary
import KeyValueStorage
import TestSupport
import Testing

extension KeyValueStore {
  nonisolated static let player = KeyValueStore(
    applicationName: "player", writes: .coalesced(within: .seconds(1)))
}

nonisolated enum App {
  struct Settings: Sendable {
    @StoredValue("volume", in: .player) var volume = 0.8
    @StoredValue("plays", in: .player) var plays = 0
  }
}

final class Player {
  private let settings = App.Settings()
  private(set) var isPlaying = false

  func mute() { settings.volume = 0 }

  func play() async throws {
    isPlaying = true
    try await settings.$plays.store.transaction { [settings] in settings.plays += 1 }
  }
}

nonisolated struct PlayerConstants: Sendable {
  let volume = StoredValue(wrappedValue: 0.8, "volume", in: .player)
}

struct IsolatedSettings {
  @StoredValue("volume", in: .player) var volume = 0.8
}

/// The module's default isolation is the main actor.
struct MainActorShapesTests {
  @Test func settingsOfAModuleOnTheMainActorCompile() async throws {
    let directory = try TemporaryDirectory()
    // The location of the store is set once in a process, so this needs a process of its own.
    await #expect(processExitsWith: .success) { [path = directory.path as String] in
      unsafe setenv("XDG_CONFIG_HOME", path, 1)
      try await Player().checkShapes()
    }
  }
}

extension Player {
  func checkShapes() async throws {
    mute()
    try await play()
    #expect(isPlaying)
    #expect(App.Settings().plays == 1)
    #expect(IsolatedSettings().volume == 0)
    #expect(await Task.detached { App.Settings().volume }.value == 0)
    #expect(await Task.detached { PlayerConstants().volume.wrappedValue }.value == 0)
    #expect(try await KeyValueStore.player.keys() == ["plays", "volume"])
  }
}
