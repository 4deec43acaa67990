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
  ///   - enrolledSet: Returns bytes that identify the currently enrolled fingerprints or faces, and
  ///     change whenever one is enrolled or removed; nil if that is unknown.
  ///   - authenticate: Authenticates the user, and returns the proofs. It throws
  ///     ``SecretStoreError/denied(_:)`` if no proof was given, and ``SecretStoreError/cancelled``
  ///     if the user cancelled or soon after its task is cancelled.
  public init(
    capabilities: AuthenticationProofs,
    enrolledSet: @escaping @Sendable () -> [UInt8]? = { nil },
    authenticate:
      @escaping @Sendable (AuthenticationRequest) async throws(SecretStoreError) ->
      AuthenticationProofs
  ) {
    self.capabilities = capabilities
    currentEnrolledSet = enrolledSet
    performAuthentication = authenticate
  }

  /// The result of the closure passed to the initialiser.
  public var enrolledSet: [UInt8]? { currentEnrolledSet() }

  /// Calls the closure passed to the initialiser.
  ///
  /// - Throws: The closure's error.
  public func authenticate(
    _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs {
    try await performAuthentication(request)
  }
}
