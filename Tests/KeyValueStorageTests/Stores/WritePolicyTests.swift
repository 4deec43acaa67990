import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

struct WritePolicyTests {
  private let longTime = WritePolicy.coalesced(within: .seconds(100_000))

  @Test(arguments: KeyValueFormat.allCases)
  func coalescedSetsAreWrittenBySynchronize(_ format: KeyValueFormat) throws {
    let file = try TestFile(format)
    let store = file.open(longTime)
    #expect(store.timer.withLock { $0 } == nil)
    for number in 0..<100 {
      StoredValue(wrappedValue: 0, "key \(number)", in: store).wrappedValue = number + 1
    }
    #expect(try FileSystem().status(of: file.path) == nil)
    #expect(store.timer.withLock { $0 } != nil)
    try store.synchronize()
    let other = file.open()
    #expect(try other.keys().count == 100)
    #expect(try other.value(of: "key 42") == 43)
    #expect(store.timer.withLock { $0 } == nil)
    file.number(in: other).wrappedValue = 2
    #expect(other.timer.withLock { $0 } == nil)
  }

  @Test func releasedStoreWritesUnsavedValues() throws {
    let file = try TestFile()
    do { StoredValue(wrappedValue: 0, "a", in: file.open(longTime)).wrappedValue = 1 }
    // Another thread may hold the last reference for a moment.
    try wait { try file.open().value(of: "a") == 1 }
  }

  @Test func saveAndTransactionWriteAtOnce() throws {
    let file = try TestFile()
    let store = file.open(longTime)
    let first = StoredValue(wrappedValue: 0, "first", in: store)
    let second = StoredValue(wrappedValue: 0, "second", in: store)
    first.wrappedValue = 1
    try second.save(2)
    #expect(try file.open().keys() == ["first", "second"])
    second.wrappedValue = 3
    try store.transaction { first.wrappedValue += 10 }
    #expect(try file.open().value(of: "first") == 11)
    #expect(try file.open().value(of: "second") == 3)
  }
}
