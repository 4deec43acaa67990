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
    store.list([young])
    #expect(item.value == young.id.uuid.uuidString)
    store.list([old, young])
    for _ in 0..<2 { #expect(item.value == old.id.uuid.uuidString) }
    #expect(item.creationDate == old.creationDate)
    #expect(store.searches == 2)
  }

  @Test func itemLostBeforeTheReadIsSearchedAgain() {
    store.list([old, young])
    store.loseNextReadings(3)
    #expect(item.value == old.id.uuid.uuidString)
    #expect(store.searches == 4)
  }

  @Test func itemThatIsNeverReadIsAConflict() {
    store.list([old])
    store.loseNextReadings(.max)
    #expect(throws: SecretStoreError.conflict) { _ = try item.load() }
  }

  @Test func getDoesNotWaitForALoad() throws {
    store.list([old])
    let heard = Heard<String?>()
    store.beforeNextCall { [item] in heard.hear(item.value) }
    let value = try item.load()
    #expect(value == old.id.uuid.uuidString && heard.all == [value])
  }

  @Test func getThatFailsDuringALoadReadsAgain() {
    store.list([old])
    store.beforeNextCall { [store, item] in
      #expect(throws: Never.self) { try item.load() }
      store.failNextCall(with: .locked())
    }
    #expect(item.value == old.id.uuid.uuidString)
    #expect(item.status == .value && item.error == nil)
  }

  @Test func getDuringALoadThatFailsKeepsNothing() {
    func failALoadDuringTheNextCall() {
      store.beforeNextCall { [store, item] in
        store.failNextCall(with: .locked())
        #expect(throws: SecretStoreError.locked()) { try item.load() }
      }
    }
    store.list([old])
    failALoadDuringTheNextCall()
    #expect(item.value == old.id.uuid.uuidString)
    #expect(item.status == .locked && item.error == .locked())

    #expect(item.value == old.id.uuid.uuidString)
    #expect(item.status == .value && item.error == nil)
    store.list([young])
    failALoadDuringTheNextCall()
    #expect(item.creationDate == young.creationDate)
    #expect(item.status == .locked && item.error == .locked())
  }

  @Test func loadFindsTheItemDespiteASet() throws {
    let item = PasswordItem<String>(.generic(), refreshPolicy: .manual, in: store)
    store.list([old])
    store.beforeNextCall { item.value = "set" }
    #expect(try item.load() == old.id.uuid.uuidString)
    #expect(item.creationDate == old.creationDate && !item.hasUnsavedChanges)
  }

  @Test func attributeSetDuringASetKeepsNoValueUnsaved() {
    store.beforeNextCall { [item] in item.attributes.label = "label" }
    item.value = "set"
    #expect(item.hasUnsavedChanges)
    store.list([old])
    #expect(item.value == old.id.uuid.uuidString)
  }

  @Test func attributeSetMeanwhileKeepsAModifiedAccess() throws {
    store.beforeNextCall { [item] in item.attributes.label = "label" }
    try item.modifyAccess(using: .afterFirstUnlock)
    #expect(item.attributes.label == "label")
    #expect(item.attributes.accessControl == AccessControl(.afterFirstUnlock))
  }
}

/// A store with the test's items, which may overlap in ways that no real store allows.
private final class ListedStore: ForwardingStore {
  private struct State {
    var items: [SecretItem] = []
    var revision: UInt64 = 0
    var searches = 0, lostReadings = 0
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

  var searches: Int { state.withLock { $0.searches } }

  func list(_ items: [SecretItem]) {
    state.withLock { state in
      state.items = items
      state.revision += 1
    }
  }

  func loseNextReadings(_ count: Int) { state.withLock { $0.lostReadings = count } }

  func beforeNextCall(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.beforeCall = body }
  }

  func failNextCall(with error: SecretStoreError) { state.withLock { $0.failure = error } }

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
      return state.items
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
      guard state.items.contains(where: { $0.id == item }) else { return nil }
      return SecretReading(
        secret: Secret(item.uuid.uuidString.utf8), itemRevision: 1,
        storeRevision: StoreRevision(state.revision))
    }
  }
}
