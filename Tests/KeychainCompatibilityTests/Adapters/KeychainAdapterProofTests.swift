import Dispatch
import FoundationEssentials
import KeychainCompatibility
import SecretStorage
import TestSupport
import Testing

/// Adapters that require biometric authentication.
struct KeychainAdapterProofTests: DeprecatedUse, Sendable {
  enum Fact: CaseIterable, Sendable {
    case itemsDemandPresenceOfAPersonOnThisDevice
    case loadingAsksOnceAndWaits
    case gettingAPropertyAsksNobody
    case whatIsNotProvedIsNotLoaded
    case taskDoesNotWaitForAPerson
    case savingByAnotherAdapterChangesWhatIsDemanded
    case storeThatCannotAskRefusesToSave
  }

  @Test(arguments: Fact.allCases)
  func holds(_ fact: Fact) async throws {
    if fact == .taskDoesNotWaitForAPerson { return try check(fact) }
    // The thread belongs to no task, and is not one of the few on which the person is asked.
    let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
      DispatchQueue(label: "test").async {
        continuation.resume(returning: Result { try check(fact) })
      }
    }
    try result.get()
  }

  private let directory: VaultDirectory
  private let person = AskedPerson()
  private let vault: SecretVault

  init() throws {
    directory = try VaultDirectory()
    vault = directory.open(authenticator: person.authenticator)
    try vault.setPassphrase(Secret("passphrase".utf8), cost: .minimum)
  }
}

@available(*, deprecated)
extension KeychainAdapterProofTests {
  func verify(_ fact: Fact) throws {
    switch fact {
    case .itemsDemandPresenceOfAPersonOnThisDevice: try itemsDemandPresenceOfAPersonOnThisDevice()
    case .loadingAsksOnceAndWaits: try loadingAsksOnceAndWaits()
    case .gettingAPropertyAsksNobody: try gettingAPropertyAsksNobody()
    case .whatIsNotProvedIsNotLoaded: try whatIsNotProvedIsNotLoaded()
    case .taskDoesNotWaitForAPerson: try taskDoesNotWaitForAPerson()
    case .savingByAnotherAdapterChangesWhatIsDemanded:
      try savingByAnotherAdapterChangesWhatIsDemanded()
    case .storeThatCannotAskRefusesToSave: try storeThatCannotAskRefusesToSave()
    }
  }

  private var adapter: CodableKeychainAdapter {
    CodableKeychainAdapter(serviceIdentifier: "service", biometricAuthRequired: true)
  }

  private func withVault(_ body: () throws -> Void) throws {
    try SecretStores.withDefaultStore(vault, operation: body)
  }

  private func itemsDemandPresenceOfAPersonOnThisDevice() throws {
    try SecretStores.withDefaultStore(vault) { try adapter.save(value: 15, for: "number") }
    let item = try #require(try vault.items(matching: .all).first)
    #expect(
      item.attributes.accessControl
        == AccessControl(.whenPasscodeSetThisDeviceOnly, flags: .userPresence))
    #expect(throws: SecretStoreError.self) { try vault.secret(of: item.id) }
    #expect(person.questions == 0)
  }

  private func loadingAsksOnceAndWaits() throws {
    try withVault {
      try adapter.save(value: 15, for: "number")
      try adapter.save(value: 16, for: "other")
      #expect(person.questions == 0)
      let number: Int = try adapter.load(for: "number")
      #expect(number == 15 && person.questions == 1)
      #expect(try adapter.loadAll().map(\.0) == ["number", "other"])
      #expect(person.questions == 2)
    }
  }

  private func gettingAPropertyAsksNobody() throws {
    try withVault {
      let property = KeychainStore<Int>(key: "number", storageAdapter: adapter)
      property.wrappedValue = 15
      #expect(property.wrappedValue == nil)
      #expect(person.questions == 0)
      property.wrappedValue = 16
      let number: Int = try adapter.load(for: "number")
      #expect(number == 16)
    }
  }

  private func whatIsNotProvedIsNotLoaded() throws {
    try withVault { try adapter.save(value: 15, for: "number") }
    let nobody = AskedPerson(proves: false)
    let other = directory.open(authenticator: nobody.authenticator)
    try other.unlock(with: .passphrase(Secret("passphrase".utf8)))
    SecretStores.withDefaultStore(other) {
      _ = #expect(throws: SecretStoreError.denied("nobody is there")) {
        try adapter.load(for: "number") as Int
      }
    }
    #expect(nobody.questions == 1)
  }

  private func taskDoesNotWaitForAPerson() throws {
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

  private func savingByAnotherAdapterChangesWhatIsDemanded() throws {
    let other = CodableKeychainAdapter(serviceIdentifier: "service", biometricAuthRequired: false)
    try SecretStores.withDefaultStore(vault) {
      try other.save(value: 1, for: "number")
      try adapter.save(value: 2, for: "number")
      #expect(person.questions == 0)
      // The item states what it requires, not the adapter.
      let protected: Int = try other.load(for: "number")
      #expect(protected == 2 && person.questions == 1)
      try other.save(value: 3, for: "number")
      let number: Int = try adapter.load(for: "number")
      #expect(number == 3 && person.questions == 1)
    }
    #expect(try vault.items(matching: .all).count == 1)
  }

  private func storeThatCannotAskRefusesToSave() throws {
    let store = InMemorySecretStore()
    SecretStores.withDefaultStore(store) {
      _ = #expect(throws: SecretStoreError.self) { try adapter.save(value: 15, for: "number") }
    }
    #expect(try store.names() == [])
  }
}
