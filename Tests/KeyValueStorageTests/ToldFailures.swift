import StorageInternals

@testable import KeyValueStorage

/// The failures that stores told instead of throwing, which are not printed meanwhile.
enum ToldFailures {
  private static let failures = Lock([KeyValueStoreError]())

  private static let recorded: Void = {
    KeyValueStore.onFailure = { error in failures.withLock { $0.append(error) } }
  }()

  /// Records from now on.
  static func record() { recorded }

  /// How often a failure was told.
  static func count(of error: KeyValueStoreError) -> Int {
    failures.withLock { $0.filter { $0 == error }.count }
  }
}
