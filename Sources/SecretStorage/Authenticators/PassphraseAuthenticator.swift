/// Asks for the passphrase of a vault, which proves ``AuthenticationProofs/passcode``.
///
/// It asks whether or not the vault is unlocked, and unlocks nothing.
///
/// A vault whose items need its own passphrase has one that names no vault:
///
/// ```swift
/// let vault = SecretVault(fileURL: file, authenticator: PassphraseAuthenticator())
/// ```
///
/// Used with an ``AuthenticationContext``, one must say which vault's passphrase it asks for, with
/// ``init(for:attempts:conversation:)``.
public struct PassphraseAuthenticator: Authenticator {
  private let vault: SecretVault?
  private let attempts: Int
  private let conversation: any AuthenticationConversation

  /// Makes an authenticator for the passphrase of a vault; nobody is asked yet.
  ///
  /// - Parameters:
  ///   - vault: The vault, which the authenticator keeps.
  ///   - attempts: How often the person may try, at least once.
  ///   - conversation: How the question reaches the person.
  public init(
    for vault: SecretVault, attempts: Int = 3,
    conversation: any AuthenticationConversation = .terminal
  ) {
    self.init(vault, attempts, conversation)
  }

  /// Makes an authenticator for the passphrase of the vault that it is given to.
  ///
  /// - Parameters:
  ///   - attempts: How often the person may try, at least once.
  ///   - conversation: How the question reaches the person.
  public init(attempts: Int = 3, conversation: any AuthenticationConversation = .terminal) {
    self.init(nil, attempts, conversation)
  }

  private init(
    _ vault: SecretVault?, _ attempts: Int, _ conversation: any AuthenticationConversation
  ) {
    self.vault = vault
    self.attempts = max(attempts, 1)
    self.conversation = conversation
  }

  /// The same for a vault, unless it is for one already.
  func bound(to vault: SecretVault) -> PassphraseAuthenticator {
    PassphraseAuthenticator(self.vault ?? vault, attempts, conversation)
  }

  /// A passcode, as long as the vault has a passphrase and can be read.
  public var capabilities: AuthenticationProofs {
    do {
      return try vault?.hasPassphrase == true ? .passcode : []
    } catch {
      // Whoever asks the vault for an item is told why.
      return []
    }
  }

  /// Always nil: nothing is enrolled.
  public var enrolledSet: [UInt8]? { nil }

  /// Asks for the passphrase until it is right, as often as the person may try.
  ///
  /// Each attempt takes what unlocking takes: as much time and memory as the slot says.
  ///
  /// - Throws: ``SecretStoreError/denied(_:)`` after the last wrong passphrase, or when the vault has
  ///   none or another proof is asked for; ``SecretStoreError/cancelled``;
  ///   ``SecretStoreError/unavailable(_:)`` without a vault or when nobody can be asked; or what
  ///   keeps the vault from being read.
  public func authenticate(
    _ request: AuthenticationRequest
  ) async throws(SecretStoreError) -> AuthenticationProofs {
    guard let vault else {
      throw .unavailable(
        """
        A PassphraseAuthenticator that names no vault asks for the passphrase of the one that it is \
        given to. Name the vault here.
        """)
    }
    guard request.accepted.contains(.passcode) else {
      throw .denied("\(request.accepted) is asked for, and a passphrase proves a passcode")
    }
    let hasPassphrase = try await withoutBlocking { () throws(SecretStoreError) in
      try vault.hasPassphrase
    }
    guard hasPassphrase else {
      throw .denied("the vault has no passphrase that could be asked for")
    }
    try await conversation.show(.reason(request.reason))
    for attempt in 1...attempts {
      let passphrase = try await conversation.ask(.hidden("Passphrase: "))
      let isRight = try await withoutBlocking { () throws(SecretStoreError) in
        try vault.isPassphrase(passphrase)
      }
      if Task.isCancelled { throw .cancelled }
      if isRight { return .passcode }
      let last = attempt == attempts
      try await conversation.show(.error("The passphrase is wrong.\(last ? "" : " Try again.")"))
    }
    throw .denied("the passphrase was wrong\(attempts == 1 ? "" : " \(attempts) times")")
  }
}
