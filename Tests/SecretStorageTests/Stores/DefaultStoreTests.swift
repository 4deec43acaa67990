import SecretStorage
import TestSupport
import Testing

struct DefaultStoreTests {
  private static let constant = PasswordItem<String>(
    .generic(service: "service"), refreshPolicy: .manual)

  @Test(arguments: 0..<8) func constantHasItsOwnStateInEachOverride(_ number: Int) async throws {
    let store = InMemorySecretStore()
    try await SecretStores.withDefaultStore(store) {
      #expect(Self.constant.value == nil)
      Self.constant.value = "\(number)"
      await Task.yield()
      #expect(Self.constant.value == "\(number)")
      try await Self.constant.save()
      async let seenByChild = Self.constant.load()
      #expect(try await seenByChild == "\(number)")
    }
    #expect(PasswordItem<String>(.generic(service: "service"), in: store).value == "\(number)")
  }

  @Test func passwordWithAStoreIsNotOverridden() {
    let store = InMemorySecretStore()
    let item = PasswordItem<String>(.generic(service: "service"), in: store)
    SecretStores.withDefaultStore(InMemorySecretStore()) { item.value = "there" }
    #expect(store.items(matching: .all).count == 1)
  }

  @Test func sharedInMemoryStoreIsAStaticMember() {
    PasswordItem<String>(.generic(service: "dot"), in: .inMemory).value = "value"
    let items = InMemorySecretStore.inMemory.items(matching: .exactly(.generic(service: "dot")))
    #expect(items.count == 1)
  }

  @Test func missingGuaranteeIsAnError() {
    #expect(throws: SecretStoreError.unsupported("the guarantee that it survives a reboot")) {
      try InMemorySecretStore().requiring(.survivesReboot)
    }
  }

  @Test func bootstrappedStoreIsTheDefault() async {
    await #expect(processExitsWith: .success) {
      let item = PasswordItem<String>(.generic(service: "service"))
      let store = InMemorySecretStore()
      SecretStores.bootstrap(store)
      item.value = "value"
      #expect(store.items(matching: .all).count == 1)
    }
  }

  @Test(arguments: [true, false])
  func bootstrapOfAUsedDefaultStoreIsMisuse(isBootstrapped: Bool) async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [isBootstrapped] in
      if isBootstrapped {
        SecretStores.bootstrap(InMemorySecretStore())
      } else {
        _ = PasswordItem<String>(.generic(service: "service")).value
      }
      SecretStores.bootstrap(InMemorySecretStore())
    }
    let words =
      isBootstrapped
      ? "SecretStores.bootstrap(_:) was called twice." : "after the default store had been used"
    #expect(message(of: result).contains(words))
  }
}
