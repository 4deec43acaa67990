extension SecretVault {
  /// The authenticator for an ``AuthenticationContext`` that has none.
  ///
  /// A ``PassphraseAuthenticator`` without a vault asks for the passphrase of this vault.
  public var authenticator: (any Authenticator)? {
    // Storing the bound authenticator would create a retain cycle.
    guard let unbound = givenAuthenticator as? PassphraseAuthenticator else {
      return givenAuthenticator
    }
    return unbound.bound(to: self)
  }

  /// Returns whether a passphrase is correct, without unlocking the vault.
  ///
  /// - Throws: ``SecretStoreError/locked`` if the slots cannot be verified without unlocking the
  ///   vault; or an error if the vault has no passphrase or cannot be read, or if a slot is damaged
  ///   and the passphrase opens no other one.
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
