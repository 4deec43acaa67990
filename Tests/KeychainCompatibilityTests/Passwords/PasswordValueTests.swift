import KeychainCompatibility
import TestSupport
import Testing

/// The value of a password: policies, defaults, saving, deleting, and failures.
#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
@Suite(.inMemory)
struct PasswordValueTests {
  private struct Hidden: Codable, Equatable {
    var age: Int
    var powerLevel: UInt64
  }

  private struct View {
    @GenericPassword var hidden: Hidden?

    init() {
      _hidden = GenericPassword<Hidden>(
        service: "my.service", account: "peter", refreshPolicy: .manual)
    }

    var password: GenericPassword<Hidden> { _hidden }
  }

  @Test func manualPropertyWaitsForSaveAndLoad() throws {
    let view = View(), other = View()
    #expect(!view.password.wrappedValueUnchanged && view.password.refreshPolicy == .manual)

    view.hidden = Hidden(age: 1, powerLevel: .max)
    #expect(!view.password.wrappedValueUnchanged)
    try other.password.loadFromKeychain()
    #expect(other.hidden == nil && other.password.wrappedValueUnchanged)

    try view.password.saveToKeychain()
    #expect(view.password.wrappedValueUnchanged && other.hidden == nil)
    try other.password.loadFromKeychain()
    #expect(other.hidden == Hidden(age: 1, powerLevel: .max))

    view.hidden = nil
    #expect(other.hidden != nil)
    try view.password.saveToKeychain()
    try other.password.loadFromKeychain()
    #expect(other.hidden == nil)
  }

  @Test func defaultValueIsNotStored() throws {
    @GenericPassword(service: "my.service", defaultValue: 10) var number: Int?
    #expect(number == 10)
    @GenericPassword(service: "my.service") var stored: Int?
    #expect(stored == nil)
    number = 30
    #expect(number == 30 && stored == 30)
    try _number.deleteKeychain()
    #expect(number == 10 && stored == nil)
  }

  @Test func loadOfAnotherTypeKeepsTheValue() throws {
    let text = GenericPassword<String>(service: "my.service")
    let number = GenericPassword<UInt8>(service: "my.service", refreshPolicy: .manual)
    text.wrappedValue = "text"
    number.wrappedValue = 7
    #expect(thrownError { try number.loadFromKeychain() } == "generalDecodingFailure")
    #expect(number.wrappedValue == 7 && number.storeError == .undecodable("UInt8"))
    try number.saveToKeychain()
    #expect(number.storeError == nil)
    #expect(text.wrappedValue == "\u{7}\0\0\0\0\0\0\0")
  }

  @Test func valueIsKeptUnsavedWhileLocked() throws {
    let directory = try TemporaryDirectory()
    let vault = directory.vault()
    try SecretStores.withDefaultStore(vault) {
      @GenericPassword(service: "my.service") var name: String?
      name = "The Valley Wind"
      vault.lock()
      name = "The Sixth Station"
      #expect(name == "The Sixth Station")
      #expect(!_name.wrappedValueUnchanged && _name.storeError == .locked("unlock()"))
      #expect(thrownError { try _name.saveToKeychain() } == "osSecure(status: -25308)")
      try vault.unlock()
      try _name.saveToKeychain()
      #expect(_name.wrappedValueUnchanged && _name.storeError == nil)
      @GenericPassword(service: "my.service") var other: String?
      #expect(other == "The Sixth Station")
    }
  }

  @Test func unencodableValueIsKeptUnsaved() throws {
    @GenericPassword(service: "my.service") var words: [String]?
    @GenericPassword(service: "my.service") var stored: [String]?
    words = ["Wind"]
    words = ["$null"]
    #expect(words == ["$null"] && stored == ["Wind"])
    #expect(thrownError { try _words.saveToKeychain() } == "generalEncodingFailure")
    try _words.loadFromKeychain()
    #expect(words == ["Wind"])
  }

  @Test func descriptionsShowNoContent() {
    let password = GenericPassword<String>(service: "a service", account: "an account")
    password.wrappedValue = "a secret"
    password.comment = "a comment"
    var dumped = ""
    dump(password, to: &dumped)
    for text in [dumped, "\(password)", String(reflecting: password)] {
      for part in ["a service", "an account", "a secret", "a comment"] {
        #expect(!text.contains(part))
      }
    }
  }

  @Test func overriddenMethodsAreCalled() throws {
    let password = HeardPassword(service: "my.service")
    password.wrappedValue = "The Valley Wind"
    #expect(password.wrappedValue == "The Valley Wind")
    password.comment = "A comment"
    password.wrappedValue = nil
    try password.saveToKeychain()
    #expect(password.heard == ["save", "load", "comment", "save", "delete", "save", "delete"])
  }
}

@available(*, deprecated)
private final class HeardPassword: GenericPassword<String> {
  private(set) var heard: [String] = []

  override var comment: String? {
    get { super.comment }
    set {
      heard.append("comment")
      super.comment = newValue
    }
  }

  override func loadFromKeychain() throws {
    heard.append("load")
    try super.loadFromKeychain()
  }

  override func saveToKeychain() throws {
    heard.append("save")
    try super.saveToKeychain()
  }

  override func deleteKeychain() throws {
    heard.append("delete")
    try super.deleteKeychain()
  }
}
