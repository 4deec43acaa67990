import CLibrary
import FoundationEssentials
import KeyValueStorage
import TestSupport
import Testing

/// The standard store of a process, and of the scopes of tests.
struct StandardStoreTests {
  private static let constant = StoredValue(wrappedValue: 0, "constant")

  private struct Settings: Sendable {
    @StoredValue("implicit") var implicit = 1
    @StoredValue("explicit", in: .standard) var explicit = 1
    @StoredValue("optional", in: .standard) var optional: String?
  }

  private struct Injected: Sendable {
    @StoredValue var number: Int

    init(store: KeyValueStore = .standard) {
      _number = StoredValue(wrappedValue: 0, "number", in: store)
    }
  }

  @Test func scopeHoldsForItsOperation() throws {
    let settings = Settings()
    let injected = Injected()
    let store = KeyValueStore()
    KeyValueStore.withStandard(store) {
      settings.implicit = 2
      settings.explicit += 3
      settings.optional = "here"
      injected.number = 5
      #expect(KeyValueStore.standard === store)
      #expect(settings.$implicit.store === store)
    }
    #expect(try store.keys() == ["explicit", "implicit", "number", "optional"])
    #expect(try store.value(of: "explicit") == 4)
    KeyValueStore.withStandard(KeyValueStore()) {
      #expect(settings.implicit == 1)
      #expect(settings.optional == nil)
      #expect(injected.number == 0)
    }
  }

  @Test(arguments: 0..<8)
  func constantHasItsOwnValueInEachScope(_ number: Int) async throws {
    let store = KeyValueStore()
    try await KeyValueStore.withStandard(store) {
      #expect(Self.constant.wrappedValue == 0)
      Self.constant.wrappedValue = number
      await Task.yield()
      #expect(Self.constant.wrappedValue == number)
      try await Self.constant.save(number + 1)
      async let seenByChild = Self.constant.load()
      #expect(try await seenByChild == number + 1)
    }
    #expect(try await store.value(of: "constant") == number + 1)
  }

  @Test func innerScopeEndsWithItsOperation() {
    let (outer, inner) = (KeyValueStore(), KeyValueStore())
    KeyValueStore.withStandard(outer) {
      Self.constant.wrappedValue = 1
      KeyValueStore.withStandard(inner) {
        #expect(Self.constant.wrappedValue == 0)
        Self.constant.wrappedValue = 2
      }
      #expect(Self.constant.wrappedValue == 1)
    }
  }

  @Test func propertyWithAStoreOfItsOwnIsNotAffected() {
    let store = KeyValueStore()
    let injected = Injected(store: store)
    KeyValueStore.withStandard(KeyValueStore()) {
      injected.number = 5
      #expect(injected.$number.store === store)
    }
    #expect(injected.number == 5)
  }

  @Test func changeInPlaceAndTransactionAreInTheScope() throws {
    let store = KeyValueStore()
    try KeyValueStore.withStandard(store) {
      let settings = Settings()
      try KeyValueStore.standard.transaction {
        settings.explicit += 1
        settings.optional = "x"
        settings.optional?.append("y")
      }
      settings.$implicit.reset()
      #expect(settings.$explicit.isSet)
      #expect(!settings.$implicit.isSet)
    }
    #expect(try store.value(of: "optional") == "xy")
  }

  @Test func bootstrappedStoreIsTheStandardOneAlsoOfEarlierProperties() async throws {
    let directory = try TemporaryDirectory()
    await #expect(processExitsWith: .success) { [path = directory.path as String] in
      unsafe setenv("XDG_CONFIG_HOME", path, 1)
      recordingErrors {
        let (settings, injected) = (Settings(), Injected())
        let earlier = KeyValueStore.standard
        let store = KeyValueStore()
        KeyValueStore.bootstrap(store)
        #expect(KeyValueStore.standard === store)
        #expect(earlier !== store)
        settings.implicit = 2
        settings.explicit = 3
        injected.number = 4
        let keys = try store.keys()
        #expect(keys == ["explicit", "implicit", "number"])
        let inScope = KeyValueStore.withStandard(KeyValueStore()) { settings.implicit }
        #expect(inScope == 1)
        #expect(settings.implicit == 2)
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == [])
  }

  /// Properties of the standard store have no setting in it before their first access.
  @Test func propertiesThatWereNeverAccessedAreChecked() async throws {
    let directory = try TemporaryDirectory()
    let file = directory.url.appending(path: "settings.json")
    try Data(#"{"implicit": "one", "explicit": 1, "typo": 2}"#.utf8).write(to: file)
    await #expect(processExitsWith: .exitCode(7)) { [path = file.path as String] in
      KeyValueStore.bootstrap(KeyValueStore(json: URL(filePath: path)))
      KeyValueStore.onFailure = { error in
        if case .undecodable(let value) = error, value.key == "implicit" { exit(7) }
      }
      let settings = Settings()
      try KeyValueStore.standard.load()
      // The check runs on a thread of the store.
      while true {
        sleep(1)
        withExtendedLifetime(settings) {}
      }
    }
    await #expect(processExitsWith: .success) { [path = file.path as String] in
      recordingErrors {
        KeyValueStore.bootstrap(KeyValueStore(json: URL(filePath: path)))
        KeyValueStore.onFailure = { _ in }
        let settings = Settings()
        let unread = try KeyValueStore.standard.unreadKeys().map(\.keyPath)
        #expect(unread == ["typo"])
        withExtendedLifetime(settings) {}
      }
    }
    try KeyValueStore.withStandard(KeyValueStore(json: file)) {
      let settings = Settings()
      // The properties of a test that runs at the same time are not those of this one.
      let other = KeyValueStore.withStandard(KeyValueStore()) {
        StoredValue(wrappedValue: 0, "typo")
      }
      let unread = try KeyValueStore.standard.unreadKeys().map(\.keyPath)
      #expect(unread == ["typo"])
      withExtendedLifetime((settings, other)) {}
    }
  }

  @Test func secondBootstrapIsMisuse() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      KeyValueStore.bootstrap(KeyValueStore())
      KeyValueStore.bootstrap(KeyValueStore())
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("KeyValueStore.bootstrap(_:) was called twice."))
  }

  @Test(arguments: [true, false])
  func bootstrapAfterTheFirstAccessIsMisuse(isPropertyUsed: Bool) async throws {
    let directory = try TemporaryDirectory()
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [path = directory.path as String, isPropertyUsed] in
      unsafe setenv("XDG_CONFIG_HOME", path, 1)
      if isPropertyUsed {
        _ = Self.constant.wrappedValue
      } else {
        try KeyValueStore.standard.load()
      }
      KeyValueStore.bootstrap(KeyValueStore())
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("after the standard store had been used"))
    #expect(text.contains("before the first access to a setting"))
  }
}
