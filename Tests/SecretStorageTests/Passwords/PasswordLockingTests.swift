import Concurrency
import TestSupport
import Testing

@testable import SecretStorage

/// The values of properties whose vault is locked.
struct PasswordLockingTests {
  private let vault: SecretVault
  private let files = TestVault()
  private static let policies: [RefreshPolicy] = [.onAccess, .onChange]

  init() throws {
    let person = CustomAuthenticator(capabilities: .presence) { _ in .presence }
    vault = files.open(cipher: OpenSSLCipher(), authenticator: person)
    try vault.add("secret", account: "account")
  }

  private func item(
    _ policy: RefreshPolicy = .onAccess, in store: (any SecretStore)? = nil
  ) -> PasswordItem<String> {
    PasswordItem(
      .generic(service: "campaign", account: "account"), refreshPolicy: policy,
      defaultValue: "default", in: store ?? vault)
  }

  @Test(arguments: policies)
  func lockedPropertyReturnsTheDefaultValue(_ policy: RefreshPolicy) throws {
    let item = item(policy)
    #expect(item.value == "secret")
    vault.lock()
    #expect(item.value == "default")
    #expect(item.status == .locked)
    #expect(item.error?.isLocked == true)
    #expect(item.stored.state.withLock { $0.value } == nil)
    try vault.unlock()
    #expect(item.value == "secret")
    #expect(item.status == .value)
  }

  @Test(arguments: policies + [.manual])
  func unsavedValueIsKeptWhileLocked(_ policy: RefreshPolicy) throws {
    let item = item(policy)
    #expect(try item.load() == "secret")
    vault.lock()
    item.value = "unsaved"
    #expect(item.value == "unsaved")
    item.forget()
    #expect(item.value == "unsaved")
    try vault.unlock()
    try item.save()
    #expect(try vault.text("account") == "unsaved")
  }

  @Test func manualValueIsKeptUntilItIsForgotten() throws {
    let item = item(.manual)
    try item.load()
    vault.lock()
    #expect(item.value == "secret")
    item.forget()
    #expect(item.value == "default")
    #expect(item.status == .locked)
  }

  private enum End: CaseIterable { case locking, cancelling, forgetting }

  @Test(arguments: policies + [.manual])
  func valueLoadedWithAContextEnds(_ policy: RefreshPolicy) async throws {
    for end in End.allCases {
      let account = "account \(end)"
      let context = AuthenticationContext(reuse: .seconds(3600))
      try vault.add("guarded", account: account, .userPresence, by: context)
      let item = vault.property(account, policy)
      #expect(item.value == nil)
      #expect(try await item.load(authorizedBy: context) == "guarded")
      #expect(item.value == "guarded")
      #expect(item.value == "guarded")
      switch end {
      case .locking:
        vault.lock()
        // Unlocking again does not bring the value back.
        try vault.unlock()
      case .cancelling: context.cancel()
      case .forgetting: item.forget()
      }
      #expect(item.value == nil, "\(end)")
      #expect(item.status == .denied, "\(end)")
      #expect(item.stored.state.withLock { $0.value } == nil)
    }
  }

  @Test func getThatBeganBeforeLockingKeepsNoValue() throws {
    let store = ObservedStore(vault)
    let item = item(in: store)
    vault.lock()
    #expect(item.value == "default")
    try vault.unlock()
    store.didRead = { [vault] in
      vault.lock()
      #expect(item.value == "default")
    }
    #expect(item.value == "secret")
    #expect(item.stored.state.withLock { $0.value } == nil)
    #expect(item.error?.isLocked == true)
  }

  /// Gets that begin after the call has returned, with concurrent readers.
  @Test(arguments: policies)
  func getAfterLockingReturnsTheDefaultValue(_ policy: RefreshPolicy) throws {
    let item = item(policy)
    try onThreads(4) { thread in
      for _ in 0..<Campaign.size(sample: 50, full: 1_000) {
        if thread > 0 {
          _ = item.value
          continue
        }
        try vault.unlock()
        _ = item.value
        vault.lock()
        #expect(item.value == "default")
      }
    }
  }
}

/// A store that calls a closure when it has read a secret.
private final class ObservedStore: ForwardingStore {
  let store: any SecretStore
  private let handler = Lock<@Sendable () -> Void>({})

  var didRead: @Sendable () -> Void {
    get { handler.withLock { $0 } }
    set { handler.withLock { $0 = newValue } }
  }

  init(_ store: any SecretStore) { self.store = store }

  func secret(
    of item: SecretItem.ID, authorizedBy authorization: Authorization
  ) throws(SecretStoreError) -> SecretReading? {
    let reading = try store.secret(of: item, authorizedBy: authorization)
    didRead()
    return reading
  }
}
