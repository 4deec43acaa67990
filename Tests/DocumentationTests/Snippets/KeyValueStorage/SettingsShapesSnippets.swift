import CLibrary
import FoundationEssentials
import KeyValueStorage
import Observation
import TestSupport
import Testing

/// The code of the article "The shapes that compile" of `KeyValueStorage`.
struct SettingsShapesSnippets {
  enum Structures {
    struct Settings: Sendable {
      @StoredValue("volume", in: .standard) var volume = 0.8
      @StoredValue("nickname", in: .standard) var nickname: String?
    }

    final class Player: Sendable {
      let settings = Settings()
      func mute() { settings.volume = 0 }
    }

    enum Shared {
      static let settings = Settings()
    }
  }

  enum Constants {
    final class Player: Sendable {
      let volume = StoredValue(wrappedValue: 0.8, "volume")
      let nickname = StoredValue<String?>("nickname")
      func mute() { volume.value = 0 }
    }

    enum Shared {
      static let volume = StoredValue(wrappedValue: 0.8, "volume")
    }

    actor Mixer {
      let volume = StoredValue(wrappedValue: 0.8, "volume")
      nonisolated var isMuted: Bool { volume.value == 0 }
    }

    final class Channel: Sendable {
      let volume: StoredValue<Double>

      init(number: Int, store: KeyValueStore) {
        volume = StoredValue(wrappedValue: 0.8, "channels/\(number)/volume", in: store)
      }
    }
  }

  actor Downloader {
    @StoredValue("parallelDownloads", in: .standard) var limit = 4
    func hurry() { limit *= 2 }
  }

  @MainActor @Observable final class PlayerModel {
    private(set) var volume: Double
    @ObservationIgnored private let setting: StoredValue<Double>
    @ObservationIgnored private var following: Task<Void, Never>?

    init(store: KeyValueStore = .standard) {
      setting = StoredValue(wrappedValue: 0.8, "volume", in: store)
      volume = setting.value
      following = Task { [values = setting.values, weak self] in
        for await volume in values { self?.volume = volume }
      }
    }

    deinit { following?.cancel() }

    func setVolume(_ volume: Double) { setting.value = volume }
  }

  @Test func structuresMeanTheSameSettings() async throws {
    let directory = try TemporaryDirectory()
    // The standard store's location is set once in a process, so this needs a process of its own.
    await #expect(processExitsWith: .success) { [path = directory.url.path as String] in
      unsafe setenv("XDG_CONFIG_HOME", path, 1)
      Structures.Player().mute()
      #expect(Structures.Shared.settings.volume == 0)
      #expect(Constants.Mixer().isMuted)
      Constants.Shared.volume.reset()
      #expect(Constants.Player().volume.value == 0.8)
      let downloader = Downloader()
      await downloader.hurry()
      #expect(await downloader.limit == 8)
    }
  }

  @Test func topLevelCodeOfAnAppRuns() throws {
    let directory = try TemporaryDirectory()
    let child = try ChildProcess(
      "/usr/bin/env",
      [
        "XDG_CONFIG_HOME=\(directory.path)",
        try ChildProcess.path(ofExecutable: "ShapesProcess"),
      ], output: directory("output"))
    try child.wait()
    let output = try content(of: directory("output"))
    #expect(String(decoding: output, as: UTF8.self) == "8 0.5\n0.0 true\n")
  }

  @Test func keysCanBeComputed() throws {
    let store = KeyValueStore()
    Constants.Channel(number: 3, store: store).volume.value = 0.1
    #expect(try store.keys() == ["channels/3/volume"])
  }

  @MainActor @Test func modelFollowsTheSetting() async {
    let store = KeyValueStore()
    let model = PlayerModel(store: store)
    #expect(model.volume == 0.8)
    model.setVolume(0.5)
    while model.volume != 0.5 { await Task.yield() }
    weak var released: PlayerModel?
    do {
      let other = PlayerModel(store: store)
      #expect(other.volume == 0.5)
      released = other
    }
    #expect(released == nil)
  }
}
