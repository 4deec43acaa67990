import FoundationEssentials
import KeychainCompatibility
import TestSupport
import Testing

/// The choice between several items when a declaration omits parts of the identity.
#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
@Suite(.inMemory)
struct ItemMatchingTests {
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
