import Concurrency
import FoundationEssentials
import TestSupport
import Testing
import ValueFormats

@testable import KeyValueStorage

/// Default values that are written into a file to start from.
struct DefaultsTests {
  /// A store with a hook before each write, and one between a write and its adoption.
  private func store(
    _ file: TestFile, willWrite: @escaping @Sendable (KeyValueChanges) -> Void = { _ in },
    didWrite: @escaping @Sendable () -> Void = {}
  ) -> KeyValueStore {
    let base = FileBackend(path: file.path, format: file.format)
    return KeyValueStore(HookedBackend(base: base, willWrite: willWrite, didWrite: didWrite))
  }

  private struct Settings: Sendable {
    let width: StoredValue<Int>
    let window: StoredValue<Window>
    let name: StoredValue<String?>

    init(_ store: KeyValueStore) {
      width = StoredValue(wrappedValue: 80, "width", in: store)
      window = StoredValue(wrappedValue: Window(width: 1, title: "x"), "window", in: store)
      name = StoredValue("name", in: store)
      store.declare(width, window, name)
    }
  }

  @Test(arguments: KeyValueFormat.allCases)
  func allDefaultsAreWrittenAtOnce(_ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    let written = Lock([[String]]())
    let store = store(file) { changes in
      written.withLock { $0.append(changes.all.map(\.key).sorted()) }
    }
    let settings = Settings(store)
    for _ in 0..<2 {
      try store.writeDefaults()
      #expect(settings.width.wrappedValue == 80 && settings.width.isSet)
      #expect(settings.name.wrappedValue == nil && !settings.name.isSet)
      let other = file.open()
      #expect(try other.keys() == ["width", "window"])
      #expect(try other.value(of: "width") == 80)
      #expect(try other.value(of: "window") == Window(width: 1, title: "x"))
    }
    #expect(written.withLock { $0 } == [["width", "window"], []])
  }

  @Test func storedValuesAreKept() throws {
    let file = try TestFile()
    try file.overwrite(#"{"other":  1, "width": "x"}"#)
    let store = file.open(.coalesced(within: .seconds(100_000)))
    let settings = Settings(store)
    let flag = StoredValue(wrappedValue: false, "flag", in: store)
    settings.name.wrappedValue = "unsaved"
    flag.wrappedValue = true
    flag.reset()
    try store.writeDefaults()
    let other = file.open()
    #expect(try other.keys() == ["flag", "name", "other", "width", "window"])
    #expect(try other.value(of: "width") == "x" && other.value(of: "name") == "unsaved")
    #expect(try other.value(of: "flag") == false)
    #expect(try file.text.contains(#""other":  1"#))
    guard case .undecodable? = settings.width.error else {
      Issue.record("\(String(describing: settings.width.error))")
      return
    }
  }

  /// Another thread may read the file before the store adopts what it has written.
  @Test(arguments: [false, true]) func observersAreNotCalled(isReadFirst: Bool) throws {
    let file = try TestFile()
    let reading = Lock<KeyValueStore?>(nil)
    let store = store(
      file,
      didWrite: {
        do {
          try reading.withLock { $0 }?.load()
        } catch {
          Issue.record(error)
        }
      })
    let settings = Settings(store)
    let (heard, keys) = (Heard<[Int]>(), Heard<String>())
    let errors = Heard<KeyValueStoreError?>()
    let observations = [
      settings.width.observe { heard.hear([$0, $1]) }, store.observe { keys.hear($0) },
      settings.width.observeErrors { errors.hear($0) },
    ]
    if isReadFirst { reading.withLock { $0 = store } }
    try store.writeDefaults()
    reading.withLock { $0 = nil }
    store.finishHandlers()
    #expect(settings.width.isSet)
    #expect(heard.all == [] && keys.all == [] && errors.all == [])
    settings.width.wrappedValue = 100
    settings.width.reset()
    store.finishHandlers()
    #expect(heard.all == [[80, 100], [100, 80]])
    #expect(keys.all == ["width", "width"])
    observations.forEach { $0.cancel() }
  }

  @Test func otherDefaultOfAKeyIsAChange() throws {
    let store = try TestFile().open()
    let other = StoredValue<String?>(wrappedValue: "x", "name", in: store)
    let name = StoredValue<String?>("name", in: store)
    let (names, others) = (Heard<[String?]>(), Heard<[String?]>())
    let observations = [
      name.observe { names.hear([$0, $1]) }, other.observe { others.hear([$0, $1]) },
    ]
    try store.writeDefaults()
    store.finishHandlers()
    #expect(names.all == [[nil, "x"]])
    #expect(others.all == [])
    observations.forEach { $0.cancel() }
  }

  @Test func observersOfOtherStoresAreNotCalled() throws {
    let file = try TestFile()
    let store = file.openUnobserved()
    let settings = Settings(store)
    let (widths, windows, names) = (Heard<[Int]>(), Heard<[Window]>(), Heard<[String?]>())
    let observations = [
      settings.width.observe { widths.hear([$0, $1]) },
      settings.window.observe { windows.hear([$0, $1]) },
      settings.name.observe { names.hear([$0, $1]) },
    ]
    let other = file.open()
    let otherSettings = Settings(other)
    try other.writeDefaults()
    try store.load()
    #expect(settings.width.isSet)
    for width in [nil, 80, 7, nil] as [Int?] {
      if let width { otherSettings.width.wrappedValue = width } else { otherSettings.width.reset() }
      try store.load()
    }
    store.finishHandlers()
    #expect(widths.all == [[80, 7], [7, 80]])
    #expect(windows.all == [] && names.all == [])
    observations.forEach { $0.cancel() }
  }

  @Test func defaultsArePartOfATransaction() throws {
    struct Abandoned: Error {}
    let file = try TestFile()
    let store = store(file)
    let settings = Settings(store)
    let keys = Heard<String>()
    let observation = store.observe { keys.hear($0) }
    #expect(throws: Abandoned.self) {
      try store.transaction {
        try store.writeDefaults()
        #expect(settings.width.isSet)
        throw Abandoned()
      }
    }
    #expect(try file.open().keys() == [] && !settings.width.isSet)
    try store.transaction {
      settings.width.wrappedValue = 7
      try store.writeDefaults()
      #expect(try file.open().keys() == [])
    }
    #expect(try file.open().keys() == ["width", "window"])
    #expect(settings.width.wrappedValue == 7)
    store.finishHandlers()
    #expect(keys.all == ["width"])
    observation.cancel()
  }

