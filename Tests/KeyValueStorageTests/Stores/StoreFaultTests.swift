import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import KeyValueStorage

/// A failure of each system call of each kind of write, one at a time.
struct StoreFaultTests {
  enum Operation: CaseIterable {
    case set, save, transaction, property, synchronize

    var throwsErrors: Bool { self != .property }
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

  private static let kinds =
    Campaign.isFull
    ? Operation.allCases.flatMap { operation in
      [ENOSPC, EIO, EACCES, EROFS, EMFILE, EINTR].flatMap { code in
        KeyValueFormat.allCases.map { (operation, code, $0) }
      }
    }
    // An interrupted call is the same for all operations and formats.
    : Operation.allCases.map { ($0, EIO, .json) } + [(.set, EINTR, .json)]

  @Test(arguments: kinds)
  func failedCallIsNamedAndLosesNothing(
    _ operation: Operation, _ code: Int32, _ format: KeyValueFormat
  ) throws {
    var failures = 0
    for index in 0..<1000 {
      let file = try TestFile(format, inMemory: true)
      try file.encoded(["number": 1, "other": 5]).write(to: URL(filePath: file.path))
      let before = try file.bytes
      let fault = FaultAtCall(index, code: code, isArmed: false, exceptions: [.inotify, .readlink])
      let store = KeyValueStore(
        UnobservedBackend(
          file: FileBackend(path: file.path, format: format, fileSystem: fault.fileSystem)),
        writes: operation.writes)
      let number = StoredValue(wrappedValue: 0, "number", in: store)
      #expect(try number.load() == 1)

      fault.arm()
      let thrown = failure(of: operation, on: store)
      fault.disarm()
      guard let place = fault.failed else {
        #expect(thrown == nil)
        #expect(number.error == nil)
        #expect(try file.open().value(of: "number") == 2)
        // The last round is the one without a fault.
        #expect(index > 8)
        #expect(code == EINTR || failures > 8)
        return
      }
      let comment = Comment("\(operation) with error \(code) in \(place)")
      let error = operation.throwsErrors ? thrown : number.error
      if let error {
        failures += 1
        expect(error, isOf: place, code, comment)
        // Only then is the new content in place, but possibly not durable.
        if place != "fsync \(file.directory)" { #expect(try file.bytes == before, comment) }
      }
      let isKept = operation == .property || operation == .synchronize
      if error != nil, isKept {
        // The value is retained, and written with the next change.
        #expect(number.wrappedValue == 2, comment)
        expect(number.error, isOf: place, code, comment)
        if index % 2 == 0 { try store.synchronize() } else { try store.set(1, for: "next") }
      } else if error != nil {
        #expect(number.error == nil, comment)
        let isInPlace = place == "fsync \(file.directory)"
        #expect(try number.load() == (isInPlace ? 2 : 1), comment)
        if operation != .transaction || !isInPlace { try operation.perform(on: store) }
      }
      #expect(number.wrappedValue == 2, comment)
      #expect(number.error == nil, comment)
      let other = file.open()
      #expect(try other.value(of: "number") == 2, comment)
      #expect(try other.value(of: "other") == 5, comment)
      try store.set(3, for: "number")
      #expect(try file.temporaryFiles == [], comment)
    }
    Issue.record("There are ever more calls.")
  }

  private func failure(of operation: Operation, on store: KeyValueStore) -> KeyValueStoreError? {
    do {
      try operation.perform(on: store)
      return nil
    } catch {
      #expect(error is KeyValueStoreError)
      return error as? KeyValueStoreError
    }
  }

  private func expect(
    _ error: KeyValueStoreError?, isOf place: String, _ code: Int32, _ comment: Comment
  ) {
    #expect(
      error?.isFailure(of: place, code) == true && code != EINTR,
      "\(comment.rawValue): \(String(describing: error))")
  }

  @Test(arguments: KeyValueFormat.allCases)
  func coalescedWriteThatFailsIsTriedAgainInTime(_ format: KeyValueFormat) throws {
    let file = try TestFile(format, inMemory: true)
    let isFailing = Lock(true)
    let failed = Lock(0)
    let backend = FileBackend(
      path: file.path, format: format,
      fileSystem: FileSystem { call, _ in
        guard call == .fsync, isFailing.withLock({ $0 }) else { return nil }
        failed.withLock { $0 += 1 }
        return EIO
      })
    let store = KeyValueStore(backend, writes: .coalesced(within: .milliseconds(1)))
    let number = StoredValue(wrappedValue: 0, "number", in: store)
    number.wrappedValue = 1
    try wait { number.error != nil }
    #expect(number.wrappedValue == 1)
    #expect(failed.withLock { $0 } > 0)
    #expect(store.hasTimer)
    isFailing.withLock { $0 = false }
    // The write happens without another call.
    try wait { try FileSystem().status(of: file.path) != nil && number.error == nil }
    #expect(try file.open().value(of: "number") == 1)
    try wait { !store.hasTimer }
  }
}

/// A file whose changes are not observed, so that the remains of a failed write are not written
/// again before the test has checked them.
private struct UnobservedBackend: KeyValueBackend {
  let file: FileBackend

  var format: KeyValueFormat { file.format }
  var name: String { file.name }

  func load() throws(KeyValueStoreError) -> KeyValueContents { try file.load() }

  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool {
    try file.hasChanged(since: revision)
  }

  func update(
    _ changes: (KeyValueContents) -> KeyValueChanges
  ) throws(KeyValueStoreError) -> KeyValueContents { try file.update(changes) }

  func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
    KeyValueObservation {}
  }

  func moveAside() throws(KeyValueStoreError) -> String? { try file.moveAside() }
}
