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

  @Test func onlyTestsOfTheTargetNeedIsolation() {
    func error(in target: String?) -> String? {
      IsolatedStorage.error("It", in: target, requiredIn: ["PlayerTests", "AppTests"])
    }
    #expect(error(in: "OtherTests") == nil)
    #expect(error(in: "AppTests")?.contains("the tests of AppTests require") == true)
    #expect(error(in: nil)?.contains("the tests of AppTests, PlayerTests require") == true)
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

      let token = PasswordItem<String>(.generic(service: "app"), in: InMemorySecretStore())
      token.value = "The Valley Wind"
      #expect(token.status == .value)
    }
  }
}