  private struct Unencodable: Codable, Sendable {
    func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(self, .init(codingPath: [], debugDescription: ""))
    }
  }

  @Test func failureWritesNothing() throws {
    let file = try TestFile()
    try file.overwrite("{")
    let store = file.open()
    let settings = Settings(store)
    #expect(throws: KeyValueStoreError.self) { try store.writeDefaults() }
    #expect(try file.text == "{")
    try file.overwrite("{}")
    let unencodable = StoredValue(wrappedValue: Unencodable(), "bad", in: store)
    let error = KeyValueStoreError.unencodable(
      key: "bad", type: "Unencodable", reason: "a part of it cannot be encoded")
    #expect(throws: error) { try store.writeDefaults() }
    #expect(try file.text == "{}")
    withExtendedLifetime((settings, unencodable)) {}
  }

  @Test func orderIsThatOfDeclaration() throws {
    let store = KeyValueStore()
    let properties = ["z", "y", "a", "m"].map { StoredValue(wrappedValue: 0, $0, in: store) }
    store.declare(properties[2], properties[1])
    store.declare(properties[1], properties[0])
    let order = store.state.withLock { $0.declarations.inOrder.map(\.key.string) }
    #expect(order == ["m", "a", "y", "z"])
  }

  @Test func firstDefaultOfAKeyIsWritten() throws {
    let store = KeyValueStore()
    let properties = [7, 8].map { StoredValue(wrappedValue: $0, "number", in: store) }
    let optional = StoredValue<String?>("text", in: store)
    let text = StoredValue(wrappedValue: "x", "text", in: store)
    try store.writeDefaults()
    #expect(properties.map(\.wrappedValue) == [7, 7])
    #expect(optional.wrappedValue == "x" && text.wrappedValue == "x")
  }

  @Test func migrationsRunFirst() throws {
    let file = try TestFile(values: ["breadth": 7])
    let migration = KeyValueMigration(to: 1) { $0.rename("breadth", to: "width") }
    let settings = Settings(file.open(version: 1, [migration]))
    try settings.width.store.writeDefaults()
    #expect(settings.width.wrappedValue == 7)
    #expect(try file.open().keys() == ["$version", "width", "window"])
  }
}
