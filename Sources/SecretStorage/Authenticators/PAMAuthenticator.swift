import StorageInternals

/// Asks as a login does: by the system's Pluggable Authentication Modules (Linux-PAM).
///
/// ```swift
/// let authenticator = PAMAuthenticator(service: "login")
/// ```
///
/// The system's administrator says in the service's file what a login takes, such as a password or
/// a fingerprint, and what a success proves is no more than that. The authenticator takes it as
/// follows:
///
/// - If the person answered a hidden question, they proved ``AuthenticationProofs/passcode``.
/// - If nothing was asked, and the app says that the service reads fingerprints, they proved
///   ``AuthenticationProofs/biometry``.
/// - Otherwise they proved ``AuthenticationProofs/passcode``. So a service that permits everybody
///   without a question proves nothing: name one that asks.
///
/// The library `libpam.so.0` is opened at the first use. Its modules run in this process and with
/// its rights: without those of the superuser, most can check the password of this user alone. An
/// account without a password, or one that is expired, is denied.
///
/// An authentication whose task is cancelled ends at once, but a module that sleeps, as some do
/// after a wrong password, keeps a thread until it wakes up.
public struct PAMAuthenticator: Authenticator {
  private let service: PAMService
  private let user: String?
  private let hasFingerprintReader: Bool
  private let conversation: any AuthenticationConversation

  /// Makes an authenticator; the library is not opened yet, and nobody is asked.
  ///
  /// - Parameters:
  ///   - service: The name of a file in `/etc/pam.d` or `/usr/lib/pam.d`.
  ///   - user: The name of a login; nil means the user of this process.
  ///   - hasFingerprintReader: Whether the service reads fingerprints, or faces, by a module such as
  ///     `pam_fprintd`, so that a success without a question proves biometry.
  ///   - conversation: How messages and questions of the modules reach the person.
  public init(
    service: String = "login", user: String? = nil, hasFingerprintReader: Bool = false,
    conversation: any AuthenticationConversation = .terminal
  ) {
    self.init(
      service: PAMService(name: service, directory: nil), user: user,
      hasFingerprintReader: hasFingerprintReader, conversation: conversation)
  }

  init(
    service: PAMService, user: String? = nil, hasFingerprintReader: Bool = false,
    conversation: any AuthenticationConversation
  ) {
    self.service = service
    self.user = user
    self.hasFingerprintReader = hasFingerprintReader
    self.conversation = conversation
  }

  /// A passcode, and biometry where the app says so; nothing where there is no libpam or no such
  /// service.
  public var capabilities: AuthenticationProofs {
    if obstacle != nil { return [] }
    return hasFingerprintReader ? [.passcode, .biometry] : .passcode
  }

  /// Always nil: PAM does not tell which fingerprints are enrolled.
  public var enrolledSet: [UInt8]? { nil }

  /// Why nothing can be proved here; nil when something can.
  var obstacle: SecretStoreError? { service.obstacle }

  /// Has the service's modules ask the person, and returns what they proved.
  ///
  /// - Throws: ``SecretStoreError/denied(_:)`` with PAM's reason, or when what was proved is not
  ///   among what the request accepts; ``SecretStoreError/cancelled``;
  ///   ``SecretStoreError/missingLibrary(_:)``; ``SecretStoreError/unavailable(_:)`` when there is no
  ///   such service or user, a module is missing or fails, or nobody can be asked;
  ///   ``SecretStoreError/invalid(_:)`` for a name of a service or an answer that PAM cannot take.
  public func authenticate(
    _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs {
    if let obstacle { throw obstacle }
    guard let library = LibPAM.shared.known else { return [] }
    if request.accepted.isDisjoint(with: capabilities) {
      throw .denied("\(request.accepted) is asked for, and PAM proves \(capabilities)")
    }
    if Task.isCancelled { throw .cancelled }
    let user = if let user { user } else { try ProcessUser.name }
    let transaction = PAMTransaction()
    transaction.begin { [service] transaction throws(SecretStoreError) in
      try transaction.authenticate(user, by: service, library)
    }
    // Whatever ends this, no module asks on its own.
    defer { transaction.abandon() }
    var dialogue = PAMDialogue(request, conversation)
    while true {
      switch try await transaction.next() {
      case .messages(let messages):
        transaction.answer(try await dialogue.answers(to: messages))
      case .ended(let result):
        try result.get()
        return try dialogue.proofs(hasFingerprintReader: hasFingerprintReader)
      }
    }
  }
}
