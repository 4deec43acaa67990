import FoundationEssentials
import KeyValueStorage
import KeychainCompatibility
import TestSupport
import Testing

/// The output of the examples, according to the documentation of the older versions.
struct DocumentedOutputTests: DeprecatedUse {
  enum Fact: CaseIterable, Sendable {
    case declarationsThatSayLess
    case accessesOfAQueue
    case commentOfAPassword
    case settingWithADefaultValue
    case settingsOfBothForms
    case serviceWithObservers
    case adapterWithKeys
  }

  @Test(arguments: Fact.allCases)
  func holds(_ fact: Fact) throws { try check(fact) }
}

@available(*, deprecated)
extension DocumentedOutputTests {
  func verify(_ fact: Fact) throws {
    switch fact {
    case .declarationsThatSayLess: try inMemory(declarationsThatSayLess)
    case .accessesOfAQueue: accessesOfAQueue()
    case .commentOfAPassword: try inMemory(commentOfAPassword)
    case .settingWithADefaultValue: settingWithADefaultValue()
    case .settingsOfBothForms: settingsOfBothForms()
    case .serviceWithObservers: serviceWithObservers()
    case .adapterWithKeys: try inMemory(adapterWithKeys)
    }
  }

  /// Compares with the output of `print` for the same values.
  private func expect(_ printed: Any?..., is text: String, line: Int = #line) {
    let shown = printed.map { "\($0 as Any)" }.joined(separator: " ")
    #expect(shown == text, "line \(line)")
  }

  // 2.0 and 1.x

  private func declarationsThatSayLess() throws {
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

  private struct Numbers {
    @Serialized var number: Int = 20
    @Serialized(customQueue: "my.queue.identifier") var otherNumber: Int = 30

    func double() { _number.asyncAccess { current -> Int in current * 2 } }
  }

  private func accessesOfAQueue() {
    let numbers = Numbers()
    numbers.double()
    numbers.otherNumber += 1
    expect(numbers.number, numbers.otherNumber, is: "Optional(40) Optional(31)")
  }

  private func commentOfAPassword() throws {
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

  // 1.x

  private func settingWithADefaultValue() {
    let store = KeyValueStore()
    @DefaultsStore(key: "key.for.number", defaultValue: 10, defaults: store) var number: Int?
    expect(number, is: "Optional(10)")
    number = 30
    expect(number, is: "Optional(30)")
    number = nil
    expect(number, is: "Optional(10)")
  }

  private func settingsOfBothForms() {
    let store = KeyValueStore()
    @DefaultsStore(key: "key.for.number", defaults: store) var number: Int?
    @DefaultsStore(key: "key.for.person", defaults: store) var person: Person?
    expect(number, person, is: "nil nil")
    number = 3
    person = Person(age: 15, name: "Peter")
    @DefaultsStore(key: "key.for.number", defaults: store) var sameNumber: Int?
    @DefaultsStore(key: "key.for.person", defaults: store) var samePerson: Person?
    expect(sameNumber, samePerson?.name, is: #"Optional(3) Optional("Peter")"#)
  }

  private final class UserService {
    @StoredSubject var user = Person(age: 0, name: "")

    func observeUser(subscription: @escaping (Person) -> Void) -> any Disposable {
      _user.observe(subscription)
    }
  }

  private final class LoginController {
    private(set) var greeted: [String] = []
    private let bag = DisposeBag()

    init(userService: UserService) {
      userService.observeUser { [unowned self] user in greeted.append(user.name) }
        .dispose(in: bag)
    }
  }

  private func serviceWithObservers() {
    let service = UserService()
    var controller: LoginController? = LoginController(userService: service)
    service.user = Person(age: 15, name: "Peter")
    service.user = Person(age: 16, name: "Miles")
    expect(controller?.greeted, is: #"Optional(["Peter", "Miles"])"#)
    controller = nil
    service.user = Person(age: 17, name: "Gwen")
    expect(controller?.greeted, is: "nil")
  }

  // 0.x

  private struct Adapted {
    @KeychainStore(key: "tester.number") var number: Int?
    @KeychainStore(
      key: "tester.list",
      storageAdapter: CodableKeychainAdapter(
        serviceIdentifier: "com.example.app", biometricAuthRequired: false)
    ) var list: [Int]?
  }

  private func adapterWithKeys() throws {
    let adapted = Adapted()
    expect(adapted.number, adapted.list, is: "nil nil")
    adapted.number = 15
    adapted.list = [10, 20, 30]
    adapted.list?[1] = 50
    expect(Adapted().number, Adapted().list, is: "Optional(15) Optional([10, 50, 30])")
    let number: Int = try CodableKeychainAdapter.defaultDomain.load(for: "tester.number")
    let bytes: Data = try CodableKeychainAdapter.defaultDomain.load(for: "tester.number")
    expect(number, String(decoding: bytes, as: UTF8.self), is: #"Optional(15) Optional("15")"#)
    try CodableKeychainAdapter.defaultDomain.deleteAll()
    adapted.list = nil
    expect(adapted.number, adapted.list, is: "nil nil")
  }
}
