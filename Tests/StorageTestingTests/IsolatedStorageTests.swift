import Concurrency
import KeyValueStorage
import SecretStorage
import StorageTesting
import TestSupport
import Testing

/// What an app declares once, outside of all tests.
private enum App {
  static let volume = StoredValue(wrappedValue: 1, "volume", in: .standard)
  static let token = PasswordItem<String>(.generic(service: "app"))
}

/// A backend whose handlers are called by observers of a store.
private struct ObservingBackend: KeyValueBackend {
  let source: KeyValueStore
  /// The password with which a backend might connect to its source.
  let token = Lock<String?>(nil)
  private let backend = NonconformingBackend(nil)
  var format: KeyValueFormat { backend.format }
  var name: String { backend.name }

  init(source: KeyValueStore) { self.source = source }

  func load() throws(KeyValueStoreError) -> KeyValueContents { try backend.load() }

  func hasChanged(since revision: Int64) throws(KeyValueStoreError) -> Bool {
    try backend.hasChanged(since: revision)
  }

  func update<Result>(
    within timeout: Duration?,
    _ changes: (KeyValueContents) throws(KeyValueStoreError) -> (KeyValueChanges, Result)
  ) throws(KeyValueStoreError) -> (KeyValueContents, Result) {
    try backend.update(within: timeout, changes)
  }

  func observe(_ handler: @escaping @Sendable () -> Void) -> KeyValueObservation {
    let password = App.token.value
    token.withLock { $0 = password }
    return source.observe { _ in handler() }
  }

  func moveAside(within timeout: Duration?) throws(KeyValueStoreError) -> String? {
    try backend.moveAside(within: timeout)
  }
}

private struct Forwarder: ForwardingStore {
  let store: any SecretStore
}

@Suite(.isolatedStorage) struct IsolatedStorageTests {
  @Test(arguments: 0..<200) func caseHasStoresOfItsOwn(_ number: Int) async throws {
    #expect(App.volume.value == 1)
    #expect(App.token.value == nil)
    App.volume.value = number
    App.token.value = "\(number)"
    await Task.yield()
    async let volume = App.volume.load()
    async let token = App.token.load()
    #expect(try await volume == number)
    #expect(try await token == "\(number)")
    let unstructured = Task { App.volume.value += 1_000 }
    await unstructured.value
    #expect(App.volume.value == number + 1_000)
    #expect(try KeyValueStore.standard.keys() == ["volume"])
    #expect(App.volume.error == nil && App.token.error == nil)
  }

  @Test(.expectsFailures) func observersUseBothStoresOfTheCase() async throws {
    let (reports, continuation) = AsyncStream.makeStream(of: [String?].self)
    @Sendable func report() { continuation.yield(["\(App.volume.value)", App.token.value]) }
    var iterator = reports.makeAsyncIterator()
    App.token.value = "old"
    let ofSettings = App.volume.observe { _, _ in report() }
    App.volume.value = 5
    #expect(await iterator.next() == ["5", "old"])
    let ofSecrets = SecretStores.defaultStore.observeChanges(report)
    App.token.value = "new"
    #expect(await iterator.next() == ["5", "new"])
    let ofErrors = App.volume.observeErrors { if $0 != nil { report() } }
    try KeyValueStore.standard.set("text", for: "volume")
    #expect(await iterator.next() == ["5", "new"])
    withExtendedLifetime((ofSettings, ofSecrets, ofErrors)) {}
  }

  @Test func storeIsReleasedAfterItsScope() {
    let token = PasswordItem<String>(.generic(service: "app"), refreshPolicy: .onChange)
    weak var released: InMemorySecretStore?
    do {
      let store = InMemorySecretStore()
      released = store
      SecretStores.withDefaultStore(Forwarder(store: store)) {
        token.value = "The Valley Wind"
        #expect(token.value == "The Valley Wind")
      }
    }
    #expect(released == nil)
  }

  @Test func settingsStoreIsReleasedAfterItsScope() {
    let source = KeyValueStore()
    weak var released: KeyValueStore?
    do {
      let store = KeyValueStore(ObservingBackend(source: source))
      released = store
      KeyValueStore.withStandard(store) {
        App.volume.value = 3
        #expect(App.volume.value == 3)
      }
    }
    #expect(released == nil)
    withExtendedLifetime(source) {}
  }

