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

  @Test(arguments: 0..<8) func declaredSettingUsesTheStoreOfTheScope(_ number: Int) async throws {
    let store = KeyValueStore()
    try await KeyValueStore.withStandard(store) {
      #expect(Self.volume.value == 1 && !Self.volume.isSet)
      Self.volume.value = number
      await Task.yield()
      Self.volume.value += 10
      Self.levels.value.append(number)
      #expect(Self.volume.value == number + 10)
      async let seenByChild = Self.volume.load()
      let seen = try await seenByChild
      #expect(seen == number + 10 && Self.volume.error == nil)
    }
    #expect(try store.value(of: "volume") == number + 10)
    #expect(try store.value(of: "levels") == [number])
  }

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
      #expect(try standard.keys() == ["volume"])
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

  @Test func observerReadsTheStoreOfItsScope() throws {
    let heard = Lock([[Int]]())
    let store = KeyValueStore()
    let observations = KeyValueStore.withStandard(store) {
      [
        Self.volume.observe { _, new in heard.withLock { $0.append([new, Self.volume.value]) } },
        KeyValueStore.standard.observe { _ in
          heard.withLock { $0.append([Self.volume.value]) }
        },
      ]
    }
    try store.set(5, for: "volume")
    store.finishHandlers()
    #expect(heard.withLock { $0.contains([5, 5]) && $0.contains([5]) && $0.count == 2 })
    for observation in observations { observation.cancel() }
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

  @Test(arguments: ["bootstrap", "get", "load"])
  func bootstrapOfAUsedStandardStoreIsMisuse(use: String) async throws {
    let directory = try TemporaryDirectory()
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [use, path = directory.path as String] in
      unsafe setenv("XDG_CONFIG_HOME", path, 1)
      switch use {
      case "bootstrap": KeyValueStore.bootstrap(KeyValueStore())
      case "get": _ = StoredValue(wrappedValue: 1, "volume", in: .standard).value
      default: try KeyValueStore.standard.load()
      }
      KeyValueStore.bootstrap(KeyValueStore())
    }
    let words =
      use == "bootstrap"
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
