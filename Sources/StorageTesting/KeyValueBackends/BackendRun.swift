import KeyValueStorage

/// A run of one check on a new backend.
struct BackendRun: Sendable {
  let backend: any KeyValueBackend
  /// Another instance with the same content, or `backend` itself.
  let otherInstance: any KeyValueBackend
  /// The maximum time to wait for a notification; nil for no limit.
  let timeout: Duration?
  /// The maximum time to wait for another writer; a backend can add it to the current time.
  var lockTimeout: Duration { timeout ?? .seconds(100_000) }
  let notifiesOncePerChange: Bool
  let reopenAfterCrash: @Sendable (any KeyValueBackend) throws -> any KeyValueBackend
  let damage: (@Sendable (any KeyValueBackend) throws -> Void)?
  let findings: Findings

  func run(_ check: KeyValueBackendConformance.Check) async throws {
    switch check {
    case .valuesRoundTrip: try valuesRoundTrip()
    case .unusualKeysRoundTrip: try unusualKeysRoundTrip()
    case .updatesApplyInOrder: try updatesApplyInOrder()
    case .removedKeysAreGone: try removedKeysAreGone()
    case .revisionsTellChanges: try revisionsTellChanges()
    case .emptyUpdateWritesNothing: try await emptyUpdateWritesNothing()
    case .errorsArePassedOn: try await errorsArePassedOn()
    case .updatesAreDurable: try updatesAreDurable()
    case .concurrentUpdatesAreNotLost: try await concurrentUpdatesAreNotLost()
    case .observersAreNotified: try await observersAreNotified()
    case .notificationsFollowChanges: try await notificationsFollowChanges()
    case .changesAreNotifiedOnce: try await changesAreNotifiedOnce()
    case .releasedObserversAreNotNotified: try await releasedObserversAreNotNotified()
    case .onlyUnreadableContentsAreMovedAside: try onlyUnreadableContentsAreMovedAside()
    }
  }

  func expect(_ holds: Bool, _ operation: String, _ expectation: String) {
    findings.expect(holds, operation, expectation)
  }

  /// Updates an instance with the changes that a closure computes, and returns the new contents and
  /// the result.
  func update<Result>(
    _ instance: any KeyValueBackend,
    _ changes: (KeyValueContents) throws(KeyValueStoreError) -> (KeyValueChanges, Result)
  ) throws(KeyValueStoreError) -> (KeyValueContents, Result) {
    try instance.update(within: lockTimeout, changes)
  }

  /// Returns changes that set keys, or remove those whose value is nil.
  func changes(_ values: [String: String?]) throws(KeyValueStoreError) -> KeyValueChanges {
    var changes = KeyValueChanges()
    for (key, value) in values {
      changes.set(
        key, to: try value.flatMap { text throws(KeyValueStoreError) in try encode(text) })
    }
    return changes
  }

  /// Sets keys, or removes those whose value is nil, and returns the new contents.
  @discardableResult
  func set(
    _ values: [String: String?], in instance: (any KeyValueBackend)? = nil
  ) throws(KeyValueStoreError) -> KeyValueContents {
    let changes = try changes(values)
    return try update(instance ?? backend) { _ in (changes, ()) }.0
  }

  func encode(_ value: some Encodable) throws(KeyValueStoreError) -> EncodedValue? {
    try backend.format.encode(value)
  }

  /// Returns a decoded value; nil if there is none of the type.
  func value<Value: Decodable>(_ key: String, in contents: KeyValueContents) -> Value? {
    contents[key].flatMap { try? backend.format.decode($0) }
  }

  /// Expects contents to have exactly the given keys and values.
  func expect(
    _ expected: [String: String], in contents: KeyValueContents, _ operation: String
  ) {
    let hasValues = expected.allSatisfy { value($0.key, in: contents) == $0.value }
    expect(
      hasValues && contents.keys.count == expected.count, operation,
      "exactly the keys and values that were written")
  }

  /// Expects both instances to load exactly the given keys and values.
  func expectLoad(
    _ expected: [String: String], _ operation: String
  ) throws(KeyValueStoreError) {
    expect(expected, in: try backend.load(), "load() \(operation)")
    expect(expected, in: try otherInstance.load(), "load() \(operation), other instance")
  }
}
