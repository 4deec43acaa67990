import Concurrency
import SecretStorage
import TestSupport
import Testing

@Suite(.expectsFailures)
struct InMemorySecretStoreTests {
  private let store = InMemorySecretStore(
    authenticator: CustomAuthenticator(capabilities: .any) { $0.accepted })

  @Test(arguments: [RefreshPolicy.onAccess, .onChange])
  func lockedPasswordIsNotAbsent(_ policy: RefreshPolicy) throws {
    let item = PasswordItem<String>(
      .generic(service: "service"), refreshPolicy: policy, defaultValue: "default", in: store)
    #expect(item.status == .absent)
    item.value = "secret"
    store.lock()
    #expect(store.isLocked)
    #expect(item.value == "default" && item.status == .locked)
    #expect(throws: SecretStoreError.locked("unlock()")) { try item.load() }
    #expect(try item.matchCount == 1)
    item.value = "new"
    #expect(item.hasUnsavedChanges && item.error == .locked("unlock()"))
    store.unlock()
    #expect(!store.isLocked)
    try item.save()
    #expect(try item.load() == "new")
  }

  @Test func deniedPasswordIsNotAbsent() throws {
    let item = PasswordItem<String>(.generic(service: "service"), in: store)
    item.value = "secret"
    store.denial = "the sensor is busy"
    #expect(item.value == nil && item.status == .denied)
    #expect(throws: SecretStoreError.denied("the sensor is busy")) { try item.load() }
    item.value = "new"
    #expect(item.error == nil)
    store.denial = nil
    #expect(item.value == "new" && item.status == .value)
  }

  /// The table "Locked" of the page on accessibility, for a store without a passphrase.
  @Test(arguments: Accessibility.allCases.filter { $0 != .whenPasscodeSetThisDeviceOnly })
  func lockedStoreActsAsALockedVault(_ accessibility: Accessibility) throws {
    let attributes = ItemAttributes(accessControl: AccessControl(accessibility))
    let identity = ItemIdentity.generic(service: "service")
    var item = try store.add(Secret("secret"), identity: identity, attributes: attributes)
    store.lock()
    let isLocked = [.whenUnlocked, .whenUnlockedThisDeviceOnly].contains(accessibility)
    func expectOutcome(_ operation: () throws -> Void) {
      if isLocked {
        #expect(throws: SecretStoreError.locked("unlock()"), performing: operation)
      } else {
        #expect(throws: Never.self, performing: operation)
      }
    }
    #expect(store.items(matching: .exactly(identity)) == [item])
    #expect(store.items(matching: .all) == [item])
    expectOutcome { _ = try store.secret(of: item.id) }
    expectOutcome {
      _ = try store.add(
        Secret([]), identity: .generic(service: "other"), attributes: attributes)
    }
    var described = attributes
    described.label = "label"
    item = try store.update(
      item.id, expecting: item.revision, attributes: described, secret: nil)
    expectOutcome {
      item = try store.update(
        item.id, expecting: item.revision, attributes: nil, secret: Secret("new"))
    }
    try store.remove(item.id, expecting: item.revision)
    #expect(store.items(matching: .exactly(identity)).isEmpty)
  }

  @Test func rejectedAccessibilityChangesNothing() throws {
    let refused = ItemAttributes(accessControl: AccessControl(.whenPasscodeSetThisDeviceOnly))
    #expect(throws: SecretStoreError.self) {
      try store.add(Secret([1]), identity: .generic(), attributes: refused)
    }
    #expect(store.items(matching: .all).isEmpty)
  }

  @Test func accessFlagsNeedAProof() async throws {
    let item = PasswordItem<String>(
      .generic(service: "service"), accessFlags: .userPresence, in: store)
    item.value = "secret"
    #expect(item.attributes.accessControl.flags == .userPresence)
    #expect(item.value == nil && item.status == .denied)
    let context = AuthenticationContext(reason: "test", reuse: .seconds(1_000))
    #expect(try await item.load(authorizedBy: context) == "secret")
    #expect(item.value == "secret")
    store.lock()
    #expect(item.value == nil)
    await #expect(throws: SecretStoreError.locked("unlock()")) {
      try await item.load(authorizedBy: context)
    }
    store.unlock()
    #expect(try await item.load(authorizedBy: context) == "secret")
  }

  @Test func newFingerprintInvalidatesAnItem() async throws {
    let enrolled = Lock<[UInt8]>([1])
    let store = InMemorySecretStore(
      authenticator: CustomAuthenticator(
        capabilities: .biometry, enrolledSet: { enrolled.withLock { $0 } }
      ) { $0.accepted })
    let item = PasswordItem<String>(
      .generic(service: "service"), accessFlags: .biometryCurrentSet, in: store)
    item.value = "secret"
    let context = AuthenticationContext(reason: "test")
    #expect(try await item.load(authorizedBy: context) == "secret")
    enrolled.withLock { $0 = [1, 2] }
    await #expect(throws: SecretStoreError.self) { try await item.load(authorizedBy: context) }
  }

  /// The store calls the authenticator without a lock of its own.
  @Test func authenticatorMayUseTheStore() throws {
    let used = Lock(InMemorySecretStore?.none)
    let store = InMemorySecretStore(
      authenticator: CustomAuthenticator(
        capabilities: .any,
        enrolledSet: {
          used.withLock { $0 }.map { [UInt8($0.items(matching: .all).count)] }
        }
      ) { $0.accepted })
    used.withLock { $0 = store }
    let attributes = ItemAttributes(accessControl: AccessControl(flags: .biometryCurrentSet))
    let item = try store.add(Secret("secret"), identity: .generic(), attributes: attributes)
    _ = try store.update(
      item.id, expecting: item.revision, attributes: nil, secret: Secret("new"))
    used.withLock { $0 = nil }
  }
}
