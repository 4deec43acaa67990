import Concurrency
import Dispatch
import SecretStorage

/// A person who proves every requested factor, or none; counts the questions.
final class AskedPerson: Sendable {
  private let count = Lock(0)
  private let refusal: SecretStoreError?

  init(refusal: SecretStoreError? = nil) { self.refusal = refusal }

  var questions: Int { count.withLock { $0 } }

  var authenticator: CustomAuthenticator {
    CustomAuthenticator(capabilities: .any) { [self] request throws(SecretStoreError) in
      count.withLock { $0 += 1 }
      if let refusal { throw refusal }
      return request.accepted
    }
  }
}

/// Runs a test on a thread that may block: it belongs to no task, and not to Swift's thread pool.
func onThread(_ test: @escaping @Sendable () throws -> Void) async throws {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue(label: "test").async { continuation.resume(with: Result(catching: test)) }
  }
}
