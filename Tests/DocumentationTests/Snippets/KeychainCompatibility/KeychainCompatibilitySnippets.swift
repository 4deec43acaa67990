import KeychainCompatibility
import TestSupport
import Testing

/// The code of the pages on migrating from FTPropertyWrappers.
struct KeychainCompatibilitySnippets: DeprecatedUse {
  enum Fact: CaseIterable, Sendable {
    case itemsKeepWhatIsNoted
  }

  @Test(arguments: Fact.allCases)
  func holds(_ fact: Fact) throws { try check(fact) }
}

@available(*, deprecated)
extension KeychainCompatibilitySnippets {
  struct Account {
    @GenericPassword(service: "com.example.app", account: "peter", refreshPolicy: .manual)
    var token: String?

    func rename() throws {
      try _token.loadFromKeychain()
      _token.comment = "The token of Peter"
      try _token.saveToKeychain()
    }
  }

  func verify(_ fact: Fact) throws {
    try SecretStores.withDefaultStore(InMemorySecretStore()) {
      @GenericPassword(service: "com.example.app", account: "peter") var token: String?
      token = "The Valley Wind"
      try Account().rename()
      try _token.loadFromKeychain()
      #expect(_token.comment == "The token of Peter" && token == "The Valley Wind")
    }
  }
}
