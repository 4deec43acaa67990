import Concurrency
import Dispatch
import TestSupport
import Testing

@testable import KeyValueStorage

/// A server that keeps a log of its changes, and tells which keys have changed.
private final class LogBackend: KeyValueBackend {
  private struct State {
    var contents: KeyValueContents
    var log: [(revision: Int64, changes: KeyValueChanges)] = []
    var observers: [@Sendable () -> Void] = []
    var fullReads = 0
    var isReadOnly = false
  }

  let format = KeyValueFormat.json
  let name = "a server with a log"
  private let state: Lock<State>

  init(_ values: [String: Int] = [:]) {
    let contents = KeyValueContents(values.map { ($0, Self.encoded($1)) }, revision: 1)
    state = Lock(State(contents: contents))
  }

  private static func encoded(_ value: Int) -> EncodedValue { ArraySlice("\(value)".utf8) }

  var fullReads: Int { state.withLock { $0.fullReads } }

  /// Makes it fail to write.
  func makeReadOnly() { state.withLock { $0.isReadOnly = true } }

  func load() -> KeyValueContents {
    state.withLock { state in
      state.fullReads += 1
      return state.contents
    }
  }

  func load(updating contents: KeyValueContents) -> KeyValueContents {
    state.withLock { state in
      var newest = contents
      for (revision, changes) in state.log where revision > contents.revision {
        newest = newest.applying(changes, revision: revision)
      }
      return newest
    }
  }

  func hasChanged(since revision: Int64) -> Bool {
    state.withLock { $0.contents.revision } != revision
  }

  func update(
    _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents {
    let (contents, isReadOnly) = state.withLock { ($0.contents, $0.isReadOnly) }
    if isReadOnly { throw .readOnly("The server is on standby.") }
    return write(changes(contents))
  }

  @discardableResult
  private func write(_ changes: KeyValueChanges) -> KeyValueContents {
    state.withLock { state in
      let revision = state.contents.revision + 1
      state.contents = state.contents.applying(changes, revision: revision)
      state.log.append((revision, changes))
      return state.contents
    }
  }

  /// Changes values on another machine.
  func change(_ values: [String: Int?]) {
    var changes = KeyValueChanges()
    for (key, value) in values { changes.set(key, to: value.map(Self.encoded)) }
    write(changes)
    for observer in state.withLock({ $0.observers }) { observer() }
  }

  func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
    state.withLock { $0.observers.append(handler) }
    return KeyValueObservation {}
  }

  func moveAside() -> String? { nil }
}

/// Backends that tell which keys have changed.
struct ChangedKeysTests {
  private let backend = LogBackend(
    Dictionary(uniqueKeysWithValues: (0..<1_000).map { ("\($0)", $0) }))

  @Test func storeReadsEverythingOnlyOnce() throws {
    let store = KeyValueStore(backend)
    let heard = Heard<String>()
    let observation = store.observe { heard.hear($0) }
    let number = StoredValue(wrappedValue: 0, "500", in: store)
    for round in 1...20 {
      backend.change(["500": -round, "new \(round)": round, "\(round)": nil])
      #expect(try number.load() == -round)
      #expect(try store.value(of: "new \(round)") == round)
      #expect(try store.value(of: "\(round)", as: Int.self) == nil)
    }
    number.wrappedValue = 7
    #expect(heard.wait(for: "500"))
    #expect(backend.fullReads == 1)
    #expect(
      heard.all.sorted()
        == (Array(repeating: "500", count: 21) + (1...20).flatMap { ["new \($0)", "\($0)"] })
        .sorted())
    #expect(try store.keys().count == 1_000)
    observation.cancel()
  }

  /// Each observer of a key is called for its own changes, and not for a change to an equal value.
  @Test(arguments: [1, 40])
  func observersOfOtherKeysAreNotCalled(_ observedKeys: Int) throws {
    let store = KeyValueStore(backend)
    let heard = Heard<[Int]>()
    let observations = (0..<observedKeys).map { key in
      StoredValue(wrappedValue: -1, "\(key)", in: store).observe { heard.hear([key, $0, $1]) }
    }
    backend.change(["999": 0])
    backend.change(["0": 0])
    backend.change(["0": 5, "998": 5])
    backend.change(["0": nil, "999": nil])
    #expect(heard.wait(for: [0, 5, -1]))
    #expect(heard.all == [[0, 0, 5], [0, 5, -1]])
    withExtendedLifetime(observations) {}
  }

  @Test func unsavedChangeIsKeptOverThoseOfOthers() throws {
    let store = KeyValueStore(backend, writes: .coalesced(within: .seconds(100_000)))
    let number = StoredValue(wrappedValue: 0, "1", in: store)
    #expect(number.wrappedValue == 1)
    number.wrappedValue = 100
    backend.change(["1": 50, "2": 50])
    try store.load()
    #expect(number.wrappedValue == 100)
    #expect(try store.value(of: "2") == 50)
    try store.synchronize()
    #expect(try KeyValueStore(backend).value(of: "1") == 100)
  }

  /// Values migrated in memory differ from those of the backend, to which its changes apply.
  @Test func migratedValuesAreReadAgainAsAWhole() throws {
    backend.change(["colour": 1])
    backend.makeReadOnly()
    let store = KeyValueStore(
      backend, version: 1,
      migrations: [KeyValueMigration(to: 1) { $0.rename("colour", to: "color") }])
    let color = StoredValue(wrappedValue: 0, "color", in: store)
    ReportedFailures.record()
    #expect(try color.load() == 1)
    backend.change(["colour": 2])
    #expect(try color.load() == 2)
    #expect(try store.value(of: "colour", as: Int.self) == nil)
    #expect(backend.fullReads >= 2)
  }

  @Test func emptyingAVersionedStoreRemovesItsVersion() throws {
    let store = KeyValueStore(LogBackend(["a": 1]), version: 1, migrations: [])
    #expect(try store.keys() == ["a"])
    try store.set(2, for: "b")
    try store.remove("a")
    #expect(try store.keys() == ["b"])
  }
}
