package import SecretStorage

/// A kind of access to a store.
package enum StoreCall: Sendable { case revision, search, reading, write }

/// A store that forwards all that it does not implement itself to another one.
package protocol ForwardingStore: SecretStore {
  var store: any SecretStore { get }

  /// Is called before each access that is forwarded, and may make it fail.
  func willForward(_ call: StoreCall) throws(SecretStoreError)
}

extension ForwardingStore {
  package func willForward(_ call: StoreCall) {}
  package var guarantees: StoreGuarantees { store.guarantees }
  package var authenticator: (any Authenticator)? { store.authenticator }

  package func revision() throws(SecretStoreError) -> StoreRevision {
    try willForward(.revision)
    return try store.revision()
  }

  package func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    try willForward(.search)
    return try store.items(matching: query)
  }

  package func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    try willForward(.reading)
    return try store.secret(of: item, authorizedBy: authorization)
  }

  package func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try willForward(.write)
    return try store.add(
      secret, identity: identity, attributes: attributes, authorizedBy: authorization)
  }

  package func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try willForward(.write)
    return try store.update(
      item, expecting: revision, attributes: attributes, secret: secret,
      authorizedBy: authorization)
  }

  package func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    try willForward(.write)
    try store.remove(item, expecting: revision)
  }

  package func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    store.observeChanges(handler)
  }
}
