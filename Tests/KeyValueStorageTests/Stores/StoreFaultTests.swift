import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A failure of each system call of each kind of write, one at a time.
struct StoreFaultTests {
  enum Operation: CaseIterable {
    case set, save, transaction, property, synchronize

    var writes: WritePolicy {
      self == .synchronize ? .coalesced(within: .seconds(100_000)) : .durable
    }

    func perform(on store: KeyValueStore) throws {
      let number = StoredValue(wrappedValue: 0, "number", in: store)
      switch self {
      case .set: try store.set(2, for: "number")
      case .save: try number.save(2)
      case .transaction: try store.transaction { number.wrappedValue += 1 }
      case .property: number.wrappedValue = 2
      case .synchronize:
        number.wrappedValue = 2
        try store.synchronize()
      }
    }
  }

  private static let kinds: [(Operation, Int32, KeyValueFormat)] =
    Campaign.isFull
    ? Operation.allCases.flatMap { operation in
      [ENOSPC, EIO, EACCES, EROFS, EMFILE, EINTR].flatMap { code in
        KeyValueFormat.allCases.map { (operation, code, $0) }
      }
    }
    // The code and the format do not depend on the operation.
    : [
      (.set, EIO, .json), (.save, EMFILE, .xml), (.transaction, ENOSPC, .json),
      (.property, EACCES, .binary), (.synchronize, EROFS, .json), (.set, EINTR, .json),
    ]

  @Test(arguments: kinds)
  func failedCallIsReportedAndLosesNothing(
    _ operation: Operation, _ code: Int32, _ format: KeyValueFormat
  ) throws {
    var failures = 0
    let calls = try FaultAtCall.oneAfterAnother(
      [code], isArmed: false, exceptions: [.inotify, .readlink]
    ) { fault in
      let file = try TestFile(format, inMemory: true, values: ["number": 1, "other": 5])
      let before = try file.bytes
      let store = file.openUnobserved(operation.writes, fault.fileSystem)
      let number = file.number(in: store)
      #expect(try number.load() == 1)
      fault.arm()
      let result = Result { try operation.perform(on: store) }
      var error: KeyValueStoreError?
      if case .failure(let thrown) = result { error = try #require(thrown as? KeyValueStoreError) }
      fault.disarm()
      guard let place = fault.failed else {
        #expect(error == nil)
        #expect(number.error == nil)
        #expect(try file.values()["number"] == 2)
        return
      }
      let comment = Comment("\(operation) with error \(code) in \(place)")
      if operation == .property { error = number.error }
      if let error {
        failures += 1
        fault.expect(error, comment)
        // Only then is the new content in place, but possibly not durable.
        if place != "fsync \(file.directory)" { #expect(try file.bytes == before, comment) }
      }
      let isKept = operation == .property || operation == .synchronize
      if error != nil, isKept {
        // The value is retained, and written with the next change.
        #expect(number.wrappedValue == 2, comment)
        fault.expect(number.error, comment)
        if failures % 2 == 0 { try store.synchronize() } else { try store.set(1, for: "next") }
      } else if error != nil {
        #expect(number.error == nil, comment)
        let isInPlace = place == "fsync \(file.directory)"
        #expect(try number.load() == (isInPlace ? 2 : 1), comment)
        if operation != .transaction || !isInPlace { try operation.perform(on: store) }
      }
      #expect(number.wrappedValue == 2, comment)
      #expect(number.error == nil, comment)
      #expect(try file.values()["number"] == 2, comment)
      #expect(try file.values()["other"] == 5, comment)
      try store.set(3, for: "number")
      #expect(try file.temporaryFiles == [], comment)
    }
    #expect(calls > 8)
    #expect(code == EINTR || failures > 8)
  }

  @Test func failedCoalescedWriteIsRepeated() throws {
    let file = try TestFile(inMemory: true)
    let outage = Outage(of: .fsync)
    let store = file.open(.coalesced(within: .milliseconds(1)), outage.fileSystem)
    let number = file.number(in: store)
    number.wrappedValue = 1
    try wait { number.error != nil }
    #expect(number.wrappedValue == 1)
    outage.end()
    // The write happens without another call.
    try wait { number.error == nil }
    #expect(try file.values() == ["number": 1])
    try wait { store.timer.withLock { $0 } == nil }
  }
}
