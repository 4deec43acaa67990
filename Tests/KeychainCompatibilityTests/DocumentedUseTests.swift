import FoundationEssentials
import KeychainCompatibility
import TestSupport
import Testing

/// The examples of the older package's documentation, and their output.
#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
@Suite(.inMemory)
struct DocumentedUseTests {
  /// Compares with the output of `print` for the same values.
  private func expect(_ printed: Any?..., is text: String, line: Int = #line) {
    let shown = printed.map { "\($0 as Any)" }.joined(separator: " ")
    #expect(shown == text, "line \(line)")
  }

  @Test func omittedPartsMatchTheOldestItem() throws {
    @InternetPassword(
      server: "my.server",
      account: "my.account",
      domain: "my.domain",
      aProtocol: kSecAttrProtocolSSH,
      authenticationType: kSecAttrAuthenticationTypeHTMLForm,
      port: 8080,
      path: "/a/b/c"
    ) var declA: String?
    @InternetPassword(server: "my.server", account: "my.account") var declB: String?
    @InternetPassword(
      server: "my.server",
      account: "my.account",
      domain: "my.domain",
      aProtocol: kSecAttrProtocolFTP,
      authenticationType: kSecAttrAuthenticationTypeHTMLForm,
      port: 8080,
      path: "/a/b/c"
    ) var declC: String?

    declA = "The Valley Wind"
    expect(declB, is: #"Optional("The Valley Wind")"#)
    try _declA.deleteKeychain()

    declB = "The Valley Wind"
    expect(declA, is: "nil")
    try _declB.deleteKeychain()

    declC = "The Sixth Station"
    declA = "The Valley Wind"
    expect(declB, is: #"Optional("The Sixth Station")"#)
    try _declC.deleteKeychain()
    expect(declB, is: #"Optional("The Valley Wind")"#)
  }

  @Test func commentIsLoadedAndSaved() throws {
    @GenericPassword(service: "my.service") var name: String?
    name = "Peter Parker"
    try _name.loadFromKeychain()
    _name.comment = "The name of a hero"
    try _name.saveToKeychain()
    @GenericPassword(service: "my.service", refreshPolicy: .manual) var other: String?
    try _other.loadFromKeychain()
    expect(
      other, _other.comment, is: #"Optional("Peter Parker") Optional("The name of a hero")"#)
    name = nil
    expect(name, is: "nil")
  }

  @Test func itemIsRemovedInThreeWays() throws {
    @GenericPassword(service: "my.service") var myName: String?
    myName = "Peter Parker"
    myName = nil
    try _myName.saveToKeychain()
    try _myName.deleteKeychain()
    @GenericPassword(service: "my.service") var other: String?
    #expect(other == nil)
  }

  @Test func dataIsTheBytesOfText() {
    @GenericPassword(service: "my.service") var myName: String?
    @GenericPassword(service: "my.service") var myData: Data?
    myName = "Peter Parker"
    #expect(myData == Data("Peter Parker".utf8))
  }

  @Test func wrapperIsInitializedInAnInitializer() throws {
    let view = View()
    try view.save(age: 3)
    #expect(try View().load() == 3)
  }
}

@available(*, deprecated)
private struct View {
  struct Hidden: Codable {
    var age: Int
    var powerLevel: UInt64
  }

  @GenericPassword var data: Hidden?

  init() {
    _data = GenericPassword<Hidden>(
      service: "com.example.app.data", account: "peter@example.com", refreshPolicy: .manual)
  }

  func save(age: Int) throws {
    data = Hidden(age: age, powerLevel: 9001)
    try self._data.saveToKeychain()
  }

  func load() throws -> Int? {
    try self._data.loadFromKeychain()
    return data?.age
  }
}
