import Concurrency
import Foundation
import KeychainCompatibility
import TestSupport
import Testing

/// `UserDefaults` without a file.
private final class MemoryDefaults: UserDefaults {
  private let values = Lock([String: Data]())

  override func object(forKey defaultName: String) -> Any? {
    guard let data = values.withLock({ $0[defaultName] }) else { return nil }
    do {
      // The format is not requested, so nothing is written to a pointer.
      let list = unsafe try PropertyListSerialization.propertyList(from: data, format: nil)
      return (list as? [Any])?.first
    } catch {
      return nil
    }
  }

  override func set(_ value: Any?, forKey defaultName: String) {
    do {
      let data = try value.map {
        try PropertyListSerialization.data(fromPropertyList: [$0], format: .xml, options: 0)
      }
      values.withLock { $0[defaultName] = data }
    } catch {
      Issue.record(error)
    }
  }

  override func removeObject(forKey defaultName: String) {
    values.withLock { $0[defaultName] = nil }
  }
}

private enum Theme: String, Codable {
  case dark, light
}

/// Settings that remain in Foundation's `UserDefaults`.
#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
@Suite(.expectsFailures)
struct UserDefaultsStoreTests {
  private let defaults = MemoryDefaults(suiteName: "locket.tests")!

  private func store<Value>(_ key: String, _ defaultValue: Value? = nil) -> DefaultsStore<Value> {
    DefaultsStore(key: key, defaultValue: defaultValue, defaults: defaults)
  }

  private func expectKept<Value: Codable & Sendable & Equatable>(_ value: Value) {
    let key = "\(Value.self)"
    store(key).wrappedValue = value
    #expect(store(key).wrappedValue == value)
    store(key).wrappedValue = Value?.none
    #expect(store(key, value).wrappedValue == value)
    #expect(defaults.object(forKey: key) == nil)
  }

  @Test func valuesOfAllKindsRoundTrip() {
    expectKept(5)
    expectKept(Int8(-5))
    expectKept(UInt64.max)
    expectKept(true)
    expectKept(0.5)
    expectKept("text")
    expectKept(Date(timeIntervalSince1970: 1_600_000_000))
    expectKept(Data([1, 2]))
    expectKept(URL(string: "https://example.com/a")!)
    expectKept(Theme.light)
    expectKept([1, 2])
    expectKept(["a": ["b": 1]])
    expectKept(Person(age: 15, name: "Peter"))
  }

  @Test func propertyListTypesAreStoredUnchanged() throws {
    store("number").wrappedValue = 250
    store("text").wrappedValue = "Eliska"
    store("person").wrappedValue = Person(age: 15, name: "Peter")
    #expect(defaults.object(forKey: "number") as? Int == 250)
    #expect(defaults.object(forKey: "text") as? String == "Eliska")
    let data = try #require(defaults.object(forKey: "person") as? Data)
    #expect(try PropertyListDecoder().decode(Person.self, from: data).name == "Peter")
    defaults.set("Samuel", forKey: "text")
    #expect(store("text").wrappedValue == "Samuel")
  }

  @Test func valueOfAnotherTypeIsTheDefaultValue() {
    store("value").wrappedValue = "text"
    #expect(store("value", 3).wrappedValue == 3)
    store("value").wrappedValue = [1, 2]
    #expect(store("value", 3).wrappedValue == 3)
  }
}
