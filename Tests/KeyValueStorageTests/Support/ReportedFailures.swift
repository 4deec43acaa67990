import Concurrency
import TestSupport

@testable import KeyValueStorage

/// The failures that stores reported instead of throwing; they are not printed.
enum ReportedFailures {
  private static let failures = Lock([KeyValueStoreError]())

  private static let recorded: Void = {
    // The other handler must not replace this one later.
    ExpectedFailures.begin()
    KeyValueStore.onFailure = { error in failures.withLock { $0.append(error) } }
  }()

  static func record() { recorded }

  /// The number of times a failure was reported.
  static func count(of error: KeyValueStoreError) -> Int {
    failures.withLock { $0.filter { $0 == error }.count }
  }
}
