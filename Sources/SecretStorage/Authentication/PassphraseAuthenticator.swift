import Concurrency

/// An authenticator for a vault's passphrase, which proves ``AuthenticationProofs/passcode``.
///
/// It asks even if the vault is unlocked, and unlocks nothing.
///
/// If the items of a vault need its own passphrase, give it an authenticator without a vault:
///
/// ```swift
/// let vault = SecretVault(fileURL: file, authenticator: PassphraseAuthenticator())
/// ```
///
/// For use with an ``AuthenticationContext``, name the vault with
/// ``init(for:attempts:conversation:)``.
public struct PassphraseAuthenticator: Authenticator {
  private var vault: SecretVault?
  private let attempts: Int
  private let conversation: any AuthenticationConversation

  /// Makes an authenticator for the passphrase of a vault, without asking yet.
  ///
  /// - Parameters:
  ///   - vault: The vault, which the authenticator retains.
  ///   - attempts: The number of attempts, at least one.
  ///   - conversation: The way the question reaches the person.
  public init(
    for vault: SecretVault, attempts: Int = 3,
    conversation: any AuthenticationConversation = .terminal
  ) {
    self.init(attempts: attempts, conversation: conversation)
    self.vault = vault
  }

  /// Makes an authenticator for the passphrase of the vault that it is assigned to.
  ///
  /// - Parameters:
  ///   - attempts: The number of attempts, at least one.
  ///   - conversation: The way the question reaches the person.
  public init(attempts: Int = 3, conversation: any AuthenticationConversation = .terminal) {
    self.attempts = max(attempts, 1)
    self.conversation = conversation
  }

  /// Returns a copy for a vault; an authenticator that has a vault keeps it.
  func bound(to vault: SecretVault) -> PassphraseAuthenticator {
    var copy = self
    copy.vault = self.vault ?? vault
    return copy
  }

  /// A passcode if the vault has a passphrase and can be read; otherwise nothing.
  public var capabilities: AuthenticationProofs {
    do {
      return try vault?.hasPassphrase == true ? .passcode : []
    } catch {
      // A caller that reads an item from the vault gets the error.
      return []
    }
  }

  /// Always nil, because nothing is enrolled.
  public var enrolledSet: [UInt8]? { nil }

  /// Asks for the passphrase until it is right or no attempt is left.
  ///
  /// Each attempt costs as much as unlocking: the time and memory that the slot specifies.
  ///
  /// - Throws: ``SecretStoreError/denied(_:)`` after the last wrong passphrase, or when the vault
  ///   has none or another proof is requested; ``SecretStoreError/cancelled``;
  ///   ``SecretStoreError/unavailable(_:)`` without a vault or without a way to ask; or the error
  ///   that keeps the vault from being read.
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
      try vault.findsPassphrase()
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

extension SecretVault {
  /// The authenticator that is used if an ``AuthenticationContext`` has none.
  ///
  /// A ``PassphraseAuthenticator`` without a vault asks for the passphrase of this one.
  public var authenticator: (any Authenticator)? {
    // Binding it once, permanently, would create a retain cycle.
    guard let unbound = givenAuthenticator as? PassphraseAuthenticator else {
      return givenAuthenticator
    }
    return unbound.bound(to: self)
  }

  /// Returns whether a passphrase opens the vault, without unlocking it.
  ///
  /// - Throws: ``SecretStoreError`` when the vault has no passphrase or cannot be read, or a slot
  ///   is damaged and no other opens; ``SecretStoreError/locked`` when only unlocking can tell
  ///   whether the slots belong to the vault.
  func isPassphrase(_ passphrase: Secret) throws(SecretStoreError) -> Bool {
    let keys = try read { contents throws(SecretStoreError) in contents.keys }
    guard let table = keys.table, table.hasPassphrase else {
      throw .invalid("The vault has no passphrase")
    }
    do {
      let user = try table.open(with: .passphrase(passphrase), cipher)
      try keys.confirm(user: user, cipher)
      return true
    } catch {
      if error == .wrongPassphrase { return false }
      throw error
    }
  }
}
