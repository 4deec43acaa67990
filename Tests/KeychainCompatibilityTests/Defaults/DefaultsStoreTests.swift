import CLibrary
import Concurrency
import Foundation
import KeyValueStorage
import KeychainCompatibility
import TestSupport
import Testing

@available(*, deprecated)
private struct Declarations {
  @DefaultsStore var number: Int?
  @DefaultsStore var text: String?
  @DefaultsStore var list: [Int]?
  @DefaultsStore var defaultList: [Int]?
  @DefaultsStore var person: Person?
  @DefaultsStore var bytes: Data?
  @DefaultsStore var date: Date?

  init(in store: KeyValueStore) {
    _number = DefaultsStore(
      key: "number", defaultValue: 45, defaults: store, encoder: PropertyListEncoder(),
      decoder: PropertyListDecoder())
    _text = DefaultsStore(key: "text", defaults: store)
    _list = DefaultsStore(key: "list", defaults: store)
    _defaultList = DefaultsStore(key: "defaultList", defaultValue: [10, 20], defaults: store)
    _person = DefaultsStore(key: "person", defaults: store)
    _bytes = DefaultsStore(key: "bytes", defaults: store)
    _date = DefaultsStore(key: "date", defaults: store)
  }
}

#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
@Suite(.expectsFailures)
struct DefaultsStoreTests {
  private let store = KeyValueStore()

  private var one: Declarations { Declarations(in: store) }
  private var other: Declarations { Declarations(in: store) }

  @Test func declarationsOfOneKeyShareAValue() {
    #expect(one.number == 45)
    one.number = 130
    #expect(other.number == 130)
    other.number = nil
    #expect(one.number == 45)

    #expect(one.person == nil)
    one.person = Person(age: 15, name: "Peter")
    #expect(other.person == Person(age: 15, name: "Peter"))
    other.person = nil
    #expect(one.person == nil)
  }

  @Test func collectionsAreChangedInPlace() {
    one.defaultList?.append(15)
    #expect(other.defaultList == [10, 20, 15])
    one.list?.append(1)
    #expect(other.list == nil)
    one.list = [3, 4]
    one.list?[1] = 5
    #expect(other.list == [3, 5])
    other.defaultList = nil
    #expect(one.defaultList == [10, 20])
  }

