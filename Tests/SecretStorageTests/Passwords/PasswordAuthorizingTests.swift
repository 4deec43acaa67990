import Concurrency
import TestSupport
import Testing

@testable import SecretStorage

/// Properties whose items need a proof.
struct PasswordAuthorizingTests {
  private let directory = TestVault()
  private let person = TestPerson()
  private let store: SecretVault

  init() { store = directory.open(cipher: OpenSSLCipher(), authenticator: person) }

  private func item(
    _ flags: AccessFlags = .devicePasscode, _ policy: RefreshPolicy = .manual,
    defaultValue: String? = nil
  ) -> PasswordItem<String> {
    PasswordItem(
      policy, defaultValue: defaultValue, accessOption: .afterFirstUnlock, accessFlags: flags,
      in: store)
  }

  /// Returns a property for a stored item, in the state after a process has started.
  private func saved(
    _ flags: AccessFlags = .devicePasscode, _ policy: RefreshPolicy = .manual,
    defaultValue: String? = nil, by context: AuthenticationContext = AuthenticationContext()
  ) async throws -> PasswordItem<String> {
    let item = item(flags)
    item.value = "text"
    try await item.save(authorizedBy: context)
    return self.item(flags, policy, defaultValue: defaultValue)
  }

  private func stored() throws -> SecretItem? { try store.items(matching: .all).first }

  @Test func declaredFlagsApplyToAddedItemsOnly() throws {
    item(.devicePasscode, .onAccess).value = "text"
    item(.biometryAny, .onAccess).value = "new"
    let accessControl = AccessControl(.afterFirstUnlock, flags: .devicePasscode)
    #expect(try stored()?.attributes.accessControl == accessControl)
  }

  @Test(arguments: RefreshPolicy.all)
  func implicitAccessNeverAuthenticates(_ policy: RefreshPolicy) async throws {
    let item = try await saved(.devicePasscode, policy, defaultValue: "default")
    #expect(item.value == "default")
    #expect(item.status == .denied)
    let isManual = policy == .manual
    if !isManual { #expect(item.value == "default") }
    #expect(throws: SecretStoreError.self) { try item.loadNow() }
    #expect(item.status == .denied)
    item.attributes.label = "label"
    try item.saveNow()
    #expect(item.attributes.label == "label")
    item.value = "set"
    if isManual { try item.saveNow() }
    #expect(!item.hasUnsavedChanges)
    #expect(throws: SecretStoreError.self) { try item.modifyAccess(using: .whenUnlocked) }
    try item.removeNow()
    #expect(item.status == .absent)
    #expect(person.questions.isEmpty)
  }

  @Test(arguments: RefreshPolicy.all)
  func loadWithAProofReturnsTheValue(_ policy: RefreshPolicy) async throws {
    let item = try await saved(.devicePasscode, policy)
    #expect(try await item.load(authorizedBy: AuthenticationContext()) == "text")
    #expect(item.value == "text")
    #expect(item.status == (policy == .onAccess ? .denied : .value))
    if policy == .manual { #expect(item.error == nil) }
    #expect(item.value == "text")
    #expect(person.questions.count == 1)
  }

  @Test func loadWithoutFlagsNeedsNoProof() async throws {
    let item = try await saved([])
    #expect(try await item.load(authorizedBy: AuthenticationContext()) == "text")
    try item.removeNow()
    #expect(try await item.load(authorizedBy: AuthenticationContext()) == nil)
    #expect(item.status == .absent)
    #expect(person.questions.isEmpty)
  }

  @Test func applicationPasswordIsNeededToSaveAndLoad() async throws {
    let right = AuthenticationContext(password: "right")
    let item = try await saved(.applicationPassword, .onAccess, by: right)
    item.value = "implicit"
    #expect(item.hasUnsavedChanges && item.status == .denied)
    #expect(item.value == "implicit")
    await #expect(throws: SecretStoreError.wrongApplicationPassword) {
      try await item.save(authorizedBy: AuthenticationContext(password: "wrong"))
    }
    #expect(item.hasUnsavedChanges && item.status == .denied)
    #expect(item.error == .wrongApplicationPassword)
    try await item.save(authorizedBy: AuthenticationContext(password: "right", new: "new"))
    #expect(!item.hasUnsavedChanges)
    await #expect(throws: SecretStoreError.wrongApplicationPassword) {
      try await item.load(authorizedBy: right)
    }
    #expect(try await item.load(authorizedBy: AuthenticationContext(password: "new")) == "implicit")
  }

