import KeychainCompatibility
import TestSupport
import Testing

/// Adapters that require biometric authentication.
#if true  // Hides the attribute from Swift Testing, which takes no deprecated suite.
  @available(*, deprecated)
#endif
struct KeychainAdapterProofTests: Sendable {
  private let directory: TemporaryDirectory
  private let person = AskedPerson()
  private let vault: SecretVault

  init() throws {
    directory = try TemporaryDirectory()
    vault = directory.vault(authenticator: person.authenticator)
    try vault.setPassphrase(Secret("passphrase".utf8), cost: .minimum)
  }

  private var adapter: CodableKeychainAdapter {
    CodableKeychainAdapter(serviceIdentifier: "service", biometricAuthRequired: true)
  }

  private func withVault(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await onThread { [vault] in try SecretStores.withDefaultStore(vault, operation: body) }
  }

  @Test func itemsRequirePresenceOnThisDevice() throws {
    try SecretStores.withDefaultStore(vault) { try adapter.save(value: 15, for: "number") }
    let item = try #require(try vault.items(matching: .all).first)
    #expect(
      item.attributes.accessControl
        == AccessControl(.whenPasscodeSetThisDeviceOnly, flags: .userPresence))
    #expect(throws: SecretStoreError.self) { try vault.secret(of: item.id) }
    #expect(person.questions == 0)
  }

  @Test func loadWaitsForOneQuestion() async throws {
    try await withVault { [self] in
      try adapter.save(value: 15, for: "number")
      try adapter.save(value: 16, for: "other")
      #expect(person.questions == 0)
      #expect(try adapter.load(for: "number") as Int == 15 && person.questions == 1)
      #expect(try adapter.loadAll().map(\.0) == ["number", "other"])
      #expect(person.questions == 2)
    }
  }

  @Test func getDoesNotAsk() async throws {
    try await withVault { [self] in
      let property = KeychainStore<Int>(key: "number", storageAdapter: adapter)
      property.wrappedValue = 15
      #expect(property.wrappedValue == nil)
      #expect(person.questions == 0)
      property.wrappedValue = 16
      let number: Int = try adapter.load(for: "number")
      #expect(number == 16)
    }
  }

  @Test func deniedProofLoadsNothing() async throws {
    let nobody = AskedPerson(refusal: .denied("nobody is there"))
    let other = directory.vault(authenticator: nobody.authenticator)
    try other.unlock(with: .passphrase(Secret("passphrase".utf8)))
    try await onThread { [self] in
      try SecretStores.withDefaultStore(vault) { try adapter.save(value: 15, for: "number") }
      SecretStores.withDefaultStore(other) {
        _ = #expect(throws: SecretStoreError.denied("nobody is there")) {
          try adapter.load(for: "number") as Int
        }
      }
    }
    #expect(nobody.questions == 1)
  }

  @Test func loadInATaskDoesNotWait() throws {
    try SecretStores.withDefaultStore(vault) {
      try adapter.save(value: 15, for: "number")
      let error = #expect(throws: SecretStoreError.self) { try adapter.load(for: "number") as Int }
      guard case .unavailable = error else {
        Issue.record("It was \(String(describing: error)).")
        return
      }
    }
    #expect(person.questions == 0)
  }

  @Test func saveByAnotherAdapterReplacesTheRequirement() async throws {
    try await withVault { [self] in
      let other = CodableKeychainAdapter(serviceIdentifier: "service", biometricAuthRequired: false)
      try other.save(value: 1, for: "number")
      try adapter.save(value: 2, for: "number")
      #expect(person.questions == 0)
      // The item states what it requires, not the adapter.
      #expect(try other.load(for: "number") as Int == 2 && person.questions == 1)
      try other.save(value: 3, for: "number")
      #expect(try adapter.load(for: "number") as Int == 3 && person.questions == 1)
    }
    #expect(try vault.items(matching: .all).count == 1)
  }

  @Test func storeWithoutAuthenticatorRejectsASave() throws {
    let store = InMemorySecretStore()
    SecretStores.withDefaultStore(store) {
      _ = #expect(throws: SecretStoreError.self) { try adapter.save(value: 15, for: "number") }
    }
    #expect(try store.names() == [])
  }
}
