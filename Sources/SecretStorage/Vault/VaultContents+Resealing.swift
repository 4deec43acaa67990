extension VaultContents {
  /// Seals what an item's secret holds under another key, of this vault or of another, without looking
  /// into it.
  ///
  /// The item's name and revision, and with them whatever refers to it, stay the same.
  func resealed(
    _ entry: VaultItem, under key: UInt32, _ secretKey: Secret, in vaultID: [UInt8]
  ) throws(SecretStoreError) -> SealedSecret {
    guard let table = keys.table else { throw keys.lockReason }
    let secret = entry.secret
    let opened = try secret.open(
      of: entry.id, with: secret.recordKey(from: keys.key(of: secret), cipher), in: table.vaultID,
      cipher)
    return try SealedSecret.seal(
      opened, of: entry.id, revision: secret.revision, accessibility: secret.accessibility,
      under: key, secretKey, in: vaultID, cipher)
  }
}
