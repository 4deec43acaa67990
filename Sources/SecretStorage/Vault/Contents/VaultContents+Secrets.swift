// The opening of secrets.
extension VaultContents {
  private static let maximumCachedKeys = 1024

  /// Opens an item's payload: its secret, or with access flags, an encoded ``ConstrainedSecret``.
  mutating func open(_ item: VaultItem) throws(SecretStoreError) -> Secret {
    try open(item, with: recordKey(of: item))
  }

  /// Opens an item's payload for the app, after checking the proofs that its access flags require.
  mutating func open(
    _ item: VaultItem, for access: SecretAccess, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> Secret {
    // A locked vault throws before the user is asked for a proof.
    let key = try recordKey(of: item)
    let flags = item.accessControl.flags
    if !flags.isEmpty { try access.check(AccessConstraints(flags), authorization) }
    return try open(item, with: key)
  }

  func open(_ item: VaultItem, with key: Secret) throws(SecretStoreError) -> Secret {
    do {
      return try item.secret.open(of: item.id, with: key, by: keys.sealer(cipher))
    } catch {
      guard case .corrupted = error else { throw error }
      throw .corrupted("The secret of item \(item.id.uuid) is not authentic")
    }
  }

  private mutating func recordKey(of item: VaultItem) throws(SecretStoreError) -> Secret {
    let secret = item.secret
    // The revision does not suffice: branches of a vault use the same one for different secrets.
    if let cached = recordKeys[item.id], cached.classKey == secret.key,
      cached.salt[...] == secret.salt
    {
      return cached.key
    }
    let key = try secret.recordKey(from: keys.key(of: secret), cipher).wipedByForking
    if recordKeys.count >= Self.maximumCachedKeys { recordKeys.removeAll(keepingCapacity: true) }
    recordKeys[item.id] = (Array(secret.salt), secret.key, key)
    return key
  }
}
