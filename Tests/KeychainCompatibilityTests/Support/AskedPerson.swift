import Concurrency
import SecretStorage

/// A person who proves every requested factor, or none; counts the questions.
final class AskedPerson: Sendable {
  private let count = Lock(0)
  private let proves: Bool

  init(proves: Bool = true) {
    self.proves = proves
  }

  var questions: Int { count.withLock { $0 } }

  var authenticator: CustomAuthenticator {
    CustomAuthenticator(capabilities: .any) { [self] request throws(SecretStoreError) in
      count.withLock { $0 += 1 }
      if !proves { throw .denied("nobody is there") }
      return request.accepted
    }
  }
}
