package import SecretStorage

/// A store that forwards all that it does not implement itself to another one.
package protocol ForwardingStore: SecretStore {
  var store: any SecretStore { get }
}

extension ForwardingStore {
  package var guarantees: StoreGuarantees { store.guarantees }
  package var authenticator: (any Authenticator)? { store.authenticator }

  package func revision() throws(SecretStoreError) -> StoreRevision { try store.revision() }

  package func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    try store.items(matching: query)
  }

  package func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    try store.secret(of: item, authorizedBy: authorization)
  }

  package func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try store.add(secret, identity: identity, attributes: attributes, authorizedBy: authorization)
  }

  package func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try store.update(
      item, expecting: revision, attributes: attributes, secret: secret,
      authorizedBy: authorization)
  }

  package func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    try store.remove(item, expecting: revision)
  }

  package func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    store.observeChanges(handler)
  }
}