  @Test func missingPasswordPrecedesAQuestion() async throws {
    let item = try await saved(
      [.devicePasscode, .applicationPassword], by: AuthenticationContext(password: "right"))
    await #expect(throws: SecretStoreError.needsApplicationPassword) {
      try await item.load(authorizedBy: AuthenticationContext())
    }
    #expect(person.questions.isEmpty)
  }

  @Test(arguments: [true, false])
  func cancellationChangesNothing(_ cancelsTheContext: Bool) async throws {
    let patient = TestPerson(answer: TestPerson.neverAnswers)
    let item = try await saved()
    item.value = "unsaved"
    let before = try store.revision()
    let work: [@Sendable (AuthenticationContext) async throws -> Void] = [
      { try await item.load(authorizedBy: $0) },
      { try await item.modifyAccess(using: .always, authorizedBy: $0) },
    ]
    for work in work {
      let context = AuthenticationContext(patient)
      let task = Task { try await work(context) }
      try await suspend { patient.isBeingAsked }
      // Other accesses do not block on the question.
      #expect(item.value == "unsaved")
      #expect(try item.matchCount == 1)
      if cancelsTheContext { context.cancel() } else { task.cancel() }
      await #expect(throws: SecretStoreError.cancelled) { try await task.value }
      #expect(!patient.isBeingAsked)
      #expect(item.error == .cancelled && item.status == .denied)
      #expect(item.value == "unsaved" && item.hasUnsavedChanges)
      #expect(try store.revision() == before)
    }
  }

  @Test func modifiedAccessKeepsEverythingElse() async throws {
    let item = item([], .onAccess)
    item.value = "text"
    item.attributes.label = "label"
    try item.saveNow()
    item.attributes.comment = "unsaved"
    try item.modifyAccess(using: .always, flags: .devicePasscode)
    var found = try #require(try stored())
    #expect(found.attributes.accessControl == AccessControl(.always, flags: .devicePasscode))
    #expect(found.attributes.label == "label" && found.attributes.comment == nil)
    #expect(item.hasUnsavedChanges)
    #expect(throws: SecretStoreError.self) { try item.modifyAccess(using: .whenUnlocked) }
    try await item.modifyAccess(
      using: .whenUnlocked, flags: [], authorizedBy: AuthenticationContext())
    #expect(person.questions.count == 1)
    found = try #require(try stored())
    #expect(found.attributes.accessControl == AccessControl())
    #expect(item.value == "text")
  }

  @Test func modifiedAccessOfAnAbsentItemNeedsASave() throws {
    let item = item([], .onAccess)
    try item.modifyAccess(using: .always, flags: .biometryAny)
    #expect(try stored() == nil)
    #expect(item.attributes.accessControl == AccessControl(.always, flags: .biometryAny))
    item.value = "text"
    #expect(try stored()?.attributes.accessControl == AccessControl(.always, flags: .biometryAny))
    #expect(!item.hasUnsavedChanges)
  }

  @Test func meaninglessAccessIsAnError() async throws {
    let item = item([], .onAccess)
    for _ in 0..<2 {
      expectError("invalid") { try item.modifyAccess(using: .always, flags: [.or]) }
      #expect(item.attributes.accessControl == AccessControl(.afterFirstUnlock))
      item.value = "text"
    }
    person.capabilities = []
    expectError("unsupported") { try item.modifyAccess(using: .always, flags: .devicePasscode) }
    #expect(try stored()?.attributes.accessControl == AccessControl(.afterFirstUnlock))
  }

  @Test func accessControlAttributeNeedsAProofToSave() async throws {
    let item = try await saved(.devicePasscode, .onAccess)
    item.attributes.accessControl = AccessControl(.always)
    #expect(throws: SecretStoreError.self) { try item.saveNow() }
    #expect(item.hasUnsavedChanges)
    try await item.save(authorizedBy: AuthenticationContext())
    #expect(person.questions.count == 1)
    #expect(item.value == "text")
  }

  @Test func itemReplacedDuringAQuestionNeedsItsOwn() async throws {
    let holder = Lock<SecretVault?>(nil)
    let owner = TestPerson { request throws(SecretStoreError) in
      // Another writer meanwhile replaces the item with one that needs another proof.
      if let vault = holder.withLock({ $0 }), request.accepted == .passcode {
        guard let old = try vault.items(matching: .all).first else { return [] }
        try vault.remove(old.id, expecting: old.revision)
        let attributes = ItemAttributes(accessControl: AccessControl(flags: .biometryAny))
        _ = try vault.add("other", identity: old.identity, attributes: attributes)
      }
      return request.accepted
    }
    let item = try await saved()
    holder.withLock { $0 = store }
    #expect(try await item.load(authorizedBy: AuthenticationContext(owner)) == "other")
    #expect(owner.questions.map(\.accepted) == [.passcode, .biometry])
  }
}

// In an asynchronous test, overload resolution prefers the asynchronous forms.
extension PasswordItem {
  fileprivate func loadNow() throws -> Value? { try load() }
  fileprivate func saveNow() throws { try save() }
  fileprivate func removeNow() throws { try remove() }
}
