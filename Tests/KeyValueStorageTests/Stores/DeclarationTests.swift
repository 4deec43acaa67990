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
        key: "number", type: "Int", reason: "expected a number", found: "\"1\"",
        place: file.place(1, 12)))
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

  /// A thread may decode bytes that another one has replaced and set again meanwhile.
  @Test func replacedValueIsNotCached() throws {
    let store = KeyValueStore(MemoryBackend(), writes: .coalesced(within: .seconds(100_000)))
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    let optional = StoredValue<Int?>("number", in: store)
    number.wrappedValue = 1
    #expect(optional.wrappedValue == 1)
    number.wrappedValue = 2
    let pending = store.state.withLock { $0.pending(of: [optional.setting.declaration]) }
    #expect(pending.count == 1)
    number.wrappedValue = 1
    #expect(optional.wrappedValue == 1)
    store.decode(pending)
    #expect(optional.wrappedValue == 1)
    number.wrappedValue = 2
    #expect(optional.wrappedValue == 2)
  }

  @Test func errorOfTwoTypesIsReportedOnce() throws {
    let file = try TestFile()
    try file.overwrite("{\"number\": \"x\"}")
    let store = file.open()
    let errors = store.declare(file.number(in: store), StoredValue<Int?>("number", in: store))
    #expect(errors.count == 2)
    #expect(errors.map { ReportedFailures.count(of: $0) }.reduce(0, +) == 1)
  }

  private struct Undecodable: Codable, Sendable {
    var number = 0

    init(_ number: Int) { self.number = number }

    init(from decoder: any Decoder) throws { throw CancellationError() }
  }

  @Test func savedValueIsNotDecoded() throws {
    let saved = StoredValue(wrappedValue: Undecodable(0), "key", in: KeyValueStore())
    for number in 1...2 {
      try saved.save(Undecodable(number))
      saved.store.finishHandlers()
      #expect(saved.wrappedValue.number == number && saved.error == nil)
    }
  }

  /// A value whose release uses the store.
  private final class Releasing: Codable, Sendable {
    static let store = KeyValueStore()
    static let releases = Lock(0)
    let number: Int

    init(_ number: Int) { self.number = number }

    deinit {
      if Self.store.state.withLock({ $0.contents != nil }) { Self.releases.withLock { $0 += 1 } }
    }
  }

  @Test func releasedValueMayUseTheStore() throws {
    do {
      let property = StoredValue(wrappedValue: Releasing(0), "key", in: Releasing.store)
      property.wrappedValue = Releasing(1)
      property.wrappedValue = Releasing(2)
      try property.save(Releasing(3))
      try property.store.set(Releasing(4), for: "key")
      property.store.finishHandlers()
      #expect(property.wrappedValue.number == 4)
      // The store forgets most of these properties.
      for number in 0..<2000 {
        let forgotten = StoredValue<Releasing?>("key \(number)", in: property.store)
        forgotten.wrappedValue = Releasing(number)
      }
    }
    #expect(Releasing.releases.withLock { $0 } >= 900)
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
        UnknownKey(key: "levle", suggestion: "level", place: file.place(2, 3)),
        UnknownKey(key: "prt", suggestion: "port", place: file.place(4, 3)),
        UnknownKey(key: "x", place: file.place(4, 13)),
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
      UnknownKey(key: "numbr", suggestion: "number", place: file.place(1, 2)))
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

  @Test func atMostAHundredUnknownKeysAreReported() throws {
    let file = try TestFile()
    let store = file.open()
    func write(_ keys: Range<Int>) throws {
      let members = keys.map { "  \"key \($0)\": 1" }
      try file.overwrite("{\n\(members.joined(separator: ",\n"))\n}")
      try store.load()
      store.finishHandlers()
    }
    /// The keys of a file that were reported with their line in it.
    func reported(_ keys: Range<Int>) -> [Int] {
      keys.filter { number in
        let key = UnknownKey(
          key: "key \(number)", place: file.place(2 + number - keys.lowerBound, 3))
        return ReportedFailures.count(of: .unknownKey(key)) == 1
      }
    }
    try write(100..<250)
    store.reportUnknownKeys()
    store.finishHandlers()
    #expect(reported(100..<250) == Array(100..<200))
    try write(110..<250)
    #expect(reported(110..<250) == Array(200..<210))
    try write(100..<250)
    #expect(reported(100..<250) == Array(100..<200))
    #expect(try store.unknownKeys.count == 150)
    #expect(try store.unknownKeys[0].description.contains(": \"key 100\" is no setting.") == true)
  }

  @Test func longKeysHaveNoSuggestion() throws {
    let store = KeyValueStore()
    let long = String(repeating: "k", count: 65)
    let properties = [long + "a", "a"].map { StoredValue(wrappedValue: 0, $0, in: store) }
    try store.set(1, for: long)
    try store.set(1, for: "ab")
    #expect(try store.unknownKeys.map(\.suggestion) == ["a", nil])
    withExtendedLifetime(properties) {}
  }
}
