import FoundationEssentials
import KeychainCompatibility
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

  @Test func propertiesOfOneItemShareItsValue() {
    @GenericPassword(service: "my.service") var name: String?
    name = "Peter Parker"
    @GenericPassword(service: "my.service") var other: String?
    #expect(other == "Peter Parker")
    other = "Miles Morales"
    #expect(name == "Miles Morales")
    name = nil
    #expect(other == nil)
  }

  @Test func manualPropertyWaitsForSaveAndLoad() throws {
    @GenericPassword(service: "my.service", account: "peter", refreshPolicy: .manual)
    var hidden: Hidden?
    @GenericPassword(service: "my.service", account: "peter", refreshPolicy: .manual)
    var other: Hidden?
    #expect(!_hidden.wrappedValueUnchanged && _hidden.refreshPolicy == .manual)

    hidden = Hidden(age: 1, powerLevel: .max)
    #expect(!_hidden.wrappedValueUnchanged)
    try _other.loadFromKeychain()
    #expect(other == nil)
    #expect(_other.wrappedValueUnchanged)

    try _hidden.saveToKeychain()
    #expect(_hidden.wrappedValueUnchanged)
    #expect(other == nil)
    try _other.loadFromKeychain()
    #expect(other == Hidden(age: 1, powerLevel: .max))

    hidden = nil
    #expect(other != nil)
    try _hidden.saveToKeychain()
    try _other.loadFromKeychain()
    #expect(other == nil)
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

  @Test func classesAreSeparate() {
    @GenericPassword(service: "my.service", account: "peter") var generic: String?
    @InternetPassword(server: "my.service", account: "peter") var internet: String?
    generic = "The Valley Wind"
    #expect(internet == nil)
  }

  @Test func parametersAreProperties() {
    let generic = GenericPassword<Data>(service: "my.service", account: "peter")
    #expect(generic.service == "my.service" && generic.account == "peter")
    #expect(generic.refreshPolicy == .onAccess && generic.accessControl == nil)
    let internet = InternetPassword<Data>(
      server: "my.server", account: "my.account", domain: "my.domain",
      aProtocol: kSecAttrProtocolSSH, authenticationType: kSecAttrAuthenticationTypeHTMLForm,
      port: 8080, path: "/a/b/c")
    #expect(internet.server == "my.server" && internet.account == "my.account")
    #expect(internet.domain == "my.domain" && internet.aProtocol == "ssh ")
    #expect(internet.authenticationType == "form" && internet.port == 8080)
    #expect(internet.path == "/a/b/c")
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
    let directory = try VaultDirectory()
    let vault = directory.open()
    try SecretStores.withDefaultStore(vault) {
      @GenericPassword(service: "my.service") var name: String?
      name = "The Valley Wind"
      vault.lock()
      name = "The Sixth Station"
      #expect(name == "The Sixth Station")
      #expect(!_name.wrappedValueUnchanged && _name.storeError == .locked)
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
}
