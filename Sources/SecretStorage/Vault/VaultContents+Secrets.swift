extension VaultContents {
  private static let cachedKeys = 1024

  /// Opens the secret of an item.
  mutating func open(_ entry: VaultItem) throws(SecretStoreError) -> Secret {
    let item = entry.item
    guard let table = keys.table else { throw keys.lockReason }
    guard item.attributes.accessControl.flags.isEmpty else {
      throw .denied("it asks for a proof that this version of Locket cannot check")
    }
    do {
      return try entry.secret.open(
        of: item.id, with: recordKey(of: entry), in: table.vaultID, cipher)
    } catch {
      guard case .corrupted = error else { throw error }
      throw .corrupted("The secret of the item \(item.id.bytes) is not authentic")
    }
  }

  private mutating func recordKey(of entry: VaultItem) throws(SecretStoreError) -> Secret {
    if let cached = recordKeys[entry.item.id], cached.revision == entry.secret.revision {
      return cached.key
    }
    let key = try entry.secret.recordKey(from: keys.key(of: entry.secret), cipher)
    if recordKeys.count >= Self.cachedKeys { recordKeys.removeAll(keepingCapacity: true) }
    recordKeys[entry.item.id] = (entry.secret.revision, key)
    return key
  }
}
