import FoundationEssentials
import KeychainCompatibility
import TestSupport
import Testing

/// The attributes of both classes, by key paths.
#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
@Suite(.inMemory)
struct AttributeTests {
  @Test func textsAreSaved() throws {
    for keyPath in [\GenericData.description, \.comment, \.label] {
      try check(keyPath, "Hello", "World")
    }
    for keyPath in [\InternetData.description, \.comment, \.label] {
      try check(keyPath, "Hello", "World")
    }
  }

  @Test func integerLiteralsAreCodes() throws {
    try check(\GenericData.creator, 150 as CFNumber, 0 as CFNumber)
    try check(\GenericData.type, 150 as CFNumber, 0 as CFNumber)
    try check(\InternetData.creator, 150 as CFNumber, 0 as CFNumber)
    try check(\InternetData.type, 150 as CFNumber, 0 as CFNumber)
  }

  @Test func invisibilityIsSaved() throws {
    try check(\GenericData.isInvisible, true, false)
    try check(\InternetData.isInvisible, true, false)
  }

  @Test func accessibilityIsSaved() throws {
    let constants = [
      kSecAttrAccessibleWhenUnlocked, kSecAttrAccessibleAfterFirstUnlock, kSecAttrAccessibleAlways,
      kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
      kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, kSecAttrAccessibleAlwaysThisDeviceOnly,
    ]
    for constant in constants {
      try inMemory {
        let password = InternetData.make(.manual)
        password.wrappedValue = Data([1])
        password.accesible = kSecAttrAccessibleAlways
        try password.saveToKeychain()
        password.accesible = constant
        try password.saveToKeychain()
        let other = InternetData.make(.manual)
        try other.loadFromKeychain()
        #expect(other.accesible == constant)
      }
    }
  }

  @Test func codeThatDoesNotFitIsAnError() {
    let password = GenericData.make(.manual)
    password.wrappedValue = Data()
    password.creator = -1
    #expect(thrownError { try password.saveToKeychain() } == "osSucureInvalidParameter")
    #expect(!password.wrappedValueUnchanged)
  }

  @Test func datesAreThoseOfTheStore() throws {
    try checkDates(GenericData.self)
    try checkDates(InternetData.self)
  }

  private func checkDates<Wrapper: PasswordWrapper>(_ type: Wrapper.Type) throws {
    let one = type.make(.onAccess)
    let other = type.make(.manual)
    try one.loadFromKeychain()
    #expect(one.creationDate == nil && one.modificationDate == nil)

    one.wrappedValue = Data("A".utf8)
    try other.loadFromKeychain()
    let creation = try #require(other.creationDate)
    #expect(one.creationDate == creation && one.modificationDate == other.modificationDate)

    one.wrappedValue = Data("B".utf8)
    try other.loadFromKeychain()
    #expect(one.creationDate == creation && other.creationDate == creation)
    #expect(try #require(other.modificationDate) > creation)
    #expect(one.modificationDate == other.modificationDate)

    try other.deleteKeychain()
    try one.loadFromKeychain()
    #expect(one.creationDate == nil && other.modificationDate == nil)
  }

  private func check<Wrapper: PasswordWrapper, Value: Equatable>(
    _ keyPath: ReferenceWritableKeyPath<Wrapper, Value?>, _ first: Value, _ second: Value
  ) throws {
    let one = Wrapper.make(.onAccess)
    let other = Wrapper.make(.manual)
    try one.deleteKeychain()
    try one.loadFromKeychain()
    #expect(one[keyPath: keyPath] == nil)

    // Without an item, the attribute waits.
    one[keyPath: keyPath] = first
    try other.loadFromKeychain()
    #expect(one[keyPath: keyPath] == first)
    #expect(other[keyPath: keyPath] == nil)

    // The attribute is saved with the value.
    one.wrappedValue = Data("A".utf8)
    try other.loadFromKeychain()
    #expect(one[keyPath: keyPath] == first)
    #expect(other[keyPath: keyPath] == first)
    #expect(other.wrappedValue == Data("A".utf8))

    // With the manual policy, the attribute is saved when the app asks for it.
    other[keyPath: keyPath] = second
    other.wrappedValue = Data("B".utf8)
    try one.loadFromKeychain()
    #expect(one[keyPath: keyPath] == first)
    #expect(other[keyPath: keyPath] == second)
    try other.saveToKeychain()
    try one.loadFromKeychain()
    #expect(one[keyPath: keyPath] == second)

    // Saving nil keeps the stored attribute; a get, which loads, discards the nil.
    one[keyPath: keyPath] = nil
    try other.loadFromKeychain()
    #expect(one[keyPath: keyPath] == nil)
    #expect(other[keyPath: keyPath] == second)
    #expect(one.wrappedValue == Data("B".utf8))
    #expect(one[keyPath: keyPath] == second)
    one[keyPath: keyPath] = nil
    try one.saveToKeychain()
    try one.loadFromKeychain()
    #expect(one[keyPath: keyPath] == second)

    // The attribute that is set here overwrites the one that another wrapper saved meanwhile.
    try other.loadFromKeychain()
    one[keyPath: keyPath] = first
    try one.saveToKeychain()
    try other.saveToKeychain()
    try one.loadFromKeychain()
    #expect(one[keyPath: keyPath] == second)

    try one.deleteKeychain()
    try other.loadFromKeychain()
    #expect(one[keyPath: keyPath] == nil && other[keyPath: keyPath] == nil)
    #expect(one.wrappedValue == nil && other.wrappedValue == nil)
  }
}
