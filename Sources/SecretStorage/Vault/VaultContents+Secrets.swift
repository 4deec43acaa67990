extension VaultContents {
  private static let cachedKeys = 1024

  /// Opens what the vault sealed for an item: its secret, or where it has access flags, the payload of
  /// a ``ConstrainedSecret``.
  mutating func open(_ entry: VaultItem) throws(SecretStoreError) -> Secret {
    try open(entry, with: recordKey(of: entry))
  }

  /// Opens the same for an access by the app, unless a person has to prove something for it first.
  mutating func open(
    _ entry: VaultItem, for access: SecretAccess, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> Secret {
    // A vault that is locked says so before anybody is asked.
    let key = try recordKey(of: entry)
    let flags = entry.accessControl.flags
    if !flags.isEmpty { try access.check(AccessConstraints(flags), authorization) }
    return try open(entry, with: key)
  }

  func open(_ entry: VaultItem, with key: Secret) throws(SecretStoreError) -> Secret {
    guard let table = keys.table else { throw keys.lockReason }
    do {
      return try entry.secret.open(of: entry.id, with: key, in: table.vaultID, cipher)
    } catch {
      guard case .corrupted = error else { throw error }
      throw .corrupted("The secret of the item \(entry.id.bytes) is not authentic")
    }
  }

  private mutating func recordKey(of entry: VaultItem) throws(SecretStoreError) -> Secret {
    let secret = entry.secret
    if let cached = recordKeys[entry.id], cached.revision == secret.revision,
      cached.classKey == secret.key
    {
      return cached.key
    }
    let key = try secret.recordKey(from: keys.key(of: secret), cipher)
    if recordKeys.count >= Self.cachedKeys { recordKeys.removeAll(keepingCapacity: true) }
    recordKeys[entry.id] = (secret.revision, secret.key, key)
    return key
  }
}
