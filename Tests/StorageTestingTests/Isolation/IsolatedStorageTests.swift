import Concurrency
import Dispatch
import KeyValueStorage
import SecretStorage
import StorageTesting
import TestSupport
import Testing

/// Properties of an app, which all test cases share.
private enum App {
  // A wrapped static property is not allowed; the app's code has constants.
  static let count = StoredValue(wrappedValue: 0, "count")
  static let name = StoredValue<String?>("name", in: .standard)
  static let token = PasswordItem<String>(.generic(service: "com.example.app"))
}

private struct Player: Sendable {
  @StoredValue("volume") var volume = 1
  @StoredValue("mode", in: .standard) var mode = "none"
}

@Suite(.isolatedStorage, .expectsFailures)
struct IsolatedStorageTests {
  @Test(arguments: 0..<200)
  func testCaseSeesOnlyItsOwnValues(_ number: Int) async throws {
    let player = Player()
    #expect(App.count.wrappedValue == 0)
    #expect(App.name.wrappedValue == nil)
    #expect(App.token.value == nil)
    #expect(player.volume == 1)
    #expect(try await KeyValueStore.standard.keys() == [])

    for round in 1...5 {
      App.count.wrappedValue += number
      App.name.wrappedValue = "name \(number)"
      App.token.value = "token \(number)"
      player.volume = number
      player.mode = "mode \(number)"
      try await KeyValueStore.standard.set(number, for: "key")
      await Task.yield()
      #expect(App.count.wrappedValue == number * round)
      #expect(App.name.wrappedValue == "name \(number)")
      #expect(App.token.value == "token \(number)")
      #expect(player.volume == number)
      #expect(try await KeyValueStore.standard.value(of: "mode") == "mode \(number)")
      #expect(try await KeyValueStore.standard.value(of: "key") == number)
    }

    async let seenByChild = App.count.load()
    #expect(try await seenByChild == number * 5)
    let seenByTask = Task { App.count.wrappedValue }
    #expect(await seenByTask.value == number * 5)
    #expect(try await KeyValueStore.standard.keys() == ["count", "key", "mode", "name", "volume"])
  }

  /// A suite without a trait of its own.
  struct SuiteWithin {
    @Test(arguments: 0..<2)
    func hasTheTrait(_ number: Int) async throws {
      #expect(App.count.wrappedValue == 0)
      App.count.wrappedValue = number + 1
      App.token.value = "token"
      #expect(App.count.error == nil)
      #expect(try await KeyValueStore.standard.value(of: "count") == number + 1)
      #expect(App.token.value == "token")
    }
  }

  @Test func inheritedClosureHasTheStoresOnAnyThread() async {
    App.count.wrappedValue = 5
    App.token.value = "token"
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async(
        execute: IsolatedStorage.inherited {
          App.count.wrappedValue += 1
          App.token.value?.append("!")
          continuation.resume()
        })
    }
    #expect(App.count.wrappedValue == 6)
    #expect(App.token.value == "token!")
  }

  @Test func observerHasTheStoreOfItsTest() async {
    let observation = App.count.observe { _, new in App.name.wrappedValue = "\(new)" }
    let names = App.name.values
    App.count.wrappedValue = 7
    for await name in names where name == "7" { break }
    #expect(App.name.wrappedValue == "7")
    observation.cancel()
  }

  @Test func otherThreadIsRefused() async throws {
    App.count.wrappedValue = 5
    App.token.value = "token"
    try await onAnotherThread {
      #expect(App.count.wrappedValue == 0)
      App.count.wrappedValue = 6
      #expect(App.count.wrappedValue == 0)
      #expect(isRefusal(App.count.error))
      #expect(throws: KeyValueStoreError.self) { try App.count.load() }
      #expect(throws: KeyValueStoreError.self) { try App.count.save(7) }
      #expect(throws: KeyValueStoreError.self) { try KeyValueStore.standard.keys() }
      #expect(throws: KeyValueStoreError.self) { try KeyValueStore.standard.transaction {} }

      #expect(App.token.value == nil)
      App.token.value = "other"
      #expect(App.token.value == nil)
      guard case .unavailable(let text) = App.token.status else {
        return #expect(Bool(false), "\(App.token.status)")
      }
      #expect(text.contains(".isolatedStorage"))
      #expect(throws: SecretStoreError.self) { try App.token.load() }
    }
    #expect(App.count.wrappedValue == 5)
    #expect(App.token.value == "token")
  }

  @Test func wrapperCreatedOutsideIsUsableInside() async throws {
    let wrapper = Lock<StoredValue<Int>?>(nil)
    try await onAnotherThread {
      wrapper.withLock { $0 = StoredValue(wrappedValue: 3, "late", in: .standard) }
    }
    let late = try #require(wrapper.withLock { $0 })
    late.wrappedValue = 4
    #expect(late.error == nil)
    #expect(try await KeyValueStore.standard.value(of: "late") == 4)
  }

  @Test func refusalIsReportedWithTheRemedy() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      IsolatedStorage.refuseSharedStorage()
      let count = StoredValue(wrappedValue: 5, "count")
      #expect(count.wrappedValue == 5)
      count.wrappedValue = 6
      #expect(count.wrappedValue == 5)
      let inScope = KeyValueStore.withStandard(KeyValueStore()) {
        count.wrappedValue = 7
        return count.wrappedValue
      }
      #expect(inScope == 7)
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("outside of a test case with the trait .isolatedStorage. Add the trait"))
  }

  private func isRefusal(_ error: KeyValueStoreError?) -> Bool {
    guard case .unavailable(let text) = error else { return false }
    return text.contains(".isolatedStorage")
  }

  private func onAnotherThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "another").async { continuation.resume(with: Result(catching: body)) }
    }
  }
}
