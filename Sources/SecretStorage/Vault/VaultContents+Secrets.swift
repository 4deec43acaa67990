extension VaultContents {
  private static let cachedKeys = 1024

  /// Opens the secret of an item.
  mutating func open(_ entry: VaultItem) throws(SecretStoreError) -> Secret {
    guard let table = keys.table else { throw keys.lockReason }
    guard entry.accessControl.flags.isEmpty else {
      throw .denied("it asks for a proof that this version of Locket cannot check")
    }
    do {
      return try entry.secret.open(
        of: entry.id, with: recordKey(of: entry), in: table.vaultID, cipher)
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
