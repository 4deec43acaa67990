import Concurrency
import KeychainCompatibility
import TestSupport
import Testing

/// Subclasses in an app, which observe every access.
struct SubclassTests: DeprecatedUse {
  enum Fact: Sendable {
    case propertyCallsWhatASubclassOverrides
    case errorsOfASubclassAreToldWithoutTheirWords
  }

  @Test func propertyCallsWhatASubclassOverrides() throws {
    try check(.propertyCallsWhatASubclassOverrides)
  }

  @Test func errorsOfASubclassAreToldWithoutTheirWords() async {
    // The handler belongs to the whole process.
    await #expect(processExitsWith: .success) {
      try SubclassTests().check(.errorsOfASubclassAreToldWithoutTheirWords)
    }
  }
}

@available(*, deprecated)
extension SubclassTests {
  func verify(_ fact: Fact) throws {
    switch fact {
    case .propertyCallsWhatASubclassOverrides: try hearOfEachAccess()
    case .errorsOfASubclassAreToldWithoutTheirWords: tellOfARefusal()
    }
  }

  private func hearOfEachAccess() throws {
    try inMemory {
      let password = HeardPassword(service: "my.service")
      password.wrappedValue = "The Valley Wind"
      #expect(password.wrappedValue == "The Valley Wind")
      password.comment = "A comment"
      password.wrappedValue = nil
      try password.saveToKeychain()
      #expect(
        password.heard == ["save", "load", "comment", "save", "delete", "save", "delete"])
    }
  }

  private func tellOfARefusal() {
    let told = Lock([SecretStorageFailure]())
    SecretStores.onFailure = { failure in told.withLock { $0.append(failure) } }
    inMemory {
      let password = RefusingPassword(service: "my.service", defaultValue: "default")
      #expect(password.wrappedValue == "default")
      password.wrappedValue = "The Valley Wind"
      #expect(password.wrappedValue == "The Valley Wind")
      #expect(told.withLock { $0.map(\.operation) } == [.read, .write])
      for failure in told.withLock({ $0 }) {
        #expect(password.storeError != nil && !"\(failure)".contains("The Valley Wind"))
      }
    }
  }
}

@available(*, deprecated)
private final class HeardPassword: GenericPassword<String> {
  private(set) var heard: [String] = []

  override var comment: String? {
    get { super.comment }
    set {
      heard.append("comment")
      super.comment = newValue
    }
  }

  override func loadFromKeychain() throws {
    heard.append("load")
    try super.loadFromKeychain()
  }

  override func saveToKeychain() throws {
    heard.append("save")
    try super.saveToKeychain()
  }

  override func deleteKeychain() throws {
    heard.append("delete")
    try super.deleteKeychain()
  }
}

@available(*, deprecated)
private final class RefusingPassword: GenericPassword<String> {
  struct Refusal: Error {
    let text = "The Valley Wind"
  }

  override func loadFromKeychain() throws { throw Refusal() }
  override func saveToKeychain() throws { throw Refusal() }
}
