import Concurrency
import Dispatch
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
}
