import Concurrency
import TestSupport
import Testing
import ValueFormats

@testable import KeyValueStorage

/// Properties that a store knows before they are used, and keys that it does not know.
struct DeclarationTests {
  @Test func declaredPropertyIsCheckedAtOnce() throws {
    let file = try TestFile()
    try file.overwrite("{\"number\": \"1\", \"name\": \"x\"}")
    let store = file.open()
    let number = file.number(in: store)
    let name = StoredValue<String?>("name", in: store)
    let error = KeyValueStoreError.undecodable(
      UndecodableValue(
        key: "number", type: "Int", reason: "expected a number", found: "\"1\"", path: file.path,
        line: 1, column: 12))
    #expect(store.declare(number, name) == [error])
    #expect(ReportedFailures.count(of: error) == 1)
    #expect(store.declare(number, name) == [error])
    #expect(number.wrappedValue == 0 && number.error == error)
    #expect(ReportedFailures.count(of: error) == 1)
  }

  @Test func errorOfTheFileIsReturnedOnce() throws {
    let file = try TestFile()
    try file.overwrite("{")
    let store = file.open()
    let errors = store.declare(file.number(in: store), StoredValue<String?>("name", in: store))
    guard errors.count == 1, case .unreadable? = errors.first else {
      Issue.record("\(errors)")
      return
    }
    #expect(ReportedFailures.count(of: errors[0]) == 1)
  }

  @Test func propertyOfAnotherStoreIsAMisuse() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      KeyValueStore().declare(StoredValue(wrappedValue: 0, "number", in: KeyValueStore()))
    }
    #expect(message(of: result).contains("Declare it in its own store."))
  }

  @Test func propertiesOfManyKeysAreForgotten() throws {
    let store = KeyValueStore()
    func keys() -> Set<String> { store.state.withLock { Set($0.declarations.keys.map(\.string)) } }
    let used = (0..<3).map { StoredValue(wrappedValue: 0, "used \($0)", in: store) }
    store.declare(StoredValue(wrappedValue: 0, "declared", in: store))
    let observations = [
      StoredValue(wrappedValue: 0, "observed", in: store).observe { _, _ in },
      StoredValue(wrappedValue: 0, "watched", in: store).observeErrors { _ in },
    ]
    for number in 0..<10_000 {
      _ = StoredValue(wrappedValue: 0, "key \(number)", in: store)
      _ = StoredValue(wrappedValue: 0, "key", in: store)
      #expect(store.state.withLock { $0.declarations.keys.count } <= 1000)
    }
    #expect(keys().isSuperset(of: used.map(\.key) + ["declared", "observed", "watched"]))
    observations.forEach { $0.cancel() }
  }

  @Test func propertiesInUseAreNotForgotten() throws {
    let store = KeyValueStore()
    let used = (0..<3000).map { StoredValue(wrappedValue: 0, "key \($0)", in: store) }
    let keys = store.state.withLock { Set($0.declarations.keys.map(\.string)) }
    #expect(keys.isSuperset(of: used.map(\.key)))
  }

  @Test func onlyChangedValuesAreDecoded() throws {
    let file = try TestFile()
    try file.overwrite("{\"a\": 1, \"b\": 1}")
    let store = file.openUnobserved()
    store.declare(
      StoredValue<CountedNumber?>("a", in: store), StoredValue<CountedNumber?>("b", in: store))
    #expect(CountedNumber.decodings == 2)
    for (text, count) in [
      ("{\"a\": 2, \"b\": 1}", 3), ("{\"a\": 2,\n\"c\": 1, \"b\": 1}", 3), ("{\"b\": 1}", 3),
    ] {
      try file.overwrite(text)
      try store.load()
      #expect(CountedNumber.decodings == count)
    }
    try store.set(7, for: "a")
    store.finishHandlers()
    #expect(CountedNumber.decodings == 4)
  }

  /// A number that counts how often one is decoded.
  private struct CountedNumber: Codable, Sendable {
    private static let count = Lock(0)
    static var decodings: Int { count.withLock { $0 } }

    var number: Int

    init(from decoder: any Decoder) throws {
      number = try decoder.singleValueContainer().decode(Int.self)
      Self.count.withLock { $0 += 1 }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }
  }

  @Test func unknownKeysHaveSuggestionsAndPlaces() throws {
    let file = try TestFile()
    try file.overwrite("{\n  \"levle\": 1,\n  \"number\": 2,\n  \"prt\": 3, \"x\": 4\n}")
    let store = file.open()
    let properties = ["number", "level", "port", "a"].map {
      StoredValue(wrappedValue: 0, $0, in: store)
    }
    let unknown = try store.unknownKeys
    #expect(
      unknown == [
        UnknownKey(key: "levle", suggestion: "level", path: file.path, line: 2, column: 3),
        UnknownKey(key: "prt", suggestion: "port", path: file.path, line: 4, column: 3),
        UnknownKey(key: "x", path: file.path, line: 4, column: 13),
      ])
    #expect(
      unknown[0].description
        == "\(file.path), line 2, column 3: levle is no setting. Did you mean level?")
    withExtendedLifetime(properties) {}
  }

  @Test func versionIsNoUnknownKey() throws {
    let file = try TestFile()
    try file.open(version: 1).set(1, for: "number")
    #expect(try file.open(version: 1).unknownKeys.map(\.key) == ["number"])
    #expect(try file.open().unknownKeys.map(\.key) == ["$version", "number"])
  }

  @Test func eachUnknownKeyIsReportedOnceUntilItIsGone() throws {
    let file = try TestFile()
    try file.overwrite("{\"numbr\": 1}")
    let store = file.open()
    let number = file.number(in: store)
    let error = KeyValueStoreError.unknownKey(
      UnknownKey(key: "numbr", suggestion: "number", path: file.path, line: 1, column: 2))
    #expect(number.wrappedValue == 0)
    #expect(ReportedFailures.count(of: error) == 0)
    store.reportUnknownKeys()
    #expect(ReportedFailures.count(of: error) == 1)
    for (text, count) in [
      ("{\"numbr\": 1, \"number\": 1}", 1), ("{\"number\": 1}", 1), ("{\"numbr\": 1}", 2),
    ] {
      try file.overwrite(text)
      try store.load()
      store.finishHandlers()
      #expect(ReportedFailures.count(of: error) == count, "\(text)")
    }
  }

  @Test func longKeysHaveNoSuggestion() throws {
    let store = KeyValueStore()
    let long = String(repeating: "k", count: 65)
    let property = StoredValue(wrappedValue: 0, long + "a", in: store)
    try store.set(1, for: long)
    try store.set(1, for: "ab")
    #expect(try store.unknownKeys.map(\.suggestion) == [nil, nil])
    withExtendedLifetime(property) {}
  }
}
