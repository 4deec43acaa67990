import FoundationEssentials
import KeychainCompatibility
import TestSupport
import Testing

/// The examples of the older package's documentation, with one import.
struct DocumentedUseTests: DeprecatedUse {
  enum Fact: CaseIterable, Sendable {
    case propertyIsLoadedAndStoredUponAccess
    case attributesAreLoadedAndStoredByHand
    case itemIsDeletedInThreeWays
    case dataIsBare
    case wrapperIsMadeInAnInitializer
  }

  @Test(arguments: Fact.allCases)
  func holds(_ fact: Fact) throws { try check(fact) }
}

@available(*, deprecated)
extension DocumentedUseTests {
  func verify(_ fact: Fact) throws {
    switch fact {
    case .propertyIsLoadedAndStoredUponAccess: propertyIsLoadedAndStoredUponAccess()
    case .attributesAreLoadedAndStoredByHand: try attributesAreLoadedAndStoredByHand()
    case .itemIsDeletedInThreeWays: try itemIsDeletedInThreeWays()
    case .dataIsBare: dataIsBare()
    case .wrapperIsMadeInAnInitializer: try wrapperIsMadeInAnInitializer()
    }
  }

  private func propertyIsLoadedAndStoredUponAccess() {
    inMemory {
      @GenericPassword(service: "my.service") var myName: String?
      myName = "Peter Parker"
      @GenericPassword(service: "my.service") var otherProperty: String?
      #expect("\(otherProperty as Any)" == #"Optional("Peter Parker")"#)
    }
  }

  private func attributesAreLoadedAndStoredByHand() throws {
    try inMemory {
      @GenericPassword(service: "my.service") var myName: String?
      myName = "Peter Parker"
      try _myName.loadFromKeychain()
      _myName.comment = "This is the name of a hero."
      try _myName.saveToKeychain()
      @GenericPassword(service: "my.service") var other: String?
      try _other.loadFromKeychain()
      #expect(_other.comment == "This is the name of a hero.")
    }
  }

  private func itemIsDeletedInThreeWays() throws {
    try inMemory {
      @GenericPassword(service: "my.service") var myName: String?
      myName = "Peter Parker"
      myName = nil
      try _myName.saveToKeychain()
      try _myName.deleteKeychain()
      @GenericPassword(service: "my.service") var other: String?
      #expect(other == nil)
    }
  }

  private func dataIsBare() {
    inMemory {
      @GenericPassword(service: "my.service") var myName: String?
      @GenericPassword(service: "my.service") var myData: Data?
      myName = "Peter Parker"
      #expect(myData == Data("Peter Parker".utf8))
    }
  }

  private func wrapperIsMadeInAnInitializer() throws {
    try inMemory {
      let view = View()
      try view.save(age: 3)
      #expect(try View().load() == 3)
    }
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
