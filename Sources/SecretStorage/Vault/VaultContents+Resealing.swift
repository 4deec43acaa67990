extension VaultContents {
  /// The items whose secrets are under a key that has a successor.
  var itemsUnderOldKeys: [VaultItem] {
    guard let table = keys.table, table.hasOldKeys else { return [] }
    return index.items.filter { $0.isUnderOldKey(of: table) }
  }

  /// An item with its secret under the newest key of its class, all else as it was.
  func renewed(_ entry: VaultItem) throws(SecretStoreError) -> VaultItem {
    guard let table = keys.table else { throw keys.lockReason }
    let (id, key) = try keys.secretKey(for: entry.secret.accessibility)
    let secret = try resealed(entry, under: id, key, in: table.vaultID)
    return VaultItem(item: entry.item, secret: secret, unknown: entry.unknown)
  }

  /// Opens what the vault sealed for an item, without looking into it.
  func payload(of entry: VaultItem) throws(SecretStoreError) -> Secret {
    try open(entry, with: entry.secret.recordKey(from: keys.key(of: entry.secret), cipher))
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
      payload, of: id, revision: revision, accessibility: secret.accessibility,
      flags: secret.flags, under: key, secretKey, in: vaultID, cipher)
  }
}

extension VaultItem {
  /// Whether the secret is under another key than a new one would be.
  func isUnderOldKey(of table: KeyTable) -> Bool {
    let secret = secret
    return table.key(for: .secrets(secret.accessibility))?.id != secret.key
  }
}

extension KeyTable {
  /// Whether a purpose has more keys than that for what is new, as during a rotation.
  var hasOldKeys: Bool { Set(keys.map(\.purpose)).count < keys.count }
}
