import Testing

@testable import SecretStorage

/// The vault's requirements for saving, changing and reading items with access flags.
struct VaultAccessControlTests {
  private let vault = TestVault()

  private func vault(_ person: TestPerson?) -> SecretVault { vault.open(authenticator: person) }

  private func expectUnsupported(
    of person: TestPerson?, _ flags: AccessFlags, by context: AuthenticationContext
  ) {
    expectError("unsupported") {
      try vault(person).add("text", account: "account", flags, by: context)
    }
  }

  private func expect(
    _ expected: String, of item: SecretItem, in object: SecretVault,
    by context: AuthenticationContext = AuthenticationContext()
  ) async throws {
    #expect(try await object.text(of: item, by: context) == expected)
  }

  @Test func flagsNeedAnAuthenticator() throws {
    let both: AccessFlags = [.biometryAny, .and, .devicePasscode]
    for flags: AccessFlags in [
      .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, both,
    ] {
      for context in [AuthenticationContext(), AuthenticationContext(TestPerson([]))] {
        expectUnsupported(of: nil, flags, by: context)
      }
    }
    // One of two proofs joined by `.and` is not enough.
    let passcode = AuthenticationContext(TestPerson(.passcode))
    expectUnsupported(of: nil, both, by: passcode)
    #expect(try vault.open().items(matching: .all).isEmpty)
    // The vault's authenticator and the context's complete each other.
    try vault(TestPerson(.biometry)).add("text", account: "account", both, by: passcode)
  }

  @Test func currentSetNeedsAnAuthenticatorThatKnowsIt() throws {
    let telling = TestPerson(enrolledSet: [1])
    let silent = TestPerson()
    // The context's authenticator takes precedence.
    expectUnsupported(of: telling, .biometryCurrentSet, by: AuthenticationContext(silent))
    try vault(silent).add(
      "text", account: "account", .biometryCurrentSet, by: AuthenticationContext(telling))
  }

  @Test func savedItemIsBoundToTheCurrentSet() async throws {
    let person = TestPerson(enrolledSet: [1])
    let object = vault(person)
    let item = try object.add(
      "text", account: "account", .biometryCurrentSet, by: AuthenticationContext())
    person.enrolledSet = [1, 2]
    await #expect(throws: SecretStoreError.self) {
      try await object.text(of: item, by: AuthenticationContext())
    }
    // Replacing the secret needs no proof, and binds the new one to the current set.
    try await expect("new", of: object.change("account", to: "new"), in: object)
  }

  @Test func saveOrChangeNeedsNoProof() async throws {
    let person = TestPerson(.passcode)
    let object = vault(person)
    let context = AuthenticationContext(password: "right")
    var item = try object.add(
      "text", account: "account", [.devicePasscode, .applicationPassword], by: context)
    var attributes = item.attributes
    attributes.label = "label"
    // Nor is an authenticator needed.
    item = try vault.open().change(item, attributes)
    #expect(item.attributes.label == "label")
    try object.remove(item.id, expecting: item.revision)
    #expect(try object.items(matching: .all).isEmpty)
    item = try object.add("text", account: "account", .devicePasscode, by: AuthenticationContext())
    item = try object.change("account", to: "new")
    #expect(person.questions.isEmpty)
    expectError("denied") { try object.secret(of: item.id) }
    try await expect("new", of: item, in: object)
    #expect(person.questions.count == 1)
  }

  @Test(arguments: [AccessFlags.devicePasscode, .applicationPassword])
  func accessControlChangeNeedsProofs(_ flags: AccessFlags) async throws {
    let person = TestPerson()
    let object = vault(person)
    let context = AuthenticationContext(password: "right")
    let item = try object.add("text", account: "account", flags, by: context)
    let changes = [
      AccessControl(), AccessControl(.always, flags: flags), AccessControl(flags: .biometryAny),
    ]
    for change in changes {
      expectError("denied") { try object.change(item, ItemAttributes(accessControl: change)) }
    }
    #expect(try object.item("account") == item)
    var current = item
    for change in changes {
      let authorization = try await context.authorize(
        current.attributes.accessControl, with: person)
      current = try object.change(current, ItemAttributes(accessControl: change), by: authorization)
      try await expect("text", of: current, in: vault(person), by: context)
      if change.flags.isEmpty {
        current = try object.change(current, item.attributes, by: authorization)
        expectError("denied") { try object.secret(of: item.id) }
      }
    }
    #expect(try object.verify().isSound)
  }

  @Test func changeOfAnotherRevisionIsAConflict() throws {
    let object = vault(TestPerson())
    try object.setPassphrase("x", cost: .minimum)
    let item = try object.add(
      "text", account: "account", .devicePasscode, by: AuthenticationContext())
    for attributes in [nil, ItemAttributes(accessControl: AccessControl(flags: .userPresence))] {
      for (id, revision) in [(item.id, item.revision + 1), (try .random(), 1)] {
        expectError(.conflict) {
          try object.update(id, expecting: revision, attributes: attributes, secret: "new")
        }
      }
      expectLocked { try vault(TestPerson()).change(item, to: "new", attributes) }
    }
    #expect(try object.item("account") == item)
    // That the vault is locked is an error before a missing proof.
    object.lock()
    expectLocked { try object.secret(of: item.id) }
  }

  @Test func maintenanceKeepsConstrainedItems() async throws {
    let object = vault(TestPerson())
    let context = AuthenticationContext(password: "right")
    let item = try object.add(
      "text", account: "account", [.devicePasscode, .applicationPassword], by: context)
    try object.add("plain", account: "plain")
    let verification = try object.verify()
    #expect(verification.isSound && verification.itemCount == 2 && verification.lockedCount == 0)
    #expect(try object.salvageableItems().map(\.item.identity.account) == ["plain"])
    try object.compact()
    try await expect("text", of: item, in: vault(TestPerson()), by: context)
    try vault.replaceChanging { $0[TestVault.frames(of: $0)[0].startIndex + 60] ^= 1 }
    #expect(try vault(nil).repair().isEmpty == false)
    try await expect("text", of: item, in: vault(TestPerson()), by: context)
  }
}
