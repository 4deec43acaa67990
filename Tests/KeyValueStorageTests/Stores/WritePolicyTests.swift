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
    for number in 0..<100 {
      StoredValue(wrappedValue: 0, "key \(number)", in: store).wrappedValue = number + 1
    }
    #expect(try FileSystem().status(of: file.path) == nil)
    try store.synchronize()
    let other = file.open()
    #expect(try other.keys().count == 100)
    #expect(try other.value(of: "key 42") == 43)
    #expect(!store.hasTimer)
  }

  @Test func releasedStoreWritesUnsavedValues() throws {
    let file = try TestFile()
    do {
      StoredValue(wrappedValue: 0, "a", in: file.open(longTime)).wrappedValue = 1
    }
    // Another thread may hold the last reference for a moment.
    try wait { try file.open().value(of: "a") == 1 }
  }

  @Test func unsavedChangesAreMergedIntoOtherWrites() throws {
    let file = try TestFile()
    let store = file.open(longTime)
    let mine = StoredValue(wrappedValue: 0, "mine", in: store)
    let shared = StoredValue(wrappedValue: 0, "shared", in: store)
    mine.wrappedValue = 1
    shared.wrappedValue = 1
    try file.overwrite(#"{"theirs": 2, "shared": 2}"#)
    #expect(try store.value(of: "theirs") == 2)
    #expect(shared.wrappedValue == 1)
    try store.synchronize()
    #expect(try file.text == "{\n  \"mine\": 1,\n  \"shared\": 1,\n  \"theirs\": 2\n}\n")
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
