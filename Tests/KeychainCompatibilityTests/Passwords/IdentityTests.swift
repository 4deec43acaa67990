import FoundationEssentials
import KeychainCompatibility
import Testing

/// The parts of an identity as properties have them, and the choice between several items.
#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
@Suite(.inMemory)
struct IdentityTests {
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

  /// Declares the server and the account of `Parts` alone.
  private let password = InternetPassword<String>(server: "my.server", account: "my.account")

  @Test func parametersAreProperties() {
    let generic = GenericPassword<Data>(service: "my.service", account: "peter")
    #expect(generic.service == "my.service" && generic.account == "peter")
    #expect(generic.refreshPolicy == .onAccess && generic.accessControl == nil)
    expectParts(Parts().password)
  }

  @Test func omittedPartsAreThoseOfTheFoundItem() {
    Parts().password.wrappedValue = "The Valley Wind"
    #expect(password.domain == nil)
    #expect(password.wrappedValue == "The Valley Wind")
    expectParts(password)
  }

  private func expectParts(_ password: InternetPassword<String>) {
    #expect(password.server == "my.server" && password.account == "my.account")
    #expect(password.domain == "my.domain" && password.aProtocol == "ssh ")
    #expect(password.authenticationType == "form" && password.port == 8080)
    #expect(password.path == "/a/b/c")
  }

  @Test func deletionRestoresTheDeclaredParts() throws {
    Parts().password.wrappedValue = "The Valley Wind"
    try password.loadFromKeychain()
    try password.deleteKeychain()
    #expect(password.port == nil && password.server == "my.server")
    // The item that a save adds has the declared identity.
    password.wrappedValue = "The Sixth Station"
    #expect(Parts().password.wrappedValue == nil)
  }

  @Test func accountIsThatOfTheFoundItem() throws {
    GenericPassword<String>(service: "service", account: "peter").wrappedValue = "secret"
    let password = GenericPassword<String>(service: "service", refreshPolicy: .manual)
    #expect(password.account == nil)
    try password.loadFromKeychain()
    #expect(password.account == "peter" && password.service == "service")
  }

  @Test func classesAndKeysMatchTheFramework() {
    let generic = GenericPassword<String>(service: "service")
    #expect(generic.itemClass == kSecClassGenericPassword)
    #expect(generic.primaryKey == [kSecAttrAccount, kSecAttrService])
    #expect(password.itemClass == kSecClassInternetPassword)
    #expect(password.primaryKey.isSuperset(of: [kSecAttrAccount, kSecAttrServer, kSecAttrPort]))
    #expect(password.primaryKey.count == 7)
  }

  @Test func declaredAccessControlIsKept() {
    #expect(GenericPassword<String>(service: "service").defaultAccessControl == nil)
    let settings: GenericPassword<String>.AccessControlSettings? = GenericPassword<String>(
      service: "service", accessOption: kSecAttrAccessibleWhenUnlocked, accessFlags: .userPresence
    ).defaultAccessControl
    #expect(settings?.access == kSecAttrAccessibleWhenUnlocked)
    #expect(settings?.flags == .userPresence)
  }

  @Test func accountsAreSeparate() throws {
    try checkAccounts(GenericData.self)
    try checkAccounts(InternetData.self)
  }

  @Test func everyPartDistinguishesItems() {
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
    let accounts = ["gamma", "alpha", "theta", "delta", "eta", "beta"]
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
