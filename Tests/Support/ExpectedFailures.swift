import KeyValueStorage
import SecretStorage
package import Testing

/// A trait that keeps the failures that tests cause on purpose off standard error.
///
/// The handlers belong to the process and tests run in parallel, so the handlers stay for the rest
/// of the process. A test of the handlers themselves runs in a process of its own.
package struct ExpectedFailures: SuiteTrait, TestTrait {
  private static let handlers: Void = {
    KeyValueStore.onFailure = { _ in }
    SecretStores.onFailure = { _ in }
  }()

  /// Sets the handlers; only the first call has an effect.
  package static func begin() { handlers }

  package func prepare(for test: Test) async throws { Self.begin() }
}

extension Trait where Self == ExpectedFailures {
  /// Marks a test or suite that causes failures without a throwing call.
  package static var expectsFailures: Self { ExpectedFailures() }
}
