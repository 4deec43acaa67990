import FoundationEssentials
import KeychainCompatibility
import Testing

/// A factory of passwords of one class that denote the same item.
@available(*, deprecated)
protocol PasswordWrapper: KeychainItemPropertyWrapper<Data> {
  static func make(_ refreshPolicy: KeychainDataRefreshPolicy, account: String?) -> Self
}

@available(*, deprecated)
extension PasswordWrapper {
  static func make(_ refreshPolicy: KeychainDataRefreshPolicy) -> Self {
    make(refreshPolicy, account: nil)
  }
}

@available(*, deprecated)
final class GenericData: GenericPassword<Data>, PasswordWrapper {
  static func make(_ refreshPolicy: KeychainDataRefreshPolicy, account: String?) -> GenericData {
    GenericData(service: "com.example.app", account: account, refreshPolicy: refreshPolicy)
  }
}

@available(*, deprecated)
final class InternetData: InternetPassword<Data>, PasswordWrapper {
  static func make(_ refreshPolicy: KeychainDataRefreshPolicy, account: String?) -> InternetData {
    InternetData(server: "imap.example.com", account: account, refreshPolicy: refreshPolicy)
  }
}

/// Runs a test in a store of its own.
func inMemory(_ test: () throws -> Void) rethrows {
  try SecretStores.withDefaultStore(InMemorySecretStore(), operation: test)
}

/// A trait that gives each test of a suite a default store of its own, in memory.
struct InMemory: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await SecretStores.withDefaultStore(InMemorySecretStore(), operation: function)
  }
}

extension Trait where Self == InMemory { static var inMemory: Self { InMemory() } }
