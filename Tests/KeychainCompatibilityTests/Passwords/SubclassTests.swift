import Concurrency
import KeychainCompatibility
import TestSupport
import Testing

/// Subclasses in an app, which observe every access.
#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
struct SubclassTests {
  @Test(.inMemory) func propertyCallsOverriddenMethods() throws {
    let password = HeardPassword(service: "my.service")
    password.wrappedValue = "The Valley Wind"
    #expect(password.wrappedValue == "The Valley Wind")
    password.comment = "A comment"
    password.wrappedValue = nil
    try password.saveToKeychain()
    #expect(password.heard == ["save", "load", "comment", "save", "delete", "save", "delete"])
  }

  @Test func errorOfASubclassIsReportedWithoutItsText() async {
    // The handler belongs to the whole process.
    await #expect(processExitsWith: .success) {
      let failures = Lock([SecretStorageFailure]())
      SecretStores.onFailure = { failure in failures.withLock { $0.append(failure) } }
      inMemory {
        let password = RefusingPassword(service: "my.service", defaultValue: "default")
        #expect(password.wrappedValue == "default")
        password.wrappedValue = "The Valley Wind"
        #expect(password.wrappedValue == "The Valley Wind")
        #expect(failures.withLock { $0.map(\.operation) } == [.read, .write])
        for failure in failures.withLock({ $0 }) {
          #expect(password.storeError != nil && !"\(failure)".contains("The Valley Wind"))
        }
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
