import SecretStorage
import Synchronization

/// A person who can prove some things, and counts how often they are asked.
final class Person: Authenticator {
  let capabilities: AuthenticationProofs
  private let count = Atomic(0)

  init(proving capabilities: AuthenticationProofs) {
    self.capabilities = capabilities
  }

  var questions: Int { count.load(ordering: .sequentiallyConsistent) }
  var enrolledSet: [UInt8]? { nil }

  func authenticate(
    _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs {
    count.add(1, ordering: .sequentiallyConsistent)
    return request.accepted.intersection(capabilities)
  }
}
