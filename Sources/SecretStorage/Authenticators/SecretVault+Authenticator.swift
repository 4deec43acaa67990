extension SecretVault {
  /// Who asks a person for what an item needs, where an ``AuthenticationContext`` names nobody.
  ///
  /// A ``PassphraseAuthenticator`` that names no vault asks for the passphrase of this one.
  public var authenticator: (any Authenticator)? {
    // It is bound for whoever asks and not for good, or the two would keep each other for ever.
    guard let unbound = givenAuthenticator as? PassphraseAuthenticator else {
      return givenAuthenticator
    }
    return unbound.bound(to: self)
  }

  /// Whether a passphrase opens the vault; nothing is unlocked.
  ///
  /// - Throws: ``SecretStoreError`` when the vault has no passphrase or cannot be read, or a slot is
  ///   damaged and no other opens.
  func isPassphrase(_ passphrase: Secret) throws(SecretStoreError) -> Bool {
    let table = try withContents { contents throws(SecretStoreError) in contents.keys.table }
    guard let table, table.hasPassphrase else { throw .invalid("The vault has no passphrase") }
    do {
      _ = try table.open(with: .passphrase(passphrase), cipher)
      return true
    } catch {
      if error == .wrongPassphrase { return false }
      throw error
    }
  }
}
