/// A way to ask a person to prove their identity.
///
/// Locket provides ``PAMAuthenticator``, ``PassphraseAuthenticator`` and ``CustomAuthenticator``.
public protocol Authenticator: Sendable {
  /// The proofs that the authenticator can obtain on this machine at present.
  ///
  /// A store refuses to keep an item that needs more than this.
  var capabilities: AuthenticationProofs { get }

  /// An identifier of the fingerprints or faces that are enrolled now; nil when the authenticator
  /// cannot tell.
  ///
  /// It changes whenever one is added or removed. Only its digest is stored.
  var enrolledSet: [UInt8]? { get }

  /// Asks a person, and returns the proofs given: at least one of those that the request accepts.
  ///
  /// It is not called on the main thread, may wait for the person, and returns soon after its task
  /// is cancelled.
  ///
  /// - Throws: ``SecretStoreError/denied(_:)`` without a proof, ``SecretStoreError/cancelled`` when
  ///   the person or the task gave up, or the error that kept it from asking.
  func authenticate(
    _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs
}

/// A request for a proof, with its reason.
public struct AuthenticationRequest: Hashable, Sendable {
  /// The reason shown to the person, in the words of the app.
  public let reason: String
  /// The accepted proofs; one of them is enough.
  public let accepted: AuthenticationProofs

  /// Makes a request.
  public init(reason: String, accepting accepted: AuthenticationProofs) {
    self.reason = reason
    self.accepted = accepted
  }
}

/// The ways in which a person can prove their identity.
public struct AuthenticationProofs: OptionSet, Hashable, Sendable {
  /// The ways as bits.
  public let rawValue: UInt8

  /// Makes a set of ways from its bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The person knows the passphrase of the store or the password of the login.
  public static let passcode = AuthenticationProofs(rawValue: 1 << 0)
  /// The person has an enrolled fingerprint or face.
  public static let biometry = AuthenticationProofs(rawValue: 1 << 1)
  /// The person is present, as the app determined.
  public static let presence = AuthenticationProofs(rawValue: 1 << 2)
  /// Any way.
  public static let any: AuthenticationProofs = [.passcode, .biometry, .presence]
}

/// An authenticator implemented by the app, such as a dialog or a fingerprint service.
///
/// ```swift
/// let authenticator = CustomAuthenticator(capabilities: .presence) { request in
///   guard await confirm(request.reason) else { throw .cancelled }
///   return .presence
/// }
/// ```
///
/// The store trusts the result of the closure.
public struct CustomAuthenticator: Authenticator {
  /// The proofs that the closure can obtain on this machine.
  public let capabilities: AuthenticationProofs
  private let currentSet: @Sendable () -> [UInt8]?
  private let ask:
    @Sendable (AuthenticationRequest) async throws(SecretStoreError) -> AuthenticationProofs

  /// Makes an authenticator from closures, which are called on any thread and at any time.
  ///
  /// - Parameters:
  ///   - capabilities: The proofs that `authenticate` can obtain on this machine.
  ///   - enrolledSet: Identifies the fingerprints or faces that are enrolled now, in bytes that
  ///     change whenever one is added or removed; nil when it cannot tell.
  ///   - authenticate: Asks a person, and returns the proofs given. It throws
  ///     ``SecretStoreError/denied(_:)`` without a proof, and ``SecretStoreError/cancelled`` when
  ///     the person gave up, or soon after its task is cancelled.
  public init(
    capabilities: AuthenticationProofs,
    enrolledSet: @escaping @Sendable () -> [UInt8]? = { nil },
    authenticate:
      @escaping @Sendable (AuthenticationRequest) async throws(SecretStoreError) ->
      AuthenticationProofs
  ) {
    self.capabilities = capabilities
    currentSet = enrolledSet
    ask = authenticate
  }

  /// The result of the app's closure.
  public var enrolledSet: [UInt8]? { currentSet() }

  /// Calls the app's closure.
  ///
  /// - Throws: The closure's error.
  public func authenticate(
    _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs {
    try await ask(request)
  }
}