  @Test func failureAfterASuccessIsPrintedAgain() async throws {
    let result = await #expect(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      recordingErrors {
        let store = KeyValueStore()
        let number = DefaultsStore<Int>(key: "number", defaults: store)
        for _ in 1...2 {
          try store.set(Data([1]), for: "number")
          #expect(number.wrappedValue == nil && number.wrappedValue == nil)
          number.wrappedValue = 1
          #expect(number.wrappedValue == 1)
        }
      }
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.split(separator: "\n").count { $0.contains("neither the value") } == 2, "\(text)")
  }

  @Test(.forks) func propertiesHaveTheirDefaultsInAForkedChild() async {
    await #expect(processExitsWith: .success) {
      try inMemory {
        let number = DefaultsStore<Int>(key: "number", defaultValue: 45, defaults: KeyValueStore())
        let text = KeychainStore<String>(key: "key")
        let password = GenericPassword<String>(service: "service", defaultValue: "none")
        number.wrappedValue = 1
        text.wrappedValue = "words"
        password.wrappedValue = "secret"
        let child = try ForkedChild(isQuiet: true) {
          number.wrappedValue = 2
          text.wrappedValue = "others"
          text.wrappedValue?.append(" and more")
          if number.wrappedValue != 45 || text.wrappedValue != nil { _exit(1) }
          password.wrappedValue = "others"
          password.wrappedValue?.append(" and more")
          if password.wrappedValue != "none" || password.storeError != .forked { _exit(2) }
          do {
            let file = URL(filePath: "/missing")
            try DefaultsMigration(into: KeyValueStore()).run(propertyList: file)
            _exit(3)
          } catch KeyValueStoreError.forked {
            // Before the file is read.
          }
        }
        try child.wait()
        #expect(number.wrappedValue == 1 && text.wrappedValue == "words")
        #expect(password.wrappedValue == "secret" && password.storeError == nil)
      }
    }
  }

  @Test func valuesHaveTheFormOfStoredValue() throws {
    let person = Person(age: 25, name: "Lukas")
    one.person = person
    one.bytes = Data([1, 2])
    one.text = "Samuel"
    #expect(StoredValue<Person?>("person", in: store).wrappedValue == person)
    #expect(StoredValue<Data?>("bytes", in: store).wrappedValue == Data([1, 2]))
    StoredValue<String?>("text", in: store).wrappedValue = "Eliska"
    #expect(other.text == "Eliska")
    #expect(try store.keys() == ["bytes", "person", "text"])
    one.bytes = nil
    #expect(try store.keys() == ["person", "text"])
  }

  @Test func codedPropertyListsAreRead() throws {
    let person = Person(age: 25, name: "Lukas")
    for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
      let encoder = PropertyListEncoder()
      encoder.outputFormat = format
      try store.set(try encoder.encode(person), for: "person")
      try store.set(try encoder.encode([1, 2]), for: "list")
      #expect(one.person == person)
      #expect(one.list == [1, 2])
    }
    // A set replaces it.
    one.person?.age = 26
    #expect(StoredValue<Person?>("person", in: store).wrappedValue?.age == 26)
  }

  @Test func codedDataIsReadAndSimilarDataRoundTrips() throws {
    for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
      let encoder = PropertyListEncoder()
      encoder.outputFormat = format
      let coded = try encoder.encode(Data([1, 2]))
      try store.set(coded, for: "bytes")
      #expect(one.bytes == Data([1, 2]))
      for bytes in [coded, try encoder.encode(coded), try encoder.encode([1]), Data([3])] {
        one.bytes = bytes
        #expect(other.bytes == bytes)
      }
      // The store's own form is used wherever it is unambiguous.
      #expect(try store.value(of: "bytes") == Data([3]))
    }
  }

  @Test func undecodableValueIsTheDefaultValue() throws {
    try store.set("text", for: "number")
    try store.set(Data([1, 2, 3]), for: "person")
    #expect(one.number == 45)
    #expect(one.person == nil)
  }

  @Test func codersWithUserInfoAreUsed() throws {
    let encoder = PropertyListEncoder()
    let decoder = PropertyListDecoder()
    encoder.userInfo[Secretive.key] = 1
    decoder.userInfo[Secretive.key] = 1
    let wrapper = DefaultsStore<Secretive>(
      key: "secretive", defaults: store, encoder: encoder, decoder: decoder)
    wrapper.wrappedValue = Secretive(text: "abc")
    #expect(wrapper.wrappedValue?.text == "abc")
    let data = try #require(try store.value(of: "secretive", as: Data.self))
    #expect(try PropertyListDecoder().decode([String].self, from: data) == ["cba"])
  }

  @Test func storeIsTheStandardOneByDefault() {
    // The shapes in source code for 1.x.
    @DefaultsStore(key: "key.for.number", defaultValue: 10) var number: Int?
    @DefaultsStore(key: "key.for.person") var person: Person?
    let constructed = DefaultsStore<Int>(key: "constructed", defaultValue: 45, defaults: .standard)
    let named = DefaultsStore<Int>(key: "named", defaults: UserDefaults.standard)
    #expect(type(of: constructed) == type(of: named))
  }

  @Test func keyIsTheNameOfTheFunctionByDefault() throws {
    @available(*, deprecated)
    struct Keyless {
      @DefaultsStore var number: Int?

      init(in store: KeyValueStore) { _number = DefaultsStore(defaultValue: 45, defaults: store) }
    }
    #expect(Keyless(in: store).number == 45)
    Keyless(in: store).number = 5
    #expect(Keyless(in: store).number == 5)
    #expect(try store.keys() == ["init(in:)"])
  }

  // Settings that remain in Foundation's `UserDefaults`.

  private let defaults = MemoryDefaults(suiteName: "locket.tests")!

  private func setting<Value>(_ key: String, _ defaultValue: Value? = nil) -> DefaultsStore<Value> {
    DefaultsStore(key: key, defaultValue: defaultValue, defaults: defaults)
  }

  private func expectKept<Value: Codable & Sendable & Equatable>(_ value: Value) {
    let key = "\(Value.self)"
    setting(key).wrappedValue = value
    #expect(setting(key).wrappedValue == value)
    setting(key).wrappedValue = Value?.none
    #expect(setting(key, value).wrappedValue == value)
    #expect(defaults.object(forKey: key) == nil)
  }

  @Test func valuesOfAllKindsRoundTripInUserDefaults() {
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
    setting("number").wrappedValue = 250
    setting("text").wrappedValue = "Eliska"
    setting("person").wrappedValue = Person(age: 15, name: "Peter")
    #expect(defaults.object(forKey: "number") as? Int == 250)
    #expect(defaults.object(forKey: "text") as? String == "Eliska")
    let data = try #require(defaults.object(forKey: "person") as? Data)
    #expect(try PropertyListDecoder().decode(Person.self, from: data).name == "Peter")
    defaults.set("Samuel", forKey: "text")
    #expect(setting("text").wrappedValue == "Samuel")
  }

  @Test func otherTypeInUserDefaultsIsTheDefaultValue() {
    setting("value").wrappedValue = "text"
    #expect(setting("value", 3).wrappedValue == 3)
    setting("value").wrappedValue = [1, 2]
    #expect(setting("value", 3).wrappedValue == 3)
  }
}

/// A value that is coded as the coder's user information says.
private struct Secretive: Codable {
  static let key = CodingUserInfoKey(rawValue: "secretive")!

  let text: String

  init(text: String) { self.text = text }

  init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode([String].self)[0]
    self.text = decoder.userInfo[Self.key] == nil ? text : String(text.reversed())
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode([encoder.userInfo[Self.key] == nil ? text : String(text.reversed())])
  }
}

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
