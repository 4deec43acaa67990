import Concurrency
import TestSupport
import Testing

@testable import KeyValueStorage

@Suite(.expectsFailures) struct ObservationTests {
  private let number = StoredValue(wrappedValue: 0, "number", in: KeyValueStore())

  @Test func observersReceiveEachChangeInOrder() throws {
    let heard = Heard<[Int]>()
    let observation = number.observe { heard.hear([$0, $1]) }
    for value in 1...50 { number.wrappedValue = value }
    number.reset()
    heard.wait(for: [50, 0])
    #expect(heard.all == (0..<50).map { [$0, $0 + 1] } + [[50, 0]])
    observation.cancel()
    number.wrappedValue = 7
    number.store.finishHandlers()
    #expect(heard.all.count == 51)
  }

  @Test func onlyNewValuesOfTheTypeAreReported() throws {
    let heard = HeardValues(of: number)
    number.wrappedValue = 1
    number.wrappedValue = 1
    try number.store.set(1, for: "other")
    try number.store.set("text", for: "number")
    number.wrappedValue = 2
    heard.wait(for: 2)
    #expect(heard.all == [1, 2])
  }

  @Test func observerMayChangeItsValue() throws {
    let heard = Heard<Int>()
    let observation = number.observe { _, new in
      heard.hear(new)
      if new < 5 { number.wrappedValue = new + 1 }
    }
    number.wrappedValue = 1
    heard.wait(for: 5)
    #expect(heard.all == [1, 2, 3, 4, 5])
    observation.cancel()
  }

  @Test func transactionIsReportedAtItsEnd() throws {
    let heard = HeardValues(of: number)
    try number.store.transaction {
      number.wrappedValue = 1
      number.wrappedValue = 2
    }
    heard.wait(for: 2)
    #expect(heard.all == [2])
  }

  @Test(arguments: KeyValueFormat.allCases)
  func changeByAnotherStoreNotifiesObservers(_ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    let store = file.open()
    let number = file.number(in: store)
    let (heard, keys) = (HeardValues(of: number), Heard<String>())
    let observation = store.observe { keys.hear($0) }
    let other = file.open()
    for value in 1...2 {
      try other.set(value, for: "number")
      heard.wait(for: value)
      #expect(number.wrappedValue == value)
    }
    try other.set("x", for: "name")
    keys.wait(for: "name")
    #expect(keys.all == ["number", "number", "name"])
    observation.cancel()
  }

  /// Some changes move keys to other parts of the contents, or change the number of parts.
  @Test(arguments: [false, true])
  func changesOfManyKeysAreReported(_ areInFile: Bool) throws {
    let (file, memory) = (try TestFile(), MemoryBackend())
    let store = areInFile ? file.openUnobserved() : KeyValueStore(memory)
    let other = areInFile ? file.open() : KeyValueStore(memory)
    let keys = (1000..<1400).map(String.init)
    let steps: [(changed: [String], removed: [String])] = [
      (keys, []),
      ([keys[0], keys[200], keys[399]], []),
      // A part that does not contain all keys has at least 128, and is divided when it has 256.
      ((0..<128).map { "1200-\($0)" }, []),
      (["last"], [keys[0]]),
      ([], Array(keys[50..<350])),
    ]
    let heard = Heard<String>()
    let observation = store.observe { heard.hear($0) }
    for (value, step) in steps.enumerated() {
      let count = heard.all.count
      try other.transaction {
        for key in step.changed { try other.set(value, for: key) }
        for key in step.removed { try other.remove(key) }
      }
      try store.load()
      store.finishHandlers()
      #expect(heard.all.dropFirst(count).sorted() == (step.changed + step.removed).sorted())
    }
    observation.cancel()
  }

  @Test func observationDoesNotRetainTheStore() throws {
    let file = try TestFile()
    weak var released: KeyValueStore?
    var observations: [KeyValueObservation] = []
    do {
      let store = file.open()
      observations = [
        store.observe { _ in },
        StoredValue(wrappedValue: 0, "a", in: store).observe { _, _ in },
      ]
      try store.set(1, for: "a")
      released = store
    }
    // The watch may be reading the file, and retains the store for that long.
    try wait { released == nil }
    observations.forEach { $0.cancel() }
  }
}
