import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// The store that takes the place of the standard one.
struct StandardStoreTests {
  private static let volume = StoredValue(wrappedValue: 1, "volume", in: .standard)
  private static let levels = StoredValue(wrappedValue: [Int](), "levels", in: .standard)

  @Test func methodsUseTheStoreOfTheScope() async throws {
    let file = try TestFile(inMemory: true)
    let outage = Outage(of: .fsync, on: file.directory, code: EINVAL)
    let store = file.open(.durable, outage.fileSystem)
    let standard = KeyValueStore.standard
    try await KeyValueStore.withStandard(store) {
      var changes = standard.changes.makeAsyncIterator()
      try standard.set(5, for: "volume")
      #expect(await changes.next() == "volume")
      #expect(Self.volume.value == 5)
      #expect(try standard.value(of: "volume") == 5)
      #expect(try standard.values(of: ["volume", "levels"], as: Int.self) == [.success(5), nil])
      #expect(try standard.keys() == ["volume"])
      #expect(standard.declare(Self.volume, Self.levels) == [])
      try store.set(1, for: "level")
      #expect(try standard.unknownKeys.map(\.suggestion) == ["levels"])
      try standard.remove("level")
      standard.reportUnknownKeys()
      #expect(store.state.withLock { $0.reportedUnknownKeys != nil })
      try standard.transaction {
        Self.volume.value = 6
        Self.levels.value = [6]
      }
      #expect(throws: CancellationError.self) {
        try standard.transaction {
          Self.volume.value = 7
          throw CancellationError()
        }
      }
      try standard.remove("levels")
      try standard.writeDefaults()
      #expect(try standard.value(of: "levels") == Self.levels.value)
      try standard.remove("levels")
      try standard.load()
      try standard.synchronize()
      #expect(try standard.moveAsideUnreadableFile() == nil)
      standard.lockTimeout = .seconds(7)
      #expect(standard.name == store.name)
      #expect(try standard.directoryRemark != nil)
      let source = try TestFile(.xml)
      try source.overwrite(Fixture.text("user-defaults.plist"))
      let plan = try standard.import(UserDefaultsFile(source.path), isDryRun: true)
      #expect(plan.kept == ["volume"])
      #expect(try standard.keysNotImported(from: []) == [])
    }
    #expect(store.lockTimeout == .seconds(7))
    #expect(try store.keys() == ["volume"] && store.value(of: "volume") == 6)
  }

  @Test func innermostScopeApplies() throws {
    let (outer, inner) = (KeyValueStore(), KeyValueStore())
    KeyValueStore.withStandard(outer) {
      Self.volume.value = 2
      KeyValueStore.withStandard(inner) { Self.volume.value = 3 }
      #expect(Self.volume.value == 2)
      // The standard store of this scope is the outer one.
      KeyValueStore.withStandard(.standard) { #expect(Self.volume.value == 2) }
    }
    #expect(try inner.value(of: "volume") == 3)
  }

  @Test func encodingOfADefaultMayUseTheScope() {
    struct Level: Codable, Sendable {
      var level = 1

      func encode(to encoder: any Encoder) throws {
        try StandardStoreTests.volume.value.encode(to: encoder)
      }
    }
    KeyValueStore.withStandard(KeyValueStore()) {
      #expect(!StoredValue(wrappedValue: Level(), "level", in: .standard).isSet)
    }
  }

  @Test func settingWithAStoreIsNotReplaced() throws {
    let own = KeyValueStore()
    let volume = StoredValue(wrappedValue: 1, "volume", in: own)
    KeyValueStore.withStandard(KeyValueStore()) { volume.value = 4 }
    #expect(try own.value(of: "volume") == 4)
  }

  @Test func bootstrappedStoreIsTheStandard() async throws {
    let directory = try TemporaryDirectory()
    await #expect(processExitsWith: .success) { [path = directory.path as String] in
      let volume = StoredValue(wrappedValue: 1, "volume", in: .standard)
      let store = KeyValueStore(propertyList: URL(filePath: path + "/settings.plist"))
      KeyValueStore.bootstrap(store)
      volume.value = 4
      volume.value += 1
      #expect(volume.value == 5)
      let (value, keys): (Int?, _) = (
        try store.value(of: "volume"), try KeyValueStore.standard.keys()
      )
      #expect(value == 5 && keys == ["volume"] && KeyValueStore.standard.name == store.name)
      KeyValueStore.withStandard(KeyValueStore()) { #expect(volume.value == 1) }
      #expect(volume.value == 5)
    }
    #expect(
      try String(decoding: content(of: directory("settings.plist")), as: UTF8.self)
        .contains("<integer>5</integer>"))
  }

  @Test(arguments: ["bootstrap", "same store", "get", "load"])
  func bootstrapOfAUsedStandardStoreIsMisuse(use: String) async throws {
    let directory = try TemporaryDirectory()
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [use, path = directory.path as String] in
      unsafe setenv("XDG_CONFIG_HOME", path, 1)
      let store = KeyValueStore()
      switch use {
      case "bootstrap": KeyValueStore.bootstrap(KeyValueStore())
      case "same store": KeyValueStore.bootstrap(store)
      case "get": _ = StoredValue(wrappedValue: 1, "volume", in: .standard).value
      default: try KeyValueStore.standard.load()
      }
      KeyValueStore.bootstrap(store)
    }
    let words =
      ["bootstrap", "same store"].contains(use)
      ? "KeyValueStore.bootstrap(_:) was called twice." : "after the standard store had been used"
    #expect(message(of: result).contains(words))
  }

  @Test func standardStoreMayHaveItsOwnScope() async throws {
    let directory = try TemporaryDirectory()
    await #expect(processExitsWith: .success) { [path = directory.path as String] in
      unsafe setenv("XDG_CONFIG_HOME", path, 1)
      let volume = StoredValue(wrappedValue: 1, "volume", in: .standard)
      try KeyValueStore.withStandard(.standard) {
        try volume.save(2)
      }
      let (saved, stored): (Int, Int?) = (
        try volume.load(), try KeyValueStore.standard.value(of: "volume")
      )
      #expect(saved == 2 && stored == 2)
    }
  }
}
