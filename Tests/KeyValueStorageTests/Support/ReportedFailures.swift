import Concurrency

@testable import KeyValueStorage

/// The failures that stores reported instead of throwing; they are not printed.
enum ReportedFailures {
  private static let failures = Lock([KeyValueStoreError]())

  private static let recorded: Void = {
    KeyValueStore.onFailure = { error in failures.withLock { $0.append(error) } }
  }()

  /// Starts recording.
  static func record() { recorded }

  /// The failures that concern the content of a file, in order.
  static func about(_ file: TestFile) -> [KeyValueStoreError] {
    failures.withLock { failures in
      failures.filter { failure in
        switch failure {
        case .undecodable(let value): value.store == file.path
        case .unreadable(let unreadable): unreadable.path == file.path
        case .empty(let path): path == file.path
        default: false
        }
      }
    }
  }

  /// The number of times a failure was reported.
  static func count(of error: KeyValueStoreError) -> Int {
    failures.withLock { $0.filter { $0 == error }.count }
  }
}
