import TestSupport
import Testing

@testable import SecretStorage

/// In-place changes of a property, which start from the stored value.
struct PasswordChangeTests {
  /// A pair of properties, one for each wrapper.
  private struct Account {
    @GenericPassword<String> var token: String?
    @InternetPassword<String> var password: String?

    init(_ policy: RefreshPolicy, defaultValue: String? = "default", in store: any SecretStore) {
      _token = GenericPassword(
        service: "service", refreshPolicy: policy, defaultValue: defaultValue, in: store)
      _password = InternetPassword(
        server: "server", refreshPolicy: policy, defaultValue: defaultValue, in: store)
    }

    var items: [PasswordItem<String>] { [$token, $password] }
    var values: [String?] { [token, password] }

    /// The values that another object reads from the store.
    static func stored(in store: any SecretStore) -> [String?] {
      Account(.onAccess, defaultValue: nil, in: store).values
    }

    func append(_ text: String) {
      token?.append(text)
      password?.append(text)
    }

    func save() throws { for item in items { try item.save() } }
  }

  @Test func changeOfAnUnreadableValueIsReported() async {
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let heard = hearFailures()
        for policy in RefreshPolicy.all {
          let store = ScriptedStore()
          // Here a read value stays known until the store reports a change.
          try Self.check(policy, heard, store.content, store, readingBefore: policy == .onAccess) {
            store.fail(with: $0 ? .locked() : nil)
          }
          let vault = TestVault()
          let object = vault.open()
          // A loaded manual value stays known, even if the store is locked.
          try Self.check(policy, heard, vault.open(), object, readingBefore: policy != .manual) {
            if $0 { object.lock() } else { try object.unlock() }
          }
        }
      }
    }
  }

  private static func check(
    _ policy: RefreshPolicy, _ heard: Heard<SecretStorageFailure>, _ other: any SecretStore,
    _ store: any SecretStore, readingBefore readsBefore: Bool, lock: (Bool) throws -> Void
  ) throws {
    let writer = Account(.onAccess, in: other)
    (writer.token, writer.password) = ("stored", "stored")
    let account = Account(policy, in: store)
    if readsBefore { #expect(account.values == ["stored", "stored"]) }
    try lock(true)
    for round in 1...2 {
      let before = heard.all.count
      account.append("x")
      let failures = heard.all[before...]
      #expect(failures.map(\.operation) == [.change, .change], "round \(round) of \(policy)")
      #expect(failures.allSatisfy { $0.error.isLocked }, "round \(round) of \(policy)")
      for item in account.items {
        #expect(item.error?.isLocked == true && item.status == .locked && !item.hasUnsavedChanges)
      }
    }
    try lock(false)
    try account.save()
    account.items[0].attributes.label = "label"
    try account.save()
    #expect(Account.stored(in: other) == ["stored", "stored"])
    account.append("x")
    try account.save()
    #expect(Account.stored(in: other) == ["storedx", "storedx"])
  }

  @Test(arguments: RefreshPolicy.all)
  func changeOfAnUnsavedValueIsKept(_ policy: RefreshPolicy) throws {
    let store = InMemorySecretStore()
    let account = Account(policy, in: store)
    if policy != .manual {
      // The store refuses this to the properties.
      for item in account.items {
        item.attributes.accessControl = AccessControl(.whenPasscodeSetThisDeviceOnly)
      }
    }
    (account.token, account.password) = ("set", "set")
    account.append("x")
    #expect(account.values == ["setx", "setx"])
    #expect(account.items.allSatisfy { $0.hasUnsavedChanges })
    #expect(store.items(matching: .all).isEmpty)
    for item in account.items { item.attributes.accessControl = AccessControl() }
    try account.save()
    #expect(Account.stored(in: store) == ["setx", "setx"])
  }

  @Test(arguments: RefreshPolicy.all)
  func changeOfAnAbsentItemStartsWithTheDefault(_ policy: RefreshPolicy) throws {
    let store = InMemorySecretStore()
    let account = Account(policy, in: store)
    account.append("x")
    try account.save()
    #expect(Account.stored(in: store) == ["defaultx", "defaultx"])
  }

  @Test(arguments: RefreshPolicy.all)
  func optionalChainOnNilChangesNothing(_ policy: RefreshPolicy) throws {
    let store = ScriptedStore()
    let account = Account(policy, defaultValue: nil, in: store)
    account.items[0].attributes.label = "label"
    account.append("x")
    #expect(account.values == [nil, nil])
    #expect(store.count(of: .write) == 0)
    #expect(account.items.map(\.hasUnsavedChanges) == [true, false])
    #expect(account.items[0].attributes.label == "label")
  }

  @Test func manualValueIsReadForTheFirstChangeOnly() throws {
    let store = ScriptedStore()
    PasswordItem<String>(in: store.content).value = "stored"
    let item = PasswordItem<String>(.manual, defaultValue: "default", in: store)
    #expect(item.value == "default")
    item.value?.append("x")
    #expect(item.value == "storedx")
    #expect(store.calls { item.value?.append("y") } == 0)
    try item.save()
    #expect(store.calls { item.value?.append("z") } == 0)
    #expect(item.value == "storedxyz")
    #expect(PasswordItem<String>(in: store.content).value == "storedxy")
  }

  @Test func changeThatThrowsIsKept() {
    struct Failure: Error {}
    func change(_ text: inout String?) throws {
      text?.append("x")
      throw Failure()
    }
    let item = PasswordItem<String>(in: InMemorySecretStore())
    item.value = "set"
    #expect(throws: Failure.self) { try change(&item.value) }
    #expect(item.value == "setx")
  }
}
