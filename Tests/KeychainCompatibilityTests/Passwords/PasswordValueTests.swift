import FoundationEssentials
import KeychainCompatibility
import StorageInternals
import TestSupport
import Testing

/// The value of a password: policies, defaults, saving, deleting, and failures.
struct PasswordValueTests: DeprecatedUse {
  enum Fact: CaseIterable, Sendable {
    case propertiesOfOneItemShareItsValue
    case manualPropertyWaits
    case defaultValueIsGivenButNotStored
    case savingTheOtherClassIsAnotherItem
    case parametersAreProperties
    case otherTypeIsAnErrorThatChangesNothing
    case valueThatCannotBeSavedIsKept
    case valueWithoutAStoredFormIsKept
    case nothingOfAPasswordIsShown
  }

  @Test(arguments: Fact.allCases)
  func holds(_ fact: Fact) throws { try check(fact) }
}

@available(*, deprecated)
extension PasswordValueTests {
  func verify(_ fact: Fact) throws {
    switch fact {
    case .propertiesOfOneItemShareItsValue: propertiesOfOneItemShareItsValue()
    case .manualPropertyWaits: try manualPropertyWaits()
    case .defaultValueIsGivenButNotStored: try defaultValueIsGivenButNotStored()
    case .savingTheOtherClassIsAnotherItem: savingTheOtherClassIsAnotherItem()
    case .parametersAreProperties: parametersAreProperties()
    case .otherTypeIsAnErrorThatChangesNothing: try otherTypeIsAnErrorThatChangesNothing()
    case .valueThatCannotBeSavedIsKept: try valueThatCannotBeSavedIsKept()
    case .valueWithoutAStoredFormIsKept: try valueWithoutAStoredFormIsKept()
    case .nothingOfAPasswordIsShown: nothingOfAPasswordIsShown()
    }
  }

  private struct Hidden: Codable, Equatable {
    var age: Int
    var powerLevel: UInt64
  }

  private func propertiesOfOneItemShareItsValue() {
    inMemory {
      @GenericPassword(service: "my.service") var name: String?
      name = "Peter Parker"
      @GenericPassword(service: "my.service") var other: String?
      #expect(other == "Peter Parker")
      other = "Miles Morales"
      #expect(name == "Miles Morales")
      name = nil
      #expect(other == nil)
    }
  }

  private func manualPropertyWaits() throws {
    try inMemory {
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
  }

  private func defaultValueIsGivenButNotStored() throws {
    try inMemory {
      @GenericPassword(service: "my.service", defaultValue: 10) var number: Int?
      #expect(number == 10)
      @GenericPassword(service: "my.service") var stored: Int?
      #expect(stored == nil)
      number = 30
      #expect(number == 30 && stored == 30)
      try _number.deleteKeychain()
      #expect(number == 10 && stored == nil)
    }
  }

  private func savingTheOtherClassIsAnotherItem() {
    inMemory {
      @GenericPassword(service: "my.service", account: "peter") var generic: String?
      @InternetPassword(server: "my.service", account: "peter") var internet: String?
      generic = "The Valley Wind"
      #expect(internet == nil)
    }
  }

  private func parametersAreProperties() {
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

  private func otherTypeIsAnErrorThatChangesNothing() throws {
    try inMemory {
      let text = GenericPassword<String>(service: "my.service")
      let number = GenericPassword<UInt8>(service: "my.service", refreshPolicy: .manual)
      text.wrappedValue = "text"
      number.wrappedValue = 7
      let error = #expect(throws: KeychainError.self) { try number.loadFromKeychain() }
      guard case .generalDecodingFailure = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(number.wrappedValue == 7 && number.storeError == .undecodable("UInt8"))
      try number.saveToKeychain()
      #expect(number.storeError == nil)
      #expect(text.wrappedValue == "\u{7}\0\0\0\0\0\0\0")
    }
  }

  private func valueThatCannotBeSavedIsKept() throws {
    let directory = try TemporaryDirectory()
    let vault = SecretVault(
      fileURL: directory.url.appending(path: "secrets.vault"), stateDirectory: directory.url)
    try SecretStores.withDefaultStore(vault) {
      @GenericPassword(service: "my.service") var name: String?
      name = "The Valley Wind"
      vault.lock()
      name = "The Sixth Station"
      #expect(name == "The Sixth Station")
      #expect(!_name.wrappedValueUnchanged && _name.storeError == .locked)
      let error = #expect(throws: KeychainError.self) { try _name.saveToKeychain() }
      guard case .osSecure(status: errSecInteractionNotAllowed) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      try vault.unlock()
      try _name.saveToKeychain()
      #expect(_name.wrappedValueUnchanged && _name.storeError == nil)
      @GenericPassword(service: "my.service") var other: String?
      #expect(other == "The Sixth Station")
    }
  }

  private func valueWithoutAStoredFormIsKept() throws {
    try inMemory {
      @GenericPassword(service: "my.service") var words: [String]?
      @GenericPassword(service: "my.service") var stored: [String]?
      words = ["Wind"]
      words = ["$null"]
      #expect(words == ["$null"] && stored == ["Wind"])
      let error = #expect(throws: KeychainError.self) { try _words.saveToKeychain() }
      guard case .generalEncodingFailure = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      try _words.loadFromKeychain()
      #expect(words == ["Wind"])
    }
  }

  private func nothingOfAPasswordIsShown() {
    inMemory {
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
}
