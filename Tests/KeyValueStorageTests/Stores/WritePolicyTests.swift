import CLibrary
import Concurrency
import Dispatch
import FoundationEssentials
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

  @Test func coalescedSetsAreWrittenInTime() throws {
    let file = try TestFile()
    let store = file.open(.coalesced(within: .milliseconds(20)))
    let other = file.open()
    let heard = Heard<Int>()
    let observation = StoredValue(wrappedValue: 0, "a", in: other).observe { heard.hear($1) }
    for value in 1...3 {
      StoredValue(wrappedValue: 0, "a", in: store).wrappedValue = value
      heard.wait(for: value)
    }
    observation.cancel()
  }

  @Test func releasedStoreWritesWhatIsUnsaved() throws {
    let file = try TestFile()
    do {
      StoredValue(wrappedValue: 0, "a", in: file.open(longTime)).wrappedValue = 1
    }
    #expect(try file.open().value(of: "a") == 1)
  }

  @Test func unsavedChangesAreMergedIntoWhatOthersWrote() throws {
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

  @Test func failedWriteIsKeptAndWrittenLater() throws {
    let file = try TestFile()
    let faults = Lock<Int32?>(ENOSPC)
    let backend = FileBackend(
      path: file.path, format: .json,
      fileSystem: FileSystem { call, _ in call == .write ? faults.withLock { $0 } : nil })
    let store = KeyValueStore(backend)
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    number.wrappedValue = 1
    #expect(number.wrappedValue == 1)
    guard case .system("write", _, ENOSPC) = number.error else {
      Issue.record("\(String(describing: number.error))")
      return
    }
    #expect(throws: KeyValueStoreError.self) { try number.save(2) }
    #expect(number.wrappedValue == 1)
    faults.withLock { $0 = nil }
    StoredValue(wrappedValue: 0, "other", in: store).wrappedValue = 5
    #expect(number.error == nil)
    #expect(try file.text == "{\n  \"number\": 1,\n  \"other\": 5\n}\n")
  }

  @Test func manyThreadsShareTheirWrites() throws {
    let file = try TestFile()
    let store = file.open()
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for number in 0..<20 {
        let setting = StoredValue(wrappedValue: 0, "\(thread)-\(number)", in: store)
        setting.wrappedValue = number
        // The value is on disk when the setter returns.
        do {
          #expect(try file.open().value(of: setting.key) == number)
        } catch {
          Issue.record(error)
        }
      }
    }
    #expect(try store.keys().count == 160)
  }
}
