/// A store of which each access throws an error.
struct UnavailableStore: SecretStore {
  let error: SecretStoreError
  var guarantees: StoreGuarantees { [] }
  var authenticator: (any Authenticator)? { nil }

  func revision() throws(SecretStoreError) -> StoreRevision { throw error }

  func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] { throw error }

  func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? { throw error }

  func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem { throw error }

  func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem { throw error }

  func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    throw error
  }

  func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    ChangeObservation {}
  }
}
