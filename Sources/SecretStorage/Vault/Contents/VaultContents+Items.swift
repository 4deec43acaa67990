// The search for one item, and the opening of its secret.
extension VaultContents {
  func certainItem(_ id: SecretItem.ID) throws(SecretStoreError) -> VaultItem? {
    try checkCertain(id)
    if let item = index[id] { return item }
    try checkNoneHidden()
    return nil
  }

  func checkCertain(_ id: SecretItem.ID) throws(SecretStoreError) {
    guard let place = damage[id] else { return }
    throw .corrupted(
      "The newest state of item \(id.uuid) may have been at \(place), which is damaged")
  }

  func checkNoneHidden() throws(SecretStoreError) {
    if mayHaveMore { throw keys.lockReason }
    if let place = damage.hiddenItemsPlace {
      throw .corrupted("The vault is damaged at \(place) and may have contained more items")
    }
  }

  /// Returns an item; nil if it does not exist; throws `conflict` if it has another revision.
  func item(
    _ id: SecretItem.ID, expecting revision: UInt64
  ) throws(SecretStoreError) -> VaultItem? {
    guard let item = index[id] else {
      if mayHaveMore { throw keys.lockReason }
      return nil
    }
    guard item.revision == revision else { throw .conflict }
    return item
  }

  /// Opens an item's payload: its secret, or with access flags, an encoded ``ConstrainedSecret``.
  mutating func open(_ item: VaultItem) throws(SecretStoreError) -> Secret {
    try open(item, with: keys.recordKey(of: item, cipher))
  }

  /// Opens an item's payload for the app, after checking the proofs that its access flags require.
  mutating func open(
    _ item: VaultItem, for access: SecretAccess, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> Secret {
    // A locked vault throws before the user is asked for a proof.
    let key = try keys.recordKey(of: item, cipher)
    let flags = item.accessControl.flags
    if !flags.isEmpty { try access.check(AccessConstraints(flags), authorization) }
    let payload = try open(item, with: key)
    session.idle?.recordUse()
    return payload
  }

  /// Opens an item's payload without keeping its key.
  func payload(of item: VaultItem) throws(SecretStoreError) -> Secret {
    try open(item, with: item.secret.recordKey(from: keys.key(of: item.secret), cipher))
  }

  private func open(_ item: VaultItem, with key: Secret) throws(SecretStoreError) -> Secret {
    do {
      return try item.secret.open(of: item.id, with: key, by: keys.sealer(cipher))
    } catch {
      guard case .corrupted = error else { throw error }
      throw .corrupted("The secret of item \(item.id.uuid) is not authentic")
    }
  }
}
