// Key tables are tagged under link keys, so that a reader without the user key can check that a
// table continues a generation that it knows.
extension KeyRing {
  /// Returns the link keys of a table, with the key of its own generation last.
  func linkKeys(
    of table: KeyTable, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> [TableKey] {
    let earlier = table.keys.filter { $0.purpose == .earlierTables }.compactMap { self[$0] }
    return earlier + [try linkKey(of: table, cipher)].compactMap(\.self)
  }

  /// Returns the link key of a table's own generation; nil if no key in memory opens it.
  func linkKey(
    of table: KeyTable, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> TableKey? {
    guard let key = table.key(for: .alwaysAttributes).flatMap({ self[$0] }) else { return nil }
    return TableKey(
      id: key.id,
      secret: try cipher.deriveKey(
        from: key.secret, salt: table.vaultID[...], purpose: "locket continuity"))
  }

  /// Returns whether a table belongs to the generation with a fingerprint or continues it.
  func isContinuation(
    _ read: KeyTableRecord, of fingerprint: [UInt8], _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Bool {
    let sealer = read.table.sealer(cipher)
    for link in try linkKeys(of: read.table, cipher)
    where try link.fingerprint(by: sealer) == fingerprint {
      return try read.isLinked(to: link, cipher)
    }
    return false
  }

  /// Returns whether a user key opens a table's keys that are in memory; nil if there are none.
  func matches(
    user: Secret, on table: KeyTable, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Bool? {
    var found: Bool?
    for key in table.keys {
      guard let known = self[key.id, for: key.purpose] else { continue }
      for copy in key.copies where copy.wrapping == .user {
        guard try key.open(copy, with: user, by: table.sealer(cipher)) == known else {
          return false
        }
        found = true
      }
    }
    return found
  }
}
