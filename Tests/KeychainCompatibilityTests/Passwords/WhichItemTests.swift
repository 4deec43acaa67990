import FoundationEssentials
import KeychainCompatibility
import TestSupport
import Testing

/// The choice between several items when a declaration omits parts of the identity.
struct WhichItemTests: DeprecatedUse {
  enum Fact: CaseIterable, Sendable {
    case lessSaidFindsWhatSaysMore
    case moreSaidDoesNotFindWhatSaysLess
    case ofSeveralTheOldestIsMeant
    case accountsAreApart
    case everyPartTellsItemsApart
  }

  @Test(arguments: Fact.allCases)
  func holds(_ fact: Fact) throws { try check(fact) }
}

@available(*, deprecated)
extension WhichItemTests {
  func verify(_ fact: Fact) throws {
    switch fact {
    case .lessSaidFindsWhatSaysMore: lessSaidFindsWhatSaysMore()
    case .moreSaidDoesNotFindWhatSaysLess: moreSaidDoesNotFindWhatSaysLess()
    case .ofSeveralTheOldestIsMeant: try ofSeveralTheOldestIsMeant()
    case .accountsAreApart: try accountsAreApart()
    case .everyPartTellsItemsApart: everyPartTellsItemsApart()
    }
  }

  private struct Passwords {
    @InternetPassword(
      server: "my.server",
      account: "my.account",
      domain: "my.domain",
      aProtocol: kSecAttrProtocolSSH,
      authenticationType: kSecAttrAuthenticationTypeHTMLForm,
      port: 8080,
      path: "/a/b/c"
    ) var declA: String?
    @InternetPassword(
      server: "my.server",
      account: "my.account"
    ) var declB: String?
    @InternetPassword(
      server: "my.server",
      account: "my.account",
      domain: "my.domain",
      aProtocol: kSecAttrProtocolFTP,
      authenticationType: kSecAttrAuthenticationTypeHTMLForm,
      port: 8080,
      path: "/a/b/c"
    ) var declC: String?

    func deleteC() throws { try _declC.deleteKeychain() }
  }

  private struct Parts {
    var server = "my.server"
    var account = "my.account"
    var domain = "my.domain"
    var aProtocol = kSecAttrProtocolSSH
    var authenticationType = kSecAttrAuthenticationTypeHTMLForm
    var port: UInt16 = 8080
    var path = "/a/b/c"

    var password: InternetPassword<String> {
      InternetPassword(
        server: server, account: account, domain: domain, aProtocol: aProtocol,
        authenticationType: authenticationType, port: port, path: path)
    }
  }

  private func lessSaidFindsWhatSaysMore() {
    inMemory {
      let passwords = Passwords()
      passwords.declA = "The Valley Wind"
      #expect(passwords.declB == "The Valley Wind")
    }
  }

  private func moreSaidDoesNotFindWhatSaysLess() {
    inMemory {
      let passwords = Passwords()
      passwords.declB = "The Valley Wind"
      #expect(passwords.declA == nil)
    }
  }

  private func ofSeveralTheOldestIsMeant() throws {
    try inMemory {
      let passwords = Passwords()
      passwords.declC = "The Sixth Station"
      passwords.declA = "The Valley Wind"
      #expect(passwords.declB == "The Sixth Station")
      try passwords.deleteC()
      #expect(passwords.declB == "The Valley Wind")
    }
  }

  private func accountsAreApart() throws {
    try inMemory { try checkAccounts(GenericData.self) }
    try inMemory { try checkAccounts(InternetData.self) }
  }

  private func everyPartTellsItemsApart() {
    let changes: [(inout Parts) -> Void] = [
      { $0.server = "other" }, { $0.account = "other" }, { $0.domain = "other" },
      { $0.aProtocol = kSecAttrProtocolFTP },
      { $0.authenticationType = kSecAttrAuthenticationTypeNTLM }, { $0.port = 8081 },
      { $0.path = "/" },
    ]
    for change in changes {
      inMemory {
        Parts().password.wrappedValue = "The Valley Wind"
        var parts = Parts()
        change(&parts)
        #expect(parts.password.wrappedValue == nil)
        parts.password.wrappedValue = "The Sixth Station"
        #expect(Parts().password.wrappedValue == "The Valley Wind")
      }
    }
  }

  private func checkAccounts<Wrapper: PasswordWrapper>(_ type: Wrapper.Type) throws {
    let accounts = ["alpha", "beta", "gamma", "delta", "eta", "theta"].shuffled()
    for account in accounts {
      let password = type.make(.manual, account: account)
      password.wrappedValue = Data(account.utf8)
      try password.saveToKeychain()
    }
    let any = type.make(.manual)
    for first in accounts {
      try any.loadFromKeychain()
      #expect(any.wrappedValue == Data(first.utf8))
      let password = type.make(.manual, account: first)
      try password.loadFromKeychain()
      #expect(password.wrappedValue == Data(first.utf8))
      try password.deleteKeychain()
    }
    try any.loadFromKeychain()
    #expect(any.wrappedValue == nil)
  }
}
