import FoundationEssentials
import KeychainCompatibility
import TestSupport
import Testing

/// The effect on a stored attribute of saving a password whose attribute is nil.
#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
@Suite(.inMemory)
struct ClearedAttributeTests {
  @Test func manualNilIsCleared() throws {
    try expectCleared(GenericData.self)
    try expectCleared(InternetData.self)
  }

  private func expectCleared<Wrapper: PasswordWrapper>(_ type: Wrapper.Type) throws {
    try clears(\Wrapper.description, "Hello")
    try clears(\Wrapper.comment, "Hello")
    try clears(\Wrapper.creator, 150)
    try clears(\Wrapper.creator, 0)
    try clears(\Wrapper.type, 150)
    try clears(\Wrapper.type, 0)
    try clears(\Wrapper.label, "Hello")
    try clears(\Wrapper.label, "")
    try clears(\Wrapper.isInvisible, true)
    try clears(\Wrapper.isInvisible, false)
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
