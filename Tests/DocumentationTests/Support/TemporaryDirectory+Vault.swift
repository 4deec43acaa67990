import CipherSupport
import FoundationEssentials
import SecretStorage
import TestSupport

// A vault in the directory, suites with one each, and an authenticator that proves everything.
extension TemporaryDirectory {
  /// A vault in the directory, as a newly started process opens it, which stretches no passphrase.
  func vault(
    _ name: String = "secrets", authenticator: (any Authenticator)? = PAMAuthenticator()
  ) -> SecretVault {
    SecretVault(
      fileURL: url.appending(path: "\(name).vault"),
      stateDirectory: url.appending(path: "\(name) state"), authenticator: authenticator,
      cipher: TestCipher())
  }
}

/// A suite whose tests have a directory each.
class DirectoryTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }
}

extension CustomAuthenticator {
  /// A person who proves every requested factor.
  static var willing: CustomAuthenticator {
    CustomAuthenticator(capabilities: .any, enrolledSet: { [1] }) { $0.accepted }
  }
}
