import Concurrency
import Dispatch
import KeyValueStorage

/// A run of one conformance check on one backend.
struct BackendRun: CheckRun {
  let backend: any KeyValueBackend
  /// Makes another backend on the storage; returns the same one if that is not supported.
  let reopen: @Sendable () throws -> any KeyValueBackend
  /// Another backend on the storage, or the same one.
  let other: any KeyValueBackend
  let damage: KeyValueBackendConformance.Damage?
  let interrupt: KeyValueBackendConformance.Interruption?
  let notifiesOnce: Bool
  let timeout: Duration
  let findings: Findings

  /// Calls a backend on a thread that it may block.
  ///
  /// A backend may wait for a task, which needs a thread of the cooperative pool.
  @discardableResult
  static func blocking<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    // The global queue makes new threads only slowly while its threads are blocked.
    try await runBlocking(on: DispatchQueue(label: "conformance"), body)
  }

  /// Returns the encoded form of a value.
  func encoded(_ value: some Encodable) throws -> EncodedValue {
    try backend.format.encode(value)
  }

  /// Sets keys to integers, or removes them, in one update.
  @discardableResult
  func set(
    _ values: KeyValuePairs<String, Int?>, in backend: (any KeyValueBackend)? = nil
  ) throws -> KeyValueContents {
    var changes = KeyValueChanges()
    for (key, value) in values { changes.set(key, to: try value.map(encoded)) }
    return try (backend ?? self.backend).update { [changes] _ in changes }
  }

  /// Adds one to the integer under a key.
  func increment(_ key: String, in backend: any KeyValueBackend) throws {
    var failure: (any Error)?
    _ = try backend.update { contents in
      // Only the last call matters; the contents of an earlier one were not the newest.
      failure = nil
      var changes = KeyValueChanges()
      do {
        changes.set(key, to: try encoded(try integer(key, in: contents) + 1))
      } catch {
        failure = error
      }
      return changes
    }
    if let failure { throw failure }
  }

  /// Returns the integer under a key; 0 if there is none.
  func integer(_ key: String, in contents: KeyValueContents) throws -> Int {
    guard let value = contents[key] else { return 0 }
    return try backend.format.decode(Int.self, from: value)
  }

  /// Expects contents to have exactly these keys and integers.
  func expect(
    _ contents: KeyValueContents, _ expected: KeyValuePairs<String, Int>, _ operation: String
  ) throws {
    let expected = KeyValueContents(
      try expected.map { (key: $0, value: try encoded($1)) }, revision: 0)
    expect(contents, expected, operation)
  }

  func expect(_ contents: KeyValueContents, _ expected: KeyValueContents, _ operation: String) {
    let keys = contents.keys, expectedKeys = expected.keys
    let hasKeys =
      keys.count == expectedKeys.count
      && zip(keys, expectedKeys).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    guard hasKeys else {
      let found = Set(keys.map { Array($0.utf8) })
      let missing = expectedKeys.filter { !found.contains(Array($0.utf8)) }
      return expect(
        false, operation,
        """
        \(expectedKeys.count) keys, but got \(keys.count), without \
        \(missing.prefix(5).map(\.debugDescription))
        """)
    }
    let changed = expectedKeys.filter { contents[$0] != expected[$0] }
    let names = changed.prefix(5).map(\.debugDescription)
    expect(changed.isEmpty, operation, "the values that were set, but others are under \(names)")
  }

  /// Expects a call to throw a `KeyValueStoreError`.
  func expectFailure<Result>(
    _ operation: String, _ body: () throws(KeyValueStoreError) -> Result
  ) {
    do {
      _ = try body()
      expect(false, operation, "an error, but the operation succeeded")
    } catch {
      // Any reason is permitted.
    }
  }
}

extension BackendRun {
  /// Runs a check.
  func run(_ check: KeyValueBackendConformance.Check) async throws {
    switch check {
    case .readsNeverGoBack: try await readsNeverGoBack()
    case .concurrentUpdatesAreNotLost: try await concurrentUpdatesAreNotLost()
    case .observersAreNotified: try await observersAreNotified()
    case .observersAreNotifiedOfOtherBackend: try await observersAreNotifiedOfOtherBackend()
    case .observersAreNotifiedOnce: try await observersAreNotifiedOnce()
    case .handlersSeeTheChange: try await handlersSeeTheChange()
    case .releasedObserversAreNotNotified: try await releasedObserversAreNotNotified()
    case .storeReportsEachChangeOnce: try await storeReportsEachChangeOnce()
    default: try await Self.blocking { try runBlockingly(check) }
    }
  }

  /// Runs a check that does not wait for notifications or tasks.
  private func runBlockingly(_ check: KeyValueBackendConformance.Check) throws {
    switch check {
    case .newStorageIsEmpty: try newStorageIsEmpty()
    case .updatesAreStored: try updatesAreStored()
    case .otherKeysAreKept: try otherKeysAreKept()
    case .valuesKeepTheirBytes: try valuesKeepTheirBytes()
    case .keysKeepTheirBytes: try keysKeepTheirBytes()
    case .equivalentKeysAreSeparate: try equivalentKeysAreSeparate()
    case .manyKeysAreKept: try manyKeysAreKept()
    case .updateWithoutChangesWritesNothing: try updateWithoutChangesWritesNothing()
    case .updatesBeginWithTheNewestContents: try updatesBeginWithTheNewestContents()
    case .updatesApplyInOrder: try updatesApplyInOrder()
    case .otherBackendSeesUpdates: try otherBackendSeesUpdates()
    case .updatesSurviveACrash: try updatesSurviveACrash()
    case .changesAreDetected: try changesAreDetected()
    case .updatedContentsAreTheNewest: try updatedContentsAreTheNewest()
    case .revisionsIncrease: try revisionsIncrease()
    case .handlersRunOutsideCalls: try handlersRunOutsideCalls()
    case .interruptionIsThrown: try interruptionIsThrown()
    case .damageIsThrown: try damageIsThrown()
    case .readableContentsStay: try readableContentsStay()
    case .damagedContentsAreMovedAside: try damagedContentsAreMovedAside()
    case .readsNeverGoBack, .concurrentUpdatesAreNotLost, .observersAreNotified,
      .observersAreNotifiedOfOtherBackend, .observersAreNotifiedOnce, .handlersSeeTheChange,
      .releasedObserversAreNotNotified, .storeReportsEachChangeOnce:
      break
    }
  }
}
