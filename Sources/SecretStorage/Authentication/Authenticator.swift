/// A type that can prove the identity of the user.
///
/// Locket provides ``PAMAuthenticator``, ``PassphraseAuthenticator`` and ``CustomAuthenticator``.
public protocol Authenticator: Sendable {
  /// The proofs that the authenticator can currently obtain on this machine.
  ///
  /// A store does not accept items that need other proofs.
  var capabilities: AuthenticationProofs { get }

  /// An identifier of the currently enrolled fingerprints or faces; nil if it is unknown.
  ///
  /// It changes whenever one is enrolled or removed. Stores keep only its digest.
  var enrolledSet: [UInt8]? { get }

  /// Authenticates the user, and returns the proofs: at least one that the request accepts.
  ///
  /// This method is not called on the main thread and may wait for the user. It returns soon after
  /// its task is cancelled.
  ///
  /// - Throws: ``SecretStoreError/denied(_:)`` if no proof was given,
  ///   ``SecretStoreError/cancelled`` if the user or the task cancelled, or the error that
  ///   prevented the authentication.
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
