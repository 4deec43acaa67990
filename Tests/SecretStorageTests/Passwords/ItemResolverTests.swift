import Concurrency
import FoundationEssentials
import TestSupport
import Testing

@testable import SecretStorage

struct ItemResolverTests {
  private let store = ListedStore()
  private let old = ListedStore.item(age: 3), young = ListedStore.item(age: 1)

  private func resolver() -> ItemResolver {
    ItemResolver(store: store, query: .all, state: Lock(StoredPassword.State()))
  }

  @Test func newOlderItemReplacesTheYoungerOne() throws {
    store.list([young])
    let resolver = resolver()
    #expect(try resolver.reading()?.item == young)
    store.list([old, young])
    let reading = try resolver.reading()
    #expect(reading?.item == old)
    #expect(reading?.secret == ListedStore.secret(of: old.id))
    #expect(try resolver.reading()?.item == old)
    #expect(store.searches == 2)
  }

  @Test func writtenItemIsSearchedAgain() throws {
    store.list([old, young])
    let resolver = resolver()
    resolver.cache(young)
    #expect(try resolver.item() == old)
  }

  @Test func itemLostBeforeTheReadIsSearchedAgain() throws {
    store.list([old, young])
    store.loseNextReadings(3)
    let resolver = resolver()
    #expect(try resolver.reading()?.item == old)
    #expect(store.searches == 4)
  }

  @Test func itemThatIsNeverReadIsAConflict() {
    store.list([old])
    store.loseNextReadings(.max)
    let resolver = resolver()
    #expect(throws: SecretStoreError.conflict) { _ = try resolver.reading() }
  }
}

/// A store with the test's items, which may overlap in ways that no real store allows.
private final class ListedStore: ForwardingStore {
  private struct State {
    var items: [SecretItem] = []
    var revision: UInt64 = 0
    var searches = 0
    var lostReadings = 0
  }

  let store: any SecretStore = InMemorySecretStore()
  private let state = Lock(State())

  static func item(age: Double) -> SecretItem {
    let date = Date(timeIntervalSinceReferenceDate: -age)
    return SecretItem(
      id: SecretItem.ID(uuid: UUID()), identity: .generic(), attributes: ItemAttributes(),
      creationDate: date, modificationDate: date, revision: 1)
  }

  static func secret(of item: SecretItem.ID) -> Secret { Secret(item.uuid.uuidString.utf8) }

  var searches: Int { state.withLock { $0.searches } }

  func list(_ items: [SecretItem]) {
    state.withLock { state in
      state.items = items
      state.revision += 1
    }
  }

  func loseNextReadings(_ count: Int) {
    state.withLock { $0.lostReadings = count }
  }

  func revision() throws(SecretStoreError) -> StoreRevision {
    state.withLock { StoreRevision($0.revision) }
  }

  func items(matching query: ItemQuery) throws(SecretStoreError) -> [SecretItem] {
    state.withLock { state in
      state.searches += 1
      return state.items
    }
  }

  func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    state.withLock { state in
      if state.lostReadings > 0 {
        state.lostReadings -= 1
        return nil
      }
      guard state.items.contains(where: { $0.id == item }) else { return nil }
      return SecretReading(
        secret: Self.secret(of: item), itemRevision: 1,
        storeRevision: StoreRevision(state.revision))
    }
  }
}
