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

/// The module of the test to which code pretends to belong.
private enum CurrentModule {
  @TaskLocal static var name: String?
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

  @Test func observersUseBothStoresOfTheCase() async {
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
    withExtendedLifetime((ofSettings, ofSecrets)) {}
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

  @Test func moduleOfCurrentTestIsKnown() {
    #expect(IsolatedStorage.module(of: Test.current) == "StorageTestingTests")
  }

  @Test func wrongTargetIsAnIssue() async throws {
    let test = try #require(Test.current)
    func useTrait(requiredIn target: String) async throws {
      try await IsolatedStorage(requiredIn: target).provideScope(for: test, testCase: nil) {}
    }
    try await useTrait(requiredIn: "StorageTestingTests")
    try await withKnownIssue {
      try await useTrait(requiredIn: "StorageTestingTest")
    } matching: { issue in
      issue.comments.contains {
        $0.rawValue.hasSuffix(
          "names StorageTestingTest, but this test is in the module StorageTestingTests.")
      }
    }
  }

  @Test func onlyTestsOfTheTargetNeedIsolation() async {
    await #expect(processExitsWith: .success) {
      ExpectedFailures.begin()
      KeyValueStore.bootstrap(KeyValueStore())
      SecretStores.bootstrap(InMemorySecretStore())
      for target in ["PlayerTests", "AppTests"] {
        IsolatedStorage.require(in: target) { CurrentModule.name }
      }
      func errors(in module: String?) -> [String] {
        CurrentModule.$name.withValue(module) {
          [Result { _ = try App.volume.load() }, Result { _ = try App.token.load() }]
            .compactMap { result in
              if case .failure(let error) = result { "\(error)" } else { nil }
            }
        }
      }
      #expect(errors(in: "OtherTests") == [])
      for (module, names) in [("AppTests", "AppTests"), (nil, "AppTests, PlayerTests")] {
        let errors = errors(in: module)
        #expect(errors.count == 2)
        #expect(errors.allSatisfy { $0.contains("the tests of \(names) require") })
      }
    }
  }

  @Test func failedSetIsReportedOnce() async {
    await #expect(processExitsWith: .success) {
      let reports = Lock(0)
      KeyValueStore.onFailure = { _ in reports.withLock { $0 += 1 } }
      _ = IsolatedStorage.isolatedStorage(requiredIn: "AppTests")
      App.volume.value = 7
      #expect(reports.withLock { $0 } == 1)
    }
  }

  // The requirement belongs to the process, in which this code is in no test.
  @Test func settingOutsideOfAScopeHasItsDefault() async {
    await #expect(processExitsWith: .success) {
      ExpectedFailures.begin()
      _ = IsolatedStorage.isolatedStorage(requiredIn: "AppTests")
      let error = try #require(throws: KeyValueStoreError.self) { try App.volume.load() }
      #expect("\(error)".contains("the tests of AppTests require"))
      App.volume.value = 7
      App.volume.value += 1
      #expect(App.volume.value == 1)
      #expect(App.volume.error == error)
      #expect(throws: error) { try App.volume.save(7) }
      #expect(throws: error) { try KeyValueStore.standard.set(7, for: "volume") }
      #expect(throws: error) { try KeyValueStore.standard.transaction { App.volume.value = 7 } }
      #expect(throws: error) { try KeyValueStore.standard.keys() }

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
