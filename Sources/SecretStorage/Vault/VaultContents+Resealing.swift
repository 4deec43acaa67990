extension VaultContents {
  /// Opens what the vault sealed for an item, without looking into it.
  func payload(of entry: VaultItem) throws(SecretStoreError) -> Secret {
    guard let table = keys.table else { throw keys.lockReason }
    let secret = entry.secret
    let key = try secret.recordKey(from: keys.key(of: secret), cipher)
    do {
      return try secret.open(of: entry.id, with: key, in: table.vaultID, cipher)
    } catch {
      guard case .corrupted = error else { throw error }
      throw .corrupted("The secret of the item \(entry.id.bytes) is not authentic")
    }
  }

  /// Seals what an item's secret holds under another key, of this vault or of another, without looking
  /// into it.
  ///
  /// The item's name and revision, and with them whatever refers to it, stay the same.
  func resealed(
    _ entry: VaultItem, under key: UInt32, _ secretKey: Secret, in vaultID: [UInt8]
  ) throws(SecretStoreError) -> SealedSecret {
    try entry.sealing(
      payload(of: entry), as: entry.id, revision: entry.secret.revision, under: key, secretKey,
      in: vaultID, cipher)
  }
}

extension VaultItem {
  /// Seals what was in the item's secret, for the item under a name and at a revision.
  func sealing(
    _ payload: Secret, as id: SecretItem.ID, revision: UInt64, under key: UInt32,
    _ secretKey: Secret, in vaultID: [UInt8], _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> SealedSecret {
    try SealedSecret.seal(
      payload, of: id, revision: revision, accessibility: secret.accessibility, under: key,
      secretKey, in: vaultID, cipher)
  }
}