  @Test func backendHasThePasswordsOfTheCase() throws {
    App.token.value = "The Valley Wind"
    let backend = ObservingBackend(source: KeyValueStore())
    try KeyValueStore(backend).load()
    #expect(backend.token.withLock { $0 } == "The Valley Wind")
  }

  struct Nested {
    @Test func nestedSuiteIsIsolated() throws {
      #expect(!App.volume.isSet)
      try App.volume.save(2)
      #expect(try App.volume.load() == 2)
    }
  }
}

struct RequiredIsolationTests {
  @Test(.isolatedStorage) func testMayHaveTheTrait() throws {
    App.volume.value = 3
    #expect(try App.volume.load() == 3)
  }

  @Test func wrongTargetIsAMistake() throws {
    let test = try #require(Test.current)
    #expect(IsolatedStorage().mistake(in: test) == nil)
    #expect(IsolatedStorage(requiredIn: "StorageTestingTests").mistake(in: test) == nil)
    #expect(
      IsolatedStorage(requiredIn: "StorageTestingTest").mistake(in: test) == """
        isolatedStorage(requiredIn:) names StorageTestingTest, but this test is in the module \
        StorageTestingTests.
        """)
  }

  @Test func onlyTestsOfTheTargetNeedIsolation() throws {
    func error(in test: Test?, requiredIn targets: Set<String>) -> String? {
      IsolatedStorage.error("The store", in: test, requiredIn: targets)
    }
    let test = try #require(Test.current)
    let own = "StorageTestingTests"
    #expect(error(in: test, requiredIn: ["AppTests"]) == nil)
    let ofTest = try #require(error(in: test, requiredIn: ["AppTests", own]))
    #expect(ofTest.contains("the tests of \(own) require"))
    let ofThread = try #require(error(in: nil, requiredIn: ["PlayerTests", "AppTests"]))
    #expect(ofThread.contains("the tests of AppTests, PlayerTests require"))
  }

  // The requirement belongs to the process, in which this code is in no test.
  @Test func settingOutsideOfAScopeHasItsDefault() async {
    await #expect(processExitsWith: .success) {
      let reports = Lock(0)
      KeyValueStore.onFailure = { _ in reports.withLock { $0 += 1 } }
      _ = IsolatedStorage.isolatedStorage(requiredIn: "AppTests")
      let error = try #require(throws: KeyValueStoreError.self) { try App.volume.load() }
      #expect("\(error)".contains("the tests of AppTests require"))
      #expect(reports.withLock { $0 } == 0)
      App.volume.value = 7
      #expect(reports.withLock { $0 } == 1)
      App.volume.value += 1
      #expect(reports.withLock { $0 } == 2)
      #expect(App.volume.value == 1)
      #expect(App.volume.error == error)
      #expect(throws: error) { try App.volume.save(7) }
      #expect(throws: error) { try KeyValueStore.standard.set(7, for: "volume") }
      #expect(throws: error) { try KeyValueStore.standard.transaction { App.volume.value = 7 } }
      #expect(throws: error) { try KeyValueStore.standard.keys() }
      #expect(throws: error) { try KeyValueStore.standard.unknownKeys }
      #expect(KeyValueStore.standard.declare(App.volume) == [error])

      let volume = StoredValue(wrappedValue: 1, "volume", in: KeyValueStore())
      try volume.save(2)
      #expect(volume.error == nil)
      await KeyValueStore.withStandard(KeyValueStore()) {
        #expect(App.volume.error == nil)
        let errorOutside = await Task.detached { App.volume.error }.value
        #expect(errorOutside == error)
      }
    }
  }

  @Test func passwordOutsideOfAScopeIsUnavailable() async {
    await #expect(processExitsWith: .success) {
      ExpectedFailures.begin()
      _ = IsolatedStorage.isolatedStorage(requiredIn: "AppTests")
      let error = try #require(throws: SecretStoreError.self) { try App.token.load() }
      #expect("\(error)".contains("the tests of AppTests require"))
      App.token.value = "lost"
      #expect(App.token.value == nil)
      #expect(App.token.status == .unavailable("\(error)"))
      #expect(throws: error) { try App.token.remove() }
      let diagnosis = "\(SecretStores.diagnose())"
      #expect(diagnosis.contains("none, because isolated storage is required"))

      let token = PasswordItem<String>(.generic(service: "app"), in: InMemorySecretStore())
      token.value = "The Valley Wind"
      #expect(token.status == .value)
    }
  }
}
