import SecretStorage
import Testing

/// A way to make a fresh store, for tests that run over every kind of store.
struct TestStore: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let make: @Sendable () throws -> any SecretStore

  static let all = [
    TestStore(testDescription: "InMemorySecretStore") { InMemorySecretStore() }
  ]
}
