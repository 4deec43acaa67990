import Concurrency
import FoundationEssentials
import TestSupport
import Testing

@testable import SecretStorage

/// The search for the item of a property, which is repeated only after a change.
struct PasswordFindingTests {
  private let store = ListedStore()
  private let old = ListedStore.item(age: 3), young = ListedStore.item(age: 1)
  private let item: PasswordItem<String>

  init() { item = PasswordItem(.generic(), in: store) }

  @Test func newOlderItemReplacesTheYoungerOne() {
    store.listed = [young]
    #expect(item.value == young.id.uuid.uuidString)
    store.listed = [old, young]
    for _ in 0..<2 { #expect(item.value == old.id.uuid.uuidString) }
    #expect(item.creationDate == old.creationDate)
    #expect(store.searches == 2)
  }

  @Test func itemLostBeforeTheReadIsSearchedAgain() {
    store.listed = [old, young]
    store.lostReadings = 3
    #expect(item.value == old.id.uuid.uuidString)
    #expect(store.searches == 4)
  }

  @Test func itemThatIsNeverReadIsAConflict() {
    store.listed = [old]
    store.lostReadings = .max
    #expect(throws: SecretStoreError.conflict) { _ = try item.load() }
  }

  @Test func getDoesNotWaitForALoad() throws {
    store.listed = [old]
    let heard = Heard<String?>()
    store.beforeCall = { [item] in heard.hear(item.value) }
    let value = try item.load()
    #expect(value == old.id.uuid.uuidString && heard.all == [value])
  }

  @Test func getThatFailsDuringALoadReadsAgain() {
    store.listed = [old]
    store.beforeCall = { [store, item] in
      #expect(throws: Never.self) { try item.load() }
      store.failure = .locked()
    }
    #expect(item.value == old.id.uuid.uuidString)
    #expect(item.status == .value && item.error == nil)
  }

  @Test func getDuringALoadThatFailsKeepsNothing() {
    func failALoadDuringTheNextCall() {
      store.beforeCall = { [store, item] in
        store.failure = .locked()
        #expect(throws: SecretStoreError.locked()) { try item.load() }
      }
    }
    store.listed = [old]
    failALoadDuringTheNextCall()
    #expect(item.value == old.id.uuid.uuidString)
    #expect(item.status == .locked && item.error == .locked())
    #expect(item.value == old.id.uuid.uuidString)
    #expect(item.status == .value && item.error == nil)
    store.listed = [young]
    failALoadDuringTheNextCall()
    #expect(item.creationDate == young.creationDate)
    #expect(item.status == .locked && item.error == .locked())
  }

  @Test func loadFindsTheItemDespiteASet() throws {
    let item = PasswordItem<String>(.generic(), refreshPolicy: .manual, in: store)
    store.listed = [old]
    store.beforeCall = { item.value = "set" }
    #expect(try item.load() == old.id.uuid.uuidString)
    #expect(item.creationDate == old.creationDate && !item.hasUnsavedChanges)
  }

  @Test func attributeSetDuringASetKeepsNoValueUnsaved() {
    store.beforeCall = { [item] in item.attributes.label = "label" }
    item.value = "set"
    #expect(item.hasUnsavedChanges)
    store.listed = [old]
    #expect(item.value == old.id.uuid.uuidString)
  }

  @Test func attributeSetMeanwhileKeepsAModifiedAccess() throws {
    store.beforeCall = { [item] in item.attributes.label = "label" }
    try item.modifyAccess(using: .afterFirstUnlock)
    #expect(item.attributes.label == "label")
    #expect(item.attributes.accessControl == AccessControl(.afterFirstUnlock))
  }
}

/// A store with the test's items, which may overlap in ways that no real store allows.
@dynamicMemberLookup
private final class ListedStore: ForwardingStore {
  struct State: Sendable {
    var listed: [SecretItem] = [] { didSet { revision += 1 } }
    var revision: UInt64 = 0
    var searches = 0
    /// The number of the next readings that find nothing.
    var lostReadings = 0
    /// What happens before the next call, and its failure.
    var beforeCall: (@Sendable () -> Void)?
    var failure: SecretStoreError?
  }

  let store: any SecretStore = InMemorySecretStore()
  private let state = Lock(State())

  static func item(age: Double) -> SecretItem {
    let date = Date(timeIntervalSinceReferenceDate: -age)
    return SecretItem(
      id: SecretItem.ID(uuid: UUID()), identity: .generic(), attributes: ItemAttributes(),
      creationDate: date, modificationDate: date, revision: 1)
  }

  subscript<Value: Sendable>(dynamicMember path: WritableKeyPath<State, Value>) -> Value {
    get { state.withLock { $0[keyPath: path] } }
    set { state.withLock { $0[keyPath: path] = newValue } }
  }

  private func beginCall() throws(SecretStoreError) {
    state.withLock { $0.beforeCall.take() }?()
    if let failure = state.withLock({ $0.failure.take() }) { throw failure }
  }

  func revision() throws(SecretStoreError) -> StoreRevision {
    state.withLock { StoreRevision($0.revision) }
  }

  func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    try beginCall()
    return state.withLock { state in
      state.searches += 1
      return state.listed
    }
  }

  func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    try beginCall()
    return state.withLock { state in
      if state.lostReadings > 0 {
        state.lostReadings -= 1
        return nil
      }
      guard state.listed.contains(where: { $0.id == item }) else { return nil }
      return SecretReading(
        secret: Secret(item.uuid.uuidString.utf8), itemRevision: 1,
        storeRevision: StoreRevision(state.revision))
    }
  }
}
