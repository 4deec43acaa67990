import Concurrency

@testable import SecretStorage

/// A person with scripted answers, and their authenticator.
final class TestPerson: Authenticator {
  private struct State {
    var capabilities: AuthenticationProofs
    var enrolledSet: [UInt8]?
    var questions: [AuthenticationRequest] = []
    var isBeingAsked = false
  }

  typealias Answer =
    @Sendable (AuthenticationRequest) async throws(SecretStoreError) -> AuthenticationProofs

  private let state: Lock<State>
  private let answer: Answer

  /// Makes a person who has some proofs and, by default, gives them.
  init(
    _ capabilities: AuthenticationProofs = .any, enrolledSet: [UInt8]? = nil,
    answer: @escaping Answer = { $0.accepted }
  ) {
    state = Lock(State(capabilities: capabilities, enrolledSet: enrolledSet))
    self.answer = answer
  }

  var questions: [AuthenticationRequest] { state.withLock { $0.questions } }
  var isBeingAsked: Bool { state.withLock { $0.isBeingAsked } }

  var capabilities: AuthenticationProofs {
    get { state.withLock { $0.capabilities } }
    set { state.withLock { $0.capabilities = newValue } }
  }

  var enrolledSet: [UInt8]? {
    get { state.withLock { $0.enrolledSet } }
    set { state.withLock { $0.enrolledSet = newValue } }
  }

  func authenticate(
    _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs {
    let wasBeingAsked = state.withLock { state in
      state.questions.append(request)
      defer { state.isBeingAsked = true }
      return state.isBeingAsked
    }
    if wasBeingAsked { throw .unavailable("Two questions were put at the same time") }
    defer { state.withLock { $0.isBeingAsked = false } }
    return try await answer(request)
  }

  @Sendable static func neverAnswers(
    _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs {
    try await waitForCancellation()
  }
}

func waitForCancellation() async throws(SecretStoreError) -> Never {
  while true {
    do { try await Task.sleep(for: .seconds(100_000)) } catch { throw .cancelled }
  }
}

extension AuthenticationContext {
  /// A context with a cheap key derivation for application passwords.
  convenience init(
    _ person: TestPerson? = nil, password: String? = nil, new: String? = nil,
    reuse: Duration = .zero
  ) {
    self.init(
      reason: "test", authenticator: person, applicationPassword: password.map { Secret($0.utf8) },
      newApplicationPassword: new.map { Secret($0.utf8) }, applicationPasswordCost: .cheap,
      reuse: reuse)
  }
}

extension SecretVault {
  /// Adds an item of the service `campaign` with access flags.
  @discardableResult
  func add(
    _ value: String, account: String, _ flags: AccessFlags, by context: AuthenticationContext
  ) throws(SecretStoreError) -> SecretItem {
    try add(
      Secret(value.utf8), identity: .generic(service: "campaign", account: account),
      attributes: ItemAttributes(accessControl: AccessControl(flags: flags)),
      authorizedBy: context.authorization(with: authenticator))
  }

  /// Returns the secret of an item, after authorization.
  func text(of item: SecretItem, by context: AuthenticationContext) async throws -> String? {
    let authorization = try await context.authorize(
      item.attributes.accessControl, with: authenticator)
    return try secret(of: item.id, authorizedBy: authorization)?.secret.text
  }
}
