/// An authenticator that asks for the passphrase of a vault, as proof of a passcode.
///
/// It asks even if the vault is unlocked, and does not unlock the vault.
///
/// ```swift
/// let vault = SecretVault(fileURL: file, authenticator: PassphraseAuthenticator())
/// ```
public struct PassphraseAuthenticator: Authenticator {
  fileprivate var vault: SecretVault?
  private let attempts: Int
  private let conversation: any AuthenticationConversation

  /// Creates an authenticator for the passphrase of a vault.
  ///
  /// - Parameters:
  ///   - vault: The vault, which the authenticator retains; nil for the vault whose initializer
  ///     receives the authenticator. An ``AuthenticationContext`` needs one with a vault.
  ///   - attempts: The maximum number of attempts, at least one.
  ///   - conversation: The user interface that asks for the passphrase.
  public init(
    for vault: SecretVault? = nil, attempts: Int = 3,
    conversation: any AuthenticationConversation = .terminal
  ) {
    self.vault = vault
    self.attempts = max(attempts, 1)
    self.conversation = conversation
  }

  /// A passcode if the vault can be read and has a passphrase; otherwise nothing.
  public var capabilities: AuthenticationProofs {
    // Reading an item from the vault reports an error.
    (try? vault?.hasPassphrase) == true ? .passcode : []
  }

  /// Always nil, because nothing is enrolled.
  public var enrolledSet: [UInt8]? { nil }

  /// Asks for the passphrase until it is correct or no attempts are left.
  ///
  /// Each attempt takes as much time and memory as unlocking the vault.
  ///
  /// - Throws: ``SecretStoreError/denied(_:)`` after the last wrong passphrase, if the vault has no
  ///   passphrase, or if another proof is requested; ``SecretStoreError/cancelled``;
  ///   ``SecretStoreError/unavailable(_:)`` if the authenticator has no vault or the conversation
  ///   fails; or the error that prevented the vault from being read.
  public func authenticate(
    _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs {
    guard let vault else {
      throw .unavailable(
        """
        The PassphraseAuthenticator has no vault. Create it with init(for:), or pass it to the vault \
        whose passphrase it should ask for.
        """)
    }
    guard request.accepted.contains(.passcode) else {
      throw .denied("\(request.accepted) is needed, and a passphrase proves only a passcode")
    }
    guard try await withoutBlocking(vault.findsPassphrase) else {
      throw .denied("the vault has no passphrase")
    }
    try await conversation.show(.reason(request.reason))
    for attempt in 1...attempts {
      let passphrase = try await conversation.ask(.hidden("Passphrase: "))
      let isCorrect = try await withoutBlocking { () throws(SecretStoreError) in
        try vault.isPassphrase(passphrase)
      }
      if Task.isCancelled { throw .cancelled }
      if isCorrect { return .passcode }
      let advice = attempt == attempts ? "" : " Try again."
      try await conversation.show(.error("The passphrase is wrong.\(advice)"))
    }
    throw .denied("the passphrase was wrong\(attempts == 1 ? "" : " \(attempts) times")")
  }
}

extension SecretVault {
  /// The authenticator for an ``AuthenticationContext`` that has none.
  ///
  /// A ``PassphraseAuthenticator`` without a vault asks for the passphrase of this vault.
  public var authenticator: (any Authenticator)? {
    // Storing the bound authenticator would create a retain cycle.
    guard var bound = givenAuthenticator as? PassphraseAuthenticator else {
      return givenAuthenticator
    }
    bound.vault = bound.vault ?? self
    return bound
  }
}
