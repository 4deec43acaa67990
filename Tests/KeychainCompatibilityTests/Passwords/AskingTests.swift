import Concurrency
import Dispatch
import FoundationEssentials
import KeychainCompatibility
import TestSupport
import Testing

/// Items that need a proof from a person.
struct AskingTests: DeprecatedUse {
  enum Fact: CaseIterable, Sendable {
    case declaredFlagsAreAskedForWhenLoading
    case whoGivesUpIsTold
  }

  struct Unmet: Error {
    let line: Int
  }

  private let directory: TemporaryDirectory
  private let questions = Lock(0)

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Runs on a thread that may wait, where an expectation would not know its test.
  @Test(arguments: Fact.allCases)
  func holds(_ fact: Fact) async throws {
    let result = await withCheckedContinuation { continuation in
      DispatchQueue(label: "may wait").async {
        continuation.resume(returning: Result { try check(fact) })
      }
    }
    try result.get()
  }

  private func require(_ isMet: Bool, line: Int = #line) throws {
    if !isMet { throw Unmet(line: line) }
  }

  private func vault(
    answering answer: @escaping @Sendable () throws(SecretStoreError) -> AuthenticationProofs
  ) -> SecretVault {
    let authenticator = CustomAuthenticator(capabilities: [.passcode, .biometry, .presence]) {
      [questions] _ throws(SecretStoreError) in
      questions.withLock { $0 += 1 }
      return try answer()
    }
    return SecretVault(
      fileURL: directory.url.appending(path: "secrets.vault"), stateDirectory: directory.url,
      authenticator: authenticator)
  }

  private var asked: Int { questions.withLock { $0 } }
}

@available(*, deprecated)
extension AskingTests {
  func verify(_ fact: Fact) throws {
    switch fact {
    case .declaredFlagsAreAskedForWhenLoading: try declaredFlagsAreAskedForWhenLoading()
    case .whoGivesUpIsTold: try whoGivesUpIsTold()
    }
  }

  private func declaredFlagsAreAskedForWhenLoading() throws {
    try SecretStores.withDefaultStore(vault { .biometry }) {
      @GenericPassword(
        service: "com.example.app",
        account: "peter@example.com",
        refreshPolicy: .manual,
        accessOption: kSecAttrAccessibleWhenUnlocked,
        accessFlags: [.biometryAny, .or, .devicePasscode]
      ) var data: [Int]?
      data = [1, 2]
      try _data.saveToKeychain()
      try require(asked == 0)

      @GenericPassword(service: "com.example.app", refreshPolicy: .manual) var other: [Int]?
      try _other.loadFromKeychain()
      try require(other == [1, 2] && asked == 1)
      try require(
        _other.accessControl
          == AccessControl(.whenUnlocked, flags: [.biometryAny, .or, .devicePasscode]))

      // A get does not ask.
      @GenericPassword(service: "com.example.app", defaultValue: []) var third: [Int]?
      try require(third == [] && asked == 1)
      let isDenied = if case .denied = _third.storeError { true } else { false }
      try require(isDenied)
      try _third.loadFromKeychain()
      try require(asked == 2)
    }
  }

  private func whoGivesUpIsTold() throws {
    try SecretStores.withDefaultStore(vault { () throws(SecretStoreError) in throw .cancelled }) {
      let password = GenericPassword<String>(service: "com.example.app", refreshPolicy: .manual)
      try password.modifyAccess(using: kSecAttrAccessibleWhenUnlocked, flags: .userPresence)
      password.wrappedValue = "The Valley Wind"
      try password.saveToKeychain()
      do {
        try password.loadFromKeychain()
        throw Unmet(line: #line)
      } catch KeychainError.osSecureUserCancelledAuthentication {
        // Expected.
      }
      try require(password.storeError == .cancelled && asked == 1)
      try require(password.wrappedValue == "The Valley Wind")
    }
  }
}
