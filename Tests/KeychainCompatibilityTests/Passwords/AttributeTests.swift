import FoundationEssentials
import KeychainCompatibility
import Testing

/// The attributes of both classes, by key paths.
#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
@Suite(.inMemory)
struct AttributeTests {
  @Test func attributesAreSaved() throws {
    try checkEach(of: GenericData.self)
    try checkEach(of: InternetData.self)
  }

  private func checkEach<Wrapper: PasswordWrapper>(of type: Wrapper.Type) throws {
    let texts: [ReferenceWritableKeyPath<Wrapper, String?>] = [\.description, \.comment, \.label]
    for keyPath in texts { try check(keyPath, "Hello", "World") }
    try check(\Wrapper.creator, 150 as CFNumber, 0 as CFNumber)
    try check(\Wrapper.type, 150 as CFNumber, 0 as CFNumber)
    try check(\Wrapper.isInvisible, true, false)
  }

  @Test func accessibilityIsSaved() throws {
    for (constant, _) in ConstantTests.accessibilities
    where constant != kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly {
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
    let passwords = [type.make(.onAccess), type.make(.manual)]
    for password in passwords {
      #expect(password.creationDate == nil && password.modificationDate == nil)
    }
    for value in ["A", "B"] {
      passwords[0].wrappedValue = Data(value.utf8)
      try passwords[1].loadFromKeychain()
      let item = try #require(try SecretStores.defaultStore.items(matching: .all).first)
      for password in passwords {
        #expect(password.creationDate == item.creationDate)
        #expect(password.modificationDate == item.modificationDate)
      }
    }
    try passwords[1].deleteKeychain()
    try passwords[0].loadFromKeychain()
    for password in passwords {
      #expect(password.creationDate == nil && password.modificationDate == nil)
    }
  }

  private func check<Wrapper: PasswordWrapper, Value: Equatable>(
    _ keyPath: ReferenceWritableKeyPath<Wrapper, Value?>, _ first: Value, _ second: Value
  ) throws {
    let one = Wrapper.make(.onAccess)
    let other = Wrapper.make(.manual)
    func values() -> [Value?] { [one[keyPath: keyPath], other[keyPath: keyPath]] }
    try one.deleteKeychain()
    try one.loadFromKeychain()
    #expect(one[keyPath: keyPath] == nil)

    // Without an item, the attribute waits.
    one[keyPath: keyPath] = first
    try other.loadFromKeychain()
    #expect(values() == [first, nil])

    // The attribute is saved with the value.
    one.wrappedValue = Data("A".utf8)
    try other.loadFromKeychain()
    #expect(values() == [first, first])
    #expect(other.wrappedValue == Data("A".utf8))

    // With the manual policy, the attribute is saved when the app asks for it.
    other[keyPath: keyPath] = second
    other.wrappedValue = Data("B".utf8)
    try one.loadFromKeychain()
    #expect(values() == [first, second])
    try other.saveToKeychain()
    try one.loadFromKeychain()
    #expect(one[keyPath: keyPath] == second)

    // Saving nil keeps the stored attribute; a get, which loads, discards the nil.
    one[keyPath: keyPath] = nil
    try other.loadFromKeychain()
    #expect(values() == [nil, second])
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
    #expect(values() == [nil, nil])
    #expect(one.wrappedValue == nil && other.wrappedValue == nil)
  }

  /// Unlike a nil of another policy, which keeps the stored attribute.
  @Test func manualNilIsCleared() throws {
    try expectCleared(GenericData.self)
    try expectCleared(InternetData.self)
  }

  private func expectCleared<Wrapper: PasswordWrapper>(_ type: Wrapper.Type) throws {
    try clears(\Wrapper.description, "Hello")
    try clears(\Wrapper.comment, "Hello")
    for label in ["Hello", ""] { try clears(\Wrapper.label, label) }
    for code in [150, 0] as [CFNumber] {
      try clears(\Wrapper.creator, code)
      try clears(\Wrapper.type, code)
    }
    for isInvisible in [true, false] { try clears(\Wrapper.isInvisible, isInvisible) }
  }

  private func clears<Wrapper: PasswordWrapper, Value: Equatable>(
    _ keyPath: ReferenceWritableKeyPath<Wrapper, Value?>, _ value: Value
  ) throws {
    let one = try saved(Wrapper.self)
    one[keyPath: keyPath] = value
    try one.saveToKeychain()
    #expect(try stored(keyPath) == value)

    one[keyPath: keyPath] = nil
    try one.saveToKeychain()
    #expect(try stored(keyPath) == nil)

    // The same holds for a wrapper that has neither loaded nor set the attribute.
    one[keyPath: keyPath] = value
    try one.saveToKeychain()
    let other = Wrapper.make(.manual)
    other.wrappedValue = Data("B".utf8)
    other[keyPath: keyPath] = nil
    try other.saveToKeychain()
    #expect(try stored(keyPath) == nil)
    try one.deleteKeychain()
  }

  @Test func attributeThatWasNeverSetIsKept() throws {
    let one = try saved(GenericData.self)
    one.comment = "Hello"
    one.label = "World"
    try one.saveToKeychain()
    let other = GenericData.make(.manual)
    other.wrappedValue = Data("B".utf8)
    other.label = nil
    try other.saveToKeychain()
    #expect(try stored(\GenericData.comment) == "Hello")
    #expect(try stored(\GenericData.label) == nil)
  }

  @Test(arguments: [true, false])
  func nilIsForgottenAfterALoadOrSave(_ isLoaded: Bool) throws {
    let one = try saved(GenericData.self)
    one.comment = nil
    if isLoaded { try one.loadFromKeychain() } else { try one.saveToKeychain() }
    let other = try saved(GenericData.self)
    other.comment = "Hello"
    try other.saveToKeychain()
    try one.saveToKeychain()
    #expect(try stored(\GenericData.comment) == "Hello")
  }

  @Test func attributeThatIsSetAgainIsSaved() throws {
    let one = try saved(GenericData.self)
    one.comment = nil
    one.comment = ""
    one.type = nil
    one.type = 0
    try one.saveToKeychain()
    #expect(try stored(\GenericData.comment) == "")
    #expect(try stored(\GenericData.type) == 0)
  }

  @Test func nilAccessibilityKeepsTheStoredOne() throws {
    let one = try saved(GenericData.self)
    one.accesible = kSecAttrAccessibleAlways
    try one.saveToKeychain()
    one.accesible = nil
    one.comment = nil
    try one.saveToKeychain()
    #expect(try stored(\GenericData.accesible) == kSecAttrAccessibleAlways)
  }

  private func saved<Wrapper: PasswordWrapper>(_ type: Wrapper.Type) throws -> Wrapper {
    let password = type.make(.manual)
    password.wrappedValue = Data("A".utf8)
    try password.saveToKeychain()
    return password
  }

  private func stored<Wrapper: PasswordWrapper, Value>(
    _ keyPath: KeyPath<Wrapper, Value?>
  ) throws -> Value? {
    let password = Wrapper.make(.manual)
    try password.loadFromKeychain()
    #expect(password.wrappedValue != nil)
    return password[keyPath: keyPath]
  }
}
