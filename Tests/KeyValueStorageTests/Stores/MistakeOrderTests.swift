import CLibrary
import Concurrency
import Dispatch
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// Mistakes in a file, and what happens before the store has dealt with them.
struct MistakeOrderTests {
  @Test func changeBeforeTheFirstCallIsHeard() throws {
    let file = try TestFile(values: ["number": 1])
    let store = file.openUnobserved()
    let number = file.number(in: store)
    #expect(try number.load() == 1)
    try file.overwrite("{\"number\": \"x\"}")
    #expect(throws: KeyValueStoreError.self) { try number.load() }
    let (changes, gate) = (Heard<[Int]>(), DispatchSemaphore(value: 0))
    store.state.withLock { $0.observers }.queue.run { gate.wait() }
    let observation = number.observe { changes.hear([$0, $1]) }
    try file.overwrite("{\"number\": 2}")
    try store.load()
    gate.signal()
    store.finishHandlers()
    #expect(changes.all == [[1, 2]])
    observation.cancel()
  }

  /// The default value applies while no value is valid, and is corrected, removed and set.
  @Test func observerReceivesNoChangeToTheSameDefault() throws {
    let file = try TestFile()
    try file.overwrite("{\"number\": \"x\"}")
    let store = file.openUnobserved()
    let number = file.number(in: store)
    let changes = Heard<[Int]>()
    let observation = number.observe { changes.hear([$0, $1]) }
    for value in ["0", "\"x\"", "0"] {
      try file.overwrite("{\"number\": \(value)}")
      try store.load()
    }
    try file.overwrite("{}")
    try store.load()
    try file.overwrite("{\"number\": 2}")
    try store.load()
    store.finishHandlers()
    #expect(changes.all == [[0, 2]])
    observation.cancel()
  }

  @Test func mistakeSeenInATransactionIsReportedOnce() throws {
    let file = try TestFile(values: ["number": 1])
    let store = file.open()
    let number = file.number(in: store)
    #expect(number.wrappedValue == 1)
    try file.overwrite("{\"number\": \"x\"}")
    func error(_ place: FilePlace?) -> KeyValueStoreError {
      .undecodable(
        UndecodableValue(
          key: "number", type: "Int", reason: "expected a number", found: "\"x\"", place: place))
    }
    let expected = error(file.place(1, 12))
    try store.transaction {
      #expect(number.wrappedValue == 1)
      #expect(number.error == expected)
    }
    store.finishHandlers()
    #expect(number.error == expected)
    #expect(ReportedFailures.count(of: expected) == 1)
    #expect(ReportedFailures.count(of: error(file.place())) == 0)
  }

  @Test func fileIsReadOnceForThePlacesOfManyMistakes() throws {
    let file = try TestFile()
    let keys = (100..<300).map { "key \($0)" }
    try file.overwrite("{\n\(keys.map { "\"\($0)\": \"x\"" }.joined(separator: ",\n"))\n}")
    let opens = CallCount(of: .open, on: file.path)
    let store = file.open(.durable, opens.fileSystem)
    let values = try store.values(of: ["absent"] + keys, as: Int.self)
    // The first time, the values are read. A new file may be read again.
    #expect(opens.value <= 4)
    #expect(try #require(values.first) == nil)
    for (index, (key, value)) in zip(keys, values.dropFirst()).enumerated() {
      let error = UndecodableValue(
        key: key, type: "Int", reason: "expected a number", found: "\"x\"",
        place: file.place(2 + index, 12))
      #expect(value == .failure(.undecodable(error)))
    }
    #expect(try store.values(of: keys, as: String.self) == keys.map { _ in .success("x") })
  }

  @Test func refusalEndsWhenTheFileIsMended() throws {
    let file = try TestFile(values: ["number": 1])
    let store = file.openUnobserved()
    let number = file.number(in: store)
    let errors = Heard<Bool>()
    let observation = number.observeErrors { errors.hear($0 != nil) }
    try file.overwrite("{")
    #expect(throws: KeyValueStoreError.self) { try store.load() }
    number.wrappedValue += 1
    #expect(number.error != nil)
    try file.overwrite("{\"number\": 1}")
    try store.load()
    #expect(number.wrappedValue == 1 && number.error == nil)
    store.finishHandlers()
    #expect(errors.all == [true, false])
    observation.cancel()
  }

  @Test(arguments: ["{", "{\"number\": \"mended\"}"])
  func refusalHasEndedWhenTheFileIsMendedMeanwhile(_ text: String) throws {
    let file = try TestFile(values: ["number": 1])
    let store = file.openUnobserved()
    let number = file.number(in: store)
    let errors = Heard<KeyValueStoreError?>()
    let observation = number.observeErrors { errors.hear($0) }
    try file.overwrite(text)
    #expect(throws: KeyValueStoreError.self) { try number.load() }
    let error = try #require(number.error)
    func change(_ value: inout Int) throws {
      try file.overwrite("{\"number\": 2}")
      try store.load()
      value += 1
    }
    let before = ReportedFailures.count(of: error)
    try change(&number.wrappedValue)
    #expect(ReportedFailures.count(of: error) == before + 1)
    #expect(number.wrappedValue == 2 && number.error == nil)
    store.finishHandlers()
    #expect(errors.all == [error, nil])
    observation.cancel()
  }

  @Test func refusalEndsWhenTheFileCanBeOpened() throws {
    let file = try TestFile(values: ["number": 1])
    let outage = Outage(of: .open, on: file.path, code: EACCES, isOn: false)
    let store = file.openUnobserved(.durable, outage.fileSystem)
    let number = file.number(in: store)
    let errors = Heard<KeyValueStoreError?>()
    let observation = number.observeErrors { errors.hear($0) }
    outage.begin()
    try file.overwrite("{\"number\": 2}")
    let error = KeyValueStoreError.system(call: "open", path: file.path, code: EACCES)
    #expect(throws: error) { try store.load() }
    number.wrappedValue += 1
    #expect(number.error == error)
    outage.end()
    try store.load()
    #expect(number.wrappedValue == 2 && number.error == nil)
    store.finishHandlers()
    #expect(errors.all == [error, nil])
    observation.cancel()
  }
}
