/// A type that authenticates the user.
///
/// Locket provides ``PAMAuthenticator``, ``PassphraseAuthenticator`` and ``CustomAuthenticator``.
public protocol Authenticator: Sendable {
  /// The proofs that the authenticator can obtain now; a store rejects items that need others.
  var capabilities: AuthenticationProofs { get }

  /// An identifier of the enrolled fingerprints or faces, which changes with them; nil if they are
  /// unknown. Stores save only its digest.
  var enrolledSet: [UInt8]? { get }

  /// Authenticates the user, and returns the proofs: at least one that the request accepts.
  ///
  /// This method is not called on the main thread and may wait for the user.
  ///
  /// - Throws: ``SecretStoreError/denied(_:)`` if no proof was given;
  ///   ``SecretStoreError/cancelled`` if the user cancelled, or soon after the task was cancelled;
  ///   or another error if the user cannot be authenticated.
  func authenticate(
    _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs
}

/// A request for a proof.
public struct AuthenticationRequest: Hashable, Sendable {
  /// The reason to show to the user.
  public let reason: String
  /// The accepted proofs, one of which is sufficient.
  public let accepted: AuthenticationProofs

  /// Creates a request.
  public init(reason: String, accepting accepted: AuthenticationProofs) {
    self.reason = reason
    self.accepted = accepted
  }
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
/// Stores trust the result of the closure.
public struct CustomAuthenticator: Authenticator {
  /// The proofs that the closure can obtain on this machine.
  public let capabilities: AuthenticationProofs
  private let currentEnrolledSet: @Sendable () -> [UInt8]?
  private let performAuthentication:
    @Sendable (AuthenticationRequest) async throws(SecretStoreError) -> AuthenticationProofs

  /// Creates an authenticator from closures, which may be called on any thread and at any time.
  ///
  /// - Parameters:
  ///   - capabilities: The proofs that `authenticate` can obtain on this machine.
  ///   - enrolledSet: A closure that implements ``Authenticator/enrolledSet``.
  ///   - authenticate: A closure that implements ``Authenticator/authenticate(_:)``, with the same
  ///     errors.
  public init(
    capabilities: AuthenticationProofs, enrolledSet: @escaping @Sendable () -> [UInt8]? = { nil },
    authenticate:
      @escaping @Sendable (AuthenticationRequest) async throws(SecretStoreError) ->
      AuthenticationProofs
  ) {
    self.capabilities = capabilities
    currentEnrolledSet = enrolledSet
    performAuthentication = authenticate
  }

  /// The result of the closure.
  public var enrolledSet: [UInt8]? { currentEnrolledSet() }

  /// Calls the closure, and throws its error.
  public func authenticate(
    _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs {
    try await performAuthentication(request)
  }
}
