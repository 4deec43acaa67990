import Concurrency
import SecretStorage
import StorageInternals

/// The failures of a property that were reported since its last success.
struct ReportedFailures: Sendable {
  private let failures = Lock([SecretStorageFailure]())

  /// Records a success, after which the same failures are reported again.
  func didSucceed() {
    SecretStores.didSucceed(after: failures.withLock { exchange(&$0, with: []) })
  }

  /// Reports a `SecretStoreError` as it is, but not the text of any other error, such as a coder's,
  /// which may contain the value.
  func report(_ operation: SecretStorageFailure.Operation, _ error: any Error, of type: Any.Type) {
    let refusal =
      error is EncodingError
      ? "JSON cannot represent this value of type \(type); the stored value is unchanged"
      : "JSON or the adapter refused a value of type \(type); the stored one is unchanged"
    let reason: SecretStoreError =
      operation == .write ? .invalid(refusal) : .undecodable("\(type)")
    let failure = SecretStorageFailure(operation, error as? SecretStoreError ?? reason)
    failures.withLock { _ = $0.addFailure(failure) }
    SecretStores.onFailure(failure)
  }
}
