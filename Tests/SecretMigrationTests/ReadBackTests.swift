import Concurrency
import SecretMigration
import SecretStorage
import StorageInternals
import TestSupport
import Testing

/// A store that alters or loses its input, or has a faster concurrent writer.
private final class FaultyStore: SecretStore {
  enum Fault {
    case otherSecret, nothing, otherAttributes, duplicate, full
  }

  private let store = InMemorySecretStore()
  private let fault: Lock<Fault?>

  init(_ fault: Fault) {
    self.fault = Lock(fault)
  }

  var guarantees: StoreGuarantees { store.guarantees }
  var authenticator: (any Authenticator)? { nil }
  func revision() -> StoreRevision { store.revision() }
  func items(matching query: ItemQuery) -> [SecretItem] { store.items(matching: query) }

  func secret(of item: SecretItem.ID, authorizedBy authorization: Authorization) -> SecretReading? {
    store.secret(of: item, authorizedBy: authorization)
  }

  func add(
    _ secret: Secret, identity: ItemIdentity, attributes: ItemAttributes,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    let fault = fault.withLock { fault in
      defer { fault = nil }
      return fault
    }
    switch fault {
    case .full: throw .system(call: "write", path: "vault", code: 28)
    case .duplicate:
      _ = try store.add(secret, identity: identity, attributes: attributes)
      throw .duplicate
    case .otherSecret:
      return try store.add(Secret([0]), identity: identity, attributes: attributes)
    case .otherAttributes:
      return try store.add(secret, identity: identity, attributes: ItemAttributes(label: "other"))
    case .nothing:
      let item = try store.add(secret, identity: identity, attributes: attributes)
      try store.remove(item.id, expecting: item.revision)
      return item
    case nil:
      return try store.add(secret, identity: identity, attributes: attributes)
    }
  }

  func update(
    _ item: SecretItem.ID, expecting revision: UInt64, attributes: ItemAttributes?, secret: Secret?,
    authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretItem {
    try store.update(item, expecting: revision, attributes: attributes, secret: secret)
  }

  func remove(_ item: SecretItem.ID, expecting revision: UInt64) throws(SecretStoreError) {
    try store.remove(item, expecting: revision)
  }

  func observeChanges(_ handler: @escaping @Sendable () -> Void) -> ChangeObservation {
    store.observeChanges(handler)
  }
}

struct ReadBackTests {
  private let directory: TemporaryDirectory
  private let source: ForeignSecrets

  init() throws {
    directory = try TemporaryDirectory()
    let file = write(Array("A=1\nB=2".utf8), to: directory(".env"))
    source = try .environmentFile(at: file, service: "app")
  }

  private var isSourceThere: Bool {
    get throws { try FileSystem().status(of: directory(".env")) != nil }
  }

  @Test(arguments: [FaultyStore.Fault.otherSecret, .otherAttributes, .nothing])
  private func whatIsReadBackDifferentlyIsAnErrorAndTheSourceStays(
    fault: FaultyStore.Fault
  ) throws {
    let store = FaultyStore(fault)
    #expect(throws: MigrationError.verificationFailed(position: "line 1")) {
      try source.migrate(to: store, removingSource: true)
    }
    #expect(try isSourceThere)
  }

  @Test func whoeverWasFasterIsFoundIdentical() throws {
    let store = FaultyStore(.duplicate)
    let report = try source.migrate(to: store, removingSource: true)
    #expect(report.entries.map(\.outcome) == [.identical, .added])
    #expect(report.isSourceRemoved)
    #expect(try !isSourceThere)
  }

  @Test func anErrorOfTheStoreEndsTheMigration() throws {
    let store = FaultyStore(.full)
    #expect(throws: MigrationError.store(.system(call: "write", path: "vault", code: 28))) {
      try source.migrate(to: store, removingSource: true)
    }
    #expect(try isSourceThere)
    let report = try source.migrate(to: store, removingSource: true)
    #expect(report.isSourceRemoved)
  }
}
