import CLibrary
import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

/// The code of the overview of `KeyValueStorage`.
struct KeyValueSnippets {
  final class Standard: DirectoryTests {
    struct Player: Sendable {
      @StoredValue("volume", in: .standard) var volume = 0.8
      @StoredValue("nickname", in: .standard) var nickname: String?
    }

    @Test func standardStore() async throws {
      // The standard store's location is set once in a process, so this needs a process of its own.
      await #expect(processExitsWith: .success) { [path = directory.url.path as String] in
        unsafe setenv("XDG_CONFIG_HOME", path, 1)
        let player = Player()
        player.volume -= 0.3
        player.nickname = "Nausicaä"
        print(player.volume)  // 0.5
        if let error = player.$volume.error { print(error) }
        #expect(player.$volume.error == nil)
      }
      let entries = try FileManager.default.subpathsOfDirectory(atPath: directory.url.path)
      let file = try #require(entries.first { $0.hasSuffix("/settings.json") })
      let text = try String(contentsOf: directory.url.appending(path: file), encoding: .utf8)
      let overview = "Sources/KeyValueStorage/KeyValueStorage.docc/KeyValueStorage.md"
      #expect(try MarkdownPage(path: overview).text.contains("```json\n\(text)```\n"))
    }
  }

  struct Player: Sendable {
    @StoredValue var volume: Double

    init(store: KeyValueStore = .standard) {
      _volume = StoredValue(wrappedValue: 0.8, "volume", in: store)
    }

    func mute() { volume = 0 }
  }

  struct Account: Sendable {
    @StoredValue var balance: Int
    @StoredValue var payments: [Int]

    init(store: KeyValueStore) {
      _balance = StoredValue(wrappedValue: 100, "balance", in: store)
      _payments = StoredValue(wrappedValue: [], "payments", in: store)
    }
  }

  @Test func watching() async throws {
    let player = Player(store: KeyValueStore())
    let observation = player.$volume.observe { old, new in
      print("from \(old) to \(new)")
    }
    let watching = Task {
      for await volume in player.$volume.values {
        print("the volume is \(volume)")
      }
    }
    player.volume = 0.5
    observation.cancel()
    watching.cancel()
    await watching.value
  }

  @Test func transactions() throws {
    let store = KeyValueStore()
    let account = Account(store: store)
    try store.transaction {
      account.balance -= 10
      account.payments.append(10)
    }
    #expect(account.balance == 90 && account.payments == [10])
  }

  @Test func failures() {
    let player = Player(store: KeyValueStore())
    do {
      try player.$volume.save(0.5)
    } catch KeyValueStoreError.unreadable(let file) {
      print("mend line \(file.place.line ?? 1) of \(file.place.path)")
    } catch {
      print(error)
    }

    if let error = player.$volume.error { print(error) }
    #expect(player.volume == 0.5)
  }

  @Test func failureHandler() async {
    // The handler belongs to the whole process.
    await #expect(processExitsWith: .exitCode(3)) {
      @Sendable func log(_ text: String) {
        print(text)
        exit(3)
      }
      KeyValueStore.onFailure = { error in
        log("\(error)")
      }
      let file = FileManager.default.temporaryDirectory
      _ = StoredValue(wrappedValue: 0.8, "volume", in: KeyValueStore(json: file)).wrappedValue
    }
  }

  @Test func mistakes() async throws {
    // The standard directory is set once in a process, so this needs a process of its own.
    await #expect(processExitsWith: .success) {
      let directory = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
      defer { try? FileManager.default.removeItem(at: directory) }
      unsafe setenv("XDG_CONFIG_HOME", directory.path, 1)
      KeyValueStore.onFailure = { _ in }
      let file = directory.appending(path: "player/settings.json")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(#"{"level": "verbose", "prot": 1}"#.utf8).write(to: file)
      MistakeSnippets.start()
      #expect(MistakeSnippets.Settings.level.error != nil)
      #expect(MistakeSnippets.Settings.level.value == .info)
      #expect(try KeyValueStore.player.unknownKeys.map(\.suggestion) == ["port"])
      MistakeSnippets.observe()
    }
  }

  @Test func mutedPlayerIsSilent() {
    let player = Player(store: KeyValueStore())
    player.mute()
    #expect(player.volume == 0)
  }
}

enum MistakeSnippets {
  enum Level: String, Codable, CaseIterable, Sendable { case info, debug }

  enum Settings {
    static let level = StoredValue(wrappedValue: Level.info, "level", in: .player)
    static let port = StoredValue(wrappedValue: 8080, "port", in: .player)
  }

  static func start() {
    let errors = KeyValueStore.player.declare(Settings.level, Settings.port)
    if !errors.isEmpty { print("The settings have mistakes, which are ignored.") }
    KeyValueStore.player.reportUnknownKeys()
  }

  static func observe() {
    let mistakes = Settings.level.observeErrors { error in
      print(error.map { "\($0)" } ?? "The level is valid again.")
    }
    mistakes.cancel()
  }
}

extension KeyValueStore {
  static let player = KeyValueStore(
    applicationName: "player", writes: .coalesced(within: .seconds(1)))
}

struct OwnStoreSnippets {
  struct Player: Sendable {
    @StoredValue("volume", in: .player) var volume = 0.8
  }

  @Test func settingsAreInTheirStore() {
    #expect(Player().$volume.store === KeyValueStore.player)
  }
}
