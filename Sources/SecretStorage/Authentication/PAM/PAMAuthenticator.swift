import Concurrency

/// An authenticator that asks as a login does, by Pluggable Authentication Modules (Linux-PAM).
///
/// ```swift
/// let authenticator = PAMAuthenticator(service: "login")
/// ```
///
/// The file of the service, written by the system's administrator, defines what a login needs, such
/// as a password or a fingerprint. A success proves no more than that. The authenticator infers:
///
/// - If the person answered a hidden question, they proved ``AuthenticationProofs/passcode``.
/// - If no question was asked, and the app says that the service reads fingerprints, they proved
///   ``AuthenticationProofs/biometry``.
/// - Otherwise they proved ``AuthenticationProofs/passcode``. A service that accepts every person
///   without a question therefore proves nothing; name one that asks.
///
/// The library `libpam.so.0` is opened at the first use. Its modules run in this process with its
/// rights. Without those of the superuser, most can check only the password of this user. An
/// account that has no password or is expired is denied.
///
/// An authentication whose task is cancelled ends at once. A module that sleeps, as some do after a
/// wrong password, keeps a thread until it wakes up.
public struct PAMAuthenticator: Authenticator {
  private let service: PAMService
  private let user: String?
  private let hasFingerprintReader: Bool
  private let conversation: any AuthenticationConversation

  /// Makes an authenticator, without opening the library or asking yet.
  ///
  /// - Parameters:
  ///   - service: The name of a file in `/etc/pam.d` or `/usr/lib/pam.d`.
  ///   - user: The name of a login; nil means the user of this process.
  ///   - hasFingerprintReader: Whether the service reads fingerprints or faces, by a module such as
  ///     `pam_fprintd`, so that a success without a question proves biometry.
  ///   - conversation: The way messages and questions of the modules reach the person.
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

  /// A passcode, and biometry if the app says so; nothing without libpam or without the service.
  public var capabilities: AuthenticationProofs {
    if obstacle != nil { return [] }
    return hasFingerprintReader ? [.passcode, .biometry] : .passcode
  }

  /// Always nil: PAM does not tell which fingerprints are enrolled.
  public var enrolledSet: [UInt8]? { nil }

  /// The reason that no proof can be obtained here; nil when one can.
  var obstacle: SecretStoreError? { service.obstacle }

  /// Lets the service's modules ask the person, and returns the proofs given.
  ///
  /// - Throws: ``SecretStoreError/denied(_:)`` with PAM's reason, or when the request does not
  ///   accept the proof; ``SecretStoreError/cancelled``; ``SecretStoreError/missingLibrary(_:)``;
  ///   ``SecretStoreError/unavailable(_:)`` when the service or user does not exist, a module is
  ///   missing or fails, or the question cannot be asked; ``SecretStoreError/invalid(_:)`` for a
  ///   service name or an answer that PAM cannot take.
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
    // However this ends, no module may ask afterwards.
    defer { transaction.abandon() }
    var dialogue = PAMDialogue(request: request, conversation: conversation)
    for await event in transaction.events {
      switch event {
      case .messages(let messages):
        transaction.answer(try await dialogue.answers(to: messages))
      case .ended(let result):
        try result.get()
        return try dialogue.proofs(hasFingerprintReader: hasFingerprintReader)
      }
    }
    throw .cancelled
  }
}

/// The dialogue so far between PAM's modules and a person, and the proofs that follow from it.
struct PAMDialogue {
  let request: AuthenticationRequest
  let conversation: any AuthenticationConversation
  var gaveReason = false
  var asked = false

  /// Shows and asks a module's messages; returns an answer for each question, nil for the others.
  mutating func answers(to messages: [PAMMessage]) async throws(SecretStoreError) -> [Secret?] {
    var answers: [Secret?] = []
    for message in messages {
      switch message {
      case .message(let message):
        try await giveReason()
        try await conversation.show(message)
        answers.append(nil)
      case .question(let question):
        if question.isHidden, !request.accepted.contains(.passcode) {
          // Do not ask for a password that proves the wrong thing.
          throw .denied("\(request.accepted) is asked for, and PAM asked for a password")
        }
        try await giveReason()
        answers.append(try await conversation.ask(question))
        asked = true
      }
    }
    return answers
  }

  private mutating func giveReason() async throws(SecretStoreError) {
    if gaveReason { return }
    gaveReason = true
    try await conversation.show(.reason(request.reason))
  }

  /// Returns the proofs that follow from the success of the modules.
  func proofs(hasFingerprintReader: Bool) throws(SecretStoreError) -> AuthenticationProofs {
    let proofs: AuthenticationProofs = hasFingerprintReader && !asked ? .biometry : .passcode
    if request.accepted.isDisjoint(with: proofs) {
      throw .denied("\(request.accepted) is asked for, and \(proofs) was proved")
    }
    return proofs
  }
}
