import KeyValueStorage
import SecretStorage
package import Testing

/// Keeps the failures that tests cause on purpose from standard error.
///
/// The handlers belong to the process and tests run in parallel, so that the handlers stay for the
/// rest of the process. A test of the handlers themselves runs in a process of its own.
package struct ExpectedFailures: SuiteTrait, TestTrait {
  private static let handlers: Void = {
    KeyValueStore.onFailure = { _ in }
    SecretStorage.onFailure = { _ in }
  }()

  /// Sets the handlers; calls after the first one leave them as they are.
  package static func begin() { handlers }

  package func prepare(for test: Test) async throws { Self.begin() }
}

extension Trait where Self == ExpectedFailures {
  /// Marks a test or suite that causes failures which no call throws.
  package static var expectsFailures: Self { ExpectedFailures() }
}
