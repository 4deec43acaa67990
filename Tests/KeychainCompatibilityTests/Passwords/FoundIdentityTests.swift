import KeychainCompatibility
import TestSupport
import Testing

/// The parts of an identity, its class and its keys, as properties have them.
#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
@Suite(.inMemory)
struct FoundIdentityTests {
  private struct Passwords {
    @InternetPassword(
      server: "my.server", account: "my.account", domain: "my.domain",
      aProtocol: kSecAttrProtocolSSH, authenticationType: kSecAttrAuthenticationTypeHTMLForm,
      port: 8080, path: "/a/b/c"
    ) var declA: String?
    @InternetPassword(server: "my.server", account: "my.account") var declB: String?

    var ofB: InternetPassword<String> { _declB }
  }

  @Test func omittedPartsAreThoseOfTheFoundItem() {
    let passwords = Passwords()
    passwords.declA = "The Valley Wind"
    #expect(passwords.ofB.domain == nil)
    #expect(passwords.declB == "The Valley Wind")
    #expect(passwords.ofB.domain == "my.domain")
    #expect(passwords.ofB.aProtocol == kSecAttrProtocolSSH)
    #expect(passwords.ofB.authenticationType == kSecAttrAuthenticationTypeHTMLForm)
    #expect(passwords.ofB.port == 8080)
    #expect(passwords.ofB.path == "/a/b/c")
    #expect(passwords.ofB.server == "my.server" && passwords.ofB.account == "my.account")
  }

  @Test func deletionRestoresTheDeclaredParts() throws {
    let passwords = Passwords()
    passwords.declA = "The Valley Wind"
    try passwords.ofB.loadFromKeychain()
    try passwords.ofB.deleteKeychain()
    #expect(passwords.ofB.port == nil && passwords.ofB.server == "my.server")
    // The item that a save adds has the declared identity.
    passwords.declB = "The Sixth Station"
    #expect(passwords.declA == nil)
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
    let internet = InternetPassword<String>(server: "server")
    #expect(internet.itemClass == kSecClassInternetPassword)
    #expect(internet.primaryKey.isSuperset(of: [kSecAttrAccount, kSecAttrServer, kSecAttrPort]))
    #expect(internet.primaryKey.count == 7)
  }

  @Test func declaredAccessControlIsKept() {
    #expect(GenericPassword<String>(service: "service").defaultAccessControl == nil)
    let settings: GenericPassword<String>.AccessControlSettings? = GenericPassword<String>(
      service: "service", accessOption: kSecAttrAccessibleWhenUnlocked, accessFlags: .userPresence
    ).defaultAccessControl
    #expect(settings?.access == kSecAttrAccessibleWhenUnlocked)
    #expect(settings?.flags == .userPresence)
  }
}
