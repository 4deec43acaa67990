import Concurrency
import KeychainCompatibility
import TestSupport
import Testing

/// The reports of properties that could not be read or written.
struct FailureTests: DeprecatedUse {
  enum Fact: Sendable {
    case failureIsToldOnceUntilASuccess
  }

  @Test func failureIsToldOnceUntilASuccess() async {
    // The handler belongs to the whole process.
    await #expect(processExitsWith: .success) {
      try FailureTests().check(.failureIsToldOnceUntilASuccess)
    }
  }
}

@available(*, deprecated)
extension FailureTests {
  func verify(_ fact: Fact) {
    let told = Lock([SecretStorageFailure]())
    SecretStores.onFailure = { failure in told.withLock { $0.append(failure) } }
    inMemory {
      let text = GenericPassword<String>(service: "my.service")
      let number = GenericPassword<Int>(service: "my.service")
      text.wrappedValue = "words"
      precondition(number.wrappedValue == nil && number.wrappedValue == nil)
      precondition(told.withLock { $0 } == [SecretStorageFailure(.read, .undecodable("Int"))])
      text.wrappedValue = "12345678"
      precondition(number.wrappedValue != nil)
      text.wrappedValue = "words"
      precondition(number.wrappedValue != nil)
      precondition(told.withLock { $0.count } == 2)
    }
  }
}
