import SecretStorage
import Synchronization

/// An authenticator that always succeeds with fixed proofs and counts its requests.
final class CountingAuthenticator: Authenticator {
  let capabilities: AuthenticationProofs
  private let count = Atomic(0)

  init(proving capabilities: AuthenticationProofs) {
    self.capabilities = capabilities
  }

  var requestCount: Int { count.load(ordering: .sequentiallyConsistent) }
  var enrolledSet: [UInt8]? { nil }

  func authenticate(
    _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs {
    count.add(1, ordering: .sequentiallyConsistent)
    return request.accepted.intersection(capabilities)
  }
}
