import CLibrary
import Concurrency
import StorageInternals

/// An authenticator that uses Pluggable Authentication Modules (Linux-PAM), like a login.
///
/// ```swift
/// let authenticator = PAMAuthenticator(service: "login")
/// ```
///
/// The service's file configures whether a login needs a password, a fingerprint or something else.
/// PAM reports only that a login succeeded, so one without a prompt counts as
/// ``AuthenticationProofs/biometry`` if `hasFingerprintReader` is true, and every other one as
/// ``AuthenticationProofs/passcode``. Therefore, do not use a service that accepts users without a
/// prompt. Accounts that have no password or have expired are denied.
///
/// The library `libpam.so.0` is loaded on first use. The modules run in this process; without
/// superuser privileges, most can check only the password of the process's own user. If the task is
/// cancelled, the authentication ends immediately, but a module that sleeps, as after a wrong
/// password, occupies a thread until it returns.
public struct PAMAuthenticator: Authenticator {
  var service: PAMService
  private let user: String?
  private let hasFingerprintReader: Bool
  private let conversation: any AuthenticationConversation

  /// Creates an authenticator, without loading the library yet.
  ///
  /// - Parameters:
  ///   - service: The name of the service, which is a file in `/etc/pam.d` or `/usr/lib/pam.d`.
  ///   - user: The login name of the user; nil for the user of this process.
  ///   - hasFingerprintReader: Whether the service reads fingerprints or faces, with a module such
  ///     as `pam_fprintd`, so that a login without a question proves biometry.
  ///   - conversation: The user interface for the messages and questions of the modules.
  public init(
    service: String = "login", user: String? = nil, hasFingerprintReader: Bool = false,
    conversation: any AuthenticationConversation = .terminal
  ) {
    self.service = PAMService(name: service, directory: nil)
    self.user = user
    self.hasFingerprintReader = hasFingerprintReader
    self.conversation = conversation
  }

  /// A passcode, and biometry with a fingerprint reader; nothing without libpam or the service.
  public var capabilities: AuthenticationProofs {
    if service.availabilityError != nil { return [] }
    return hasFingerprintReader ? [.passcode, .biometry] : .passcode
  }

  /// Always nil, because PAM does not report which fingerprints are enrolled.
  public var enrolledSet: [UInt8]? { nil }

  /// Authenticates the user with the modules of the service.
  ///
  /// - Throws: ``SecretStoreError/denied(_:)`` with PAM's reason, or if the request does not accept
  ///   the proof; ``SecretStoreError/cancelled``; ``SecretStoreError/missingLibrary(_:)``;
  ///   ``SecretStoreError/unavailable(_:)`` if the service or the user does not exist, a module is
  ///   missing or fails, or the conversation fails; ``SecretStoreError/invalid(_:)`` if PAM does
  ///   not support the name of the service or an answer.
  public func authenticate(
    _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs {
    if let error = service.availabilityError { throw error }
    guard let library = LibPAM.shared.createdValue else { return [] }
    if request.accepted.isDisjoint(with: capabilities) {
      throw .denied("\(request.accepted) is needed, and PAM proves only \(capabilities)")
    }
    if Task.isCancelled { throw .cancelled }
    let user = if let user { user } else { try ProcessUser.name }
    let transaction = PAMTransaction(user, by: service, library)
    // No module may ask questions after this method has returned.
    defer { transaction.abandon() }
    var hasShownReason = false
    var hasAsked = false
    for await event in transaction.events {
      switch event {
      case .messages(let messages):
        // Messages that are not questions have nil answers.
        var answers: [Secret?] = []
        for message in messages {
          if case .question(let question) = message, question.isHidden,
            !request.accepted.contains(.passcode)
          {
            // The user would enter a password in vain.
            throw .denied("\(request.accepted) is needed, and PAM asked for a password")
          }
          if !hasShownReason { try await conversation.show(.reason(request.reason)) }
          hasShownReason = true
          switch message {
          case .message(let message):
            try await conversation.show(message)
            answers.append(nil)
          case .question(let question):
            answers.append(try await conversation.ask(question))
            hasAsked = true
          }
        }
        transaction.answer(answers)
      case .ended(let result):
        try result.get()
        let proofs: AuthenticationProofs = hasFingerprintReader && !hasAsked ? .biometry : .passcode
        if request.accepted.isDisjoint(with: proofs) {
          throw .denied("\(request.accepted) is needed, and \(proofs) was proved")
        }
        return proofs
      }
    }
    throw .cancelled
  }
}

enum ProcessUser {
  /// Throws if there is none, as in some containers.
  static var name: String {
    get throws(SecretStoreError) {
      let user = getuid()
      var entry = unsafe passwd()
      var found: UnsafeMutablePointer<passwd>?
      // Larger entries are treated as missing.
      var buffer = [CChar](repeating: 0, count: 64 * 1024)
      // The entry refers to the buffer, so the name is copied inside the closure.
      let (code, name) = unsafe buffer.withUnsafeMutableBufferPointer { buffer in
        let code = unsafe getpwuid_r(user, &entry, buffer.baseAddress!, buffer.count, &found)
        return unsafe (code, found.map { unsafe String(cString: $0.pointee.pw_name) })
      }
      if let name { return name }
      throw .unavailable(
        """
        The user with ID \(user) has no name\(code == 0 ? "" : " (\(errorMessage(code)))"), so PAM \
        cannot authenticate them. Specify a user, or add this one to the system.
        """)
    }
  }
}
