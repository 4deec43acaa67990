import SecretStorage
import SerializedAccess
import StorageTesting
import Testing

// The code of the article "Writing a store".

struct AuditedStore: SecretStore {
  let base: any SecretStore
  let audit: @Sendable (SecretItem.ID) -> Void

  var guarantees: StoreGuarantees { base.guarantees }
  var authenticator: (any Authenticator)? { base.authenticator }

  func revision() throws(SecretStoreError) -> StoreRevision { try base.revision() }

  func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    try base.items(matching: query)
  }

  func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    audit(item)
    return try base.secret(of: item, authorizedBy: authorization)
  }

  func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try base.add(
      secret, identity: identity, attributes: attributes, authorizedBy: authorization)
  }

  func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?,
    secret: Secret?, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try base.update(
      item, expecting: revision, attributes: attributes, secret: secret,
      authorizedBy: authorization)
  }

  func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    try base.remove(item, expecting: revision)
  }

  func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    base.observeChanges(handler)
  }
}

extension SecretStore where Self == AuditedStore {
  static var audited: AuditedStore {
    AuditedStore(base: .vault) { item in print("somebody read \(item)") }
  }
}

struct Account {
  @GenericPassword(service: "com.example.app", in: .audited) var token: String?
}

let conformance = SecretStoreConformance("AuditedStore") {
  AuditedStore(base: InMemorySecretStore()) { _ in }
}

@Test(arguments: SecretStoreConformance.Check.allCases)
func auditedStoreConforms(_ check: SecretStoreConformance.Check) async {
  await conformance.run(check)
}

@Test func auditedStoreReportsReadings() {
  let readings = Serialized(0)
  let store = AuditedStore(base: InMemorySecretStore()) { _ in readings.wrappedValue += 1 }
  let token = PasswordItem<String>(.generic(service: "com.example.app"), in: store)
  token.value = "The Valley Wind"
  #expect(readings.wrappedValue == 0)
  #expect(token.value == "The Valley Wind")
  #expect(readings.wrappedValue == 1)
}
