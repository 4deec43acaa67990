/// Asks a person to prove who they are.
///
/// Locket brings ``PAMAuthenticator``, ``PassphraseAuthenticator`` and ``CustomAuthenticator``.
public protocol Authenticator: Sendable {
  /// What it can prove on this machine as it is now.
  ///
  /// A store refuses to keep an item that needs more than this.
  var capabilities: AuthenticationProofs { get }

  /// Identifies the fingerprints or faces that are enrolled now, whoever made the list; nil when the
  /// authenticator cannot tell.
  ///
  /// It changes whenever one is added or removed. Only its digest is stored.
  var enrolledSet: [UInt8]? { get }

  /// Asks a person, and returns what they proved: at least one of what the request accepts.
  ///
  /// It is not called on the main thread, may take as long as people do, and ends soon after its task
  /// was cancelled.
  ///
  /// - Throws: ``SecretStoreError/denied(_:)`` when the person did not prove it,
  ///   ``SecretStoreError/cancelled`` when they or the task gave up, or what kept it from asking.
  func authenticate(
    _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs
}

/// What a person is asked for, and why.
public struct AuthenticationRequest: Hashable, Sendable {
  /// Why, in the words of the app, for the person to read.
  public let reason: String
  /// What will do; one of these is enough.
  public let accepted: AuthenticationProofs

  /// Puts a request together.
  public init(reason: String, accepting accepted: AuthenticationProofs) {
    self.reason = reason
    self.accepted = accepted
  }
}

/// Ways in which a person can prove who they are.
public struct AuthenticationProofs: OptionSet, Hashable, Sendable {
  /// The ways as bits.
  public let rawValue: UInt8

  /// Makes a set of ways of its bits.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The person knows the passphrase of the store or the password of the login.
  public static let passcode = AuthenticationProofs(rawValue: 1 << 0)
  /// The person has an enrolled fingerprint or face.
  public static let biometry = AuthenticationProofs(rawValue: 1 << 1)
  /// The person is there, however the app found that out.
  public static let presence = AuthenticationProofs(rawValue: 1 << 2)
  /// Any way.
  public static let any: AuthenticationProofs = [.passcode, .biometry, .presence]
}
