import Concurrency
import Testing

@testable import SecretStorage

struct CustomAuthenticatorTests {
  @Test func closuresAreCalled() async {
    let sets = Lock<[UInt8]?>([1])
    let requests = Lock<[AuthenticationRequest]>([])
    let authenticator = CustomAuthenticator(
      capabilities: [.biometry, .presence], enrolledSet: { sets.withLock { $0 } }
    ) { request throws(SecretStoreError) in
      requests.withLock { $0.append(request) }
      if request.accepted == .presence { throw .denied("nobody is there") }
      return .biometry
    }
    #expect(authenticator.capabilities == [.biometry, .presence])
    #expect(authenticator.enrolledSet == [1])
    sets.withLock { $0 = nil }
    #expect(authenticator.enrolledSet == nil)
    #expect(await authenticator.outcome() == .success(.biometry))
    #expect(
      await authenticator.outcome(accepting: .presence) == .failure(.denied("nobody is there")))
    #expect(
      requests.withLock { $0 } == [
        AuthenticationRequest(reason: "Because", accepting: .any),
        AuthenticationRequest(reason: "Because", accepting: .presence),
      ])
  }

  @Test func enrolledSetIsNilByDefault() {
    let authenticator = CustomAuthenticator(capabilities: .presence) { _ in .presence }
    #expect(authenticator.enrolledSet == nil)
  }
}
