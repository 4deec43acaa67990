import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// All operations on many threads, in two stores of one file.
struct StoreThreadsTests {
  private static let policies = [WritePolicy.durable, .coalesced(within: .milliseconds(1))]
  private static let kinds: [(KeyValueFormat, WritePolicy)] =
    Campaign.isFull
    ? KeyValueFormat.allCases.flatMap { format in policies.map { (format, $0) } }
    : Array(zip([KeyValueFormat.json, .binary], policies))

  @Test(arguments: kinds)
  func concurrentChangesAreKept(_ format: KeyValueFormat, _ writes: WritePolicy) throws {
    let file = try TestFile(format)
    let stores = [file.open(writes), file.open(writes)]
    let rounds = Campaign.size(sample: 3, full: 100)
    let heard = Lock(0)
    let observations = stores.map { $0.observe { _ in heard.withLock { $0 += 1 } } }
    try onThreads(8) { thread in
      for round in 1...rounds { try Self.work(thread, round, file, stores[thread % 2], heard) }
    }
    for store in stores { try store.synchronize() }
    let store = file.open()
    #expect(try store.value(of: "counter") == 8 * rounds)
    for thread in 0..<8 {
      #expect(try store.value(of: "own \(thread)") == rounds)
      #expect(try store.value(of: "list \(thread)") == Array(1...rounds))
      #expect(try store.value(of: "reset \(thread)", as: Int.self) == nil)
    }
    // An in-place addition excludes only the threads that use the same store.
    for shared in 0..<2 { #expect(try store.value(of: "shared \(shared)") == 4 * rounds) }
    try wait { heard.withLock { $0 } > 0 }
    observations.forEach { $0.cancel() }
  }

  /// Edits with mistakes, while other threads create properties and get their values.
  @Test func concurrentMistakesKeepValidValues() throws {
    let file = try TestFile(values: ["number": 1])
    let store = file.open()
    let number = file.number(in: store)
    #expect(number.wrappedValue == 1)
    let wrongChanges = Lock(0)
    let observations = [
      number.observe { old, new in if old == new || new < 1 { wrongChanges.withLock { $0 += 1 } } },
      number.observeErrors { _ in },
    ]
    let rounds = Campaign.size(sample: 20, full: 1000)
    try onThreads(4) { thread in
      for round in 1...rounds {
        if thread == 0 {
          for value in ["\"x\"", "", "\(round + 1)"] {
            let text = Array("{\"number\": \(value)}".utf8)
            try FileSystem().replaceFile(at: file.path, with: text)
          }
        } else {
          let number = file.number(in: store)
          #expect(number.wrappedValue > 0)
          switch number.error {
          case nil, .undecodable, .unreadable: break
          case let error?: Issue.record(error)
          }
          do { try store.load() } catch KeyValueStoreError.unreadable {}
        }
      }
    }
    try store.load()
    #expect(number.wrappedValue == rounds + 1 && number.error == nil)
    store.finishHandlers()
    #expect(wrongChanges.withLock { $0 } == 0)
    observations.forEach { $0.cancel() }
  }

  private static func work(
    _ thread: Int, _ round: Int, _ file: TestFile, _ store: KeyValueStore, _ heard: Lock<Int>
  ) throws {
    let own = StoredValue(wrappedValue: 0, "own \(thread)", in: store)
    let list = StoredValue(wrappedValue: [Int](), "list \(thread)", in: store)
    let reset = StoredValue(wrappedValue: 0, "reset \(thread)", in: store)
    let counter = StoredValue(wrappedValue: 0, "counter", in: store)
    let shared = StoredValue(wrappedValue: 0, "shared \(thread % 2)", in: store)
    let observation = own.observe { _, _ in heard.withLock { $0 += 1 } }
    own.wrappedValue = round
    #expect(own.wrappedValue == round)
    // A durable value is on disk when the setter returns.
    if store.delay == nil { #expect(try file.open().value(of: own.key) == round) }
    list.wrappedValue.append(round)
    #expect(list.wrappedValue.last == round)
    shared.wrappedValue += 1
    reset.wrappedValue = round
    try store.transaction {
      counter.wrappedValue += 1
      reset.reset()
    }
    #expect(!reset.isSet)
    #expect(throws: CancellationError.self) {
      try store.transaction {
        counter.wrappedValue += 1
        throw CancellationError()
      }
    }
    #expect(own.error == nil)
    if round % 3 == 0 {
      try own.save(round)
      #expect(try own.load() == round)
      _ = try store.keys()
      try store.synchronize()
    }
    observation.cancel()
  }
}
