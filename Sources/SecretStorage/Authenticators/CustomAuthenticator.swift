/// An authenticator of the app's own, such as its dialog or a fingerprint service.
///
/// ```swift
/// let authenticator = CustomAuthenticator(capabilities: .presence) { request in
///   guard await confirm(request.reason) else { throw .cancelled }
///   return .presence
/// }
/// ```
///
/// The store believes what the closure returns.
public struct CustomAuthenticator: Authenticator {
  /// What it can prove on this machine.
  public let capabilities: AuthenticationProofs
  private let currentSet: @Sendable () -> [UInt8]?
  private let ask:
    @Sendable (AuthenticationRequest) async throws(SecretStoreError) -> AuthenticationProofs

  /// Makes an authenticator of closures, which are called on any thread and at any time.
  ///
  /// - Parameters:
  ///   - capabilities: What the second closure can prove on this machine.
  ///   - enrolledSet: Identifies the fingerprints or faces that are enrolled now, in bytes that change
  ///     whenever one is added or removed; nil when it cannot tell.
  ///   - authenticate: Asks a person, and returns what they proved. It throws
  ///     ``SecretStoreError/denied(_:)`` when they did not prove it, and
  ///     ``SecretStoreError/cancelled`` when they gave up, or soon after its task was cancelled.
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

  /// What the app's closure says.
  public var enrolledSet: [UInt8]? { currentSet() }

  /// Calls the app's closure.
  ///
  /// - Throws: What the closure throws.
  public func authenticate(
    _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs {
    try await ask(request)
  }
}
