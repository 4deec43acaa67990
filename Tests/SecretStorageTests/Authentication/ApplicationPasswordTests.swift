import CipherSupport
import Concurrency
import TestSupport
import Testing

@testable import SecretStorage

/// Items with a second seal under a password of the app.
struct ApplicationPasswordTests {
  private let vault = TestVault()
  private let right = AuthenticationContext(password: "right")
  private let wrong = AuthenticationContext(password: "wrong")

  @Test func onlyThePasswordOpensAnItem() throws {
    let text = "The Valley Wind"
    _ = try vault.open().add(
      Secret(text.utf8), identity: .generic(service: "my.service", account: "peter"),
      attributes: ItemAttributes(
        label: "label", accessControl: AccessControl(flags: .applicationPassword)),
      authorizedBy: right.authorization(with: nil))
    let object = vault.open()
    let own = try CapturedKeys(object)
    let payload = try #require(try object.movableItems().first).secret

    // The vault's own keys open no plaintext of the item.
    #expect(!payload.indices.contains { payload[$0...].starts(with: "Valley".utf8) })
    var reader = Bytes(payload[...])
    #expect(reader.counted().isEmpty)
    let cost = ScryptCost(
      UInt8(reader.number(1)), UInt32(reader.number(4)), UInt32(reader.number(4)))
    #expect(cost == .cheap)
    let salt = reader.take(32)
    let sealed = reader.rest
    #expect(sealed.count == text.utf8.count + 16)
    let context: [Field] = [
      .number("class", 1, 1), .number("field", 1, 1), .counted("service", "my.service".utf8),
      .number("field", 2, 1), .counted("account", "peter".utf8),
    ]
    let cipher = TestCipher()
    func open(with key: Secret, purpose: String? = "locket application password") throws -> Secret {
      let key =
        try purpose.map { try cipher.deriveKey(from: key, salt: salt[...], purpose: $0) } ?? key
      return try cipher.open(sealed, with: key, authenticating: context.encoded)
    }
    func stretched(_ password: String) throws -> Secret {
      try cipher.stretch(Secret(password.utf8), salt: salt[...], cost: cost)
    }
    #expect(own.keys.count == own.table.keys.count)
    for key in try [own.user] + own.keys.values + ["wrong", "", "Right", "right "].map(stretched) {
      for purpose in ["locket application password", "locket secret", "locket key", nil] {
        #expect(throws: SecretStoreError.self) { try open(with: key, purpose: purpose) }
      }
    }
    #expect(try open(with: stretched("right")) == Secret(text.utf8))
  }

  @Test func unusablePasswordIsAnError() throws {
    let object = vault.open()
    for context in [
      AuthenticationContext(password: ""),
      AuthenticationContext(password: String(repeating: "x", count: 64 * 1024 + 1)),
      AuthenticationContext(password: "right", new: ""),
      AuthenticationContext(
        reason: "", applicationPassword: "x", applicationPasswordCost: ScryptCost(30, 8, 1)),
    ] {
      expectError("invalid") {
        try object.add("text", account: "account", .applicationPassword, by: context)
      }
    }
    #expect(throws: SecretStoreError.needsApplicationPassword) {
      try object.add("text", account: "account", .applicationPassword, by: AuthenticationContext())
    }
    try object.add(
      "text", account: "account", .applicationPassword,
      by: AuthenticationContext(password: String(repeating: "x", count: 64 * 1024)))
  }

  @Test func replacementNeedsTheCurrentPassword() async throws {
    let object = vault.open()
    let item = try object.add("text", account: "account", .applicationPassword, by: right)
    func replace(by context: AuthenticationContext?) throws -> SecretItem {
      let current = try #require(try object.item("account"))
      return try object.change(current, to: "new", by: context?.authorization(with: nil) ?? .none)
    }
    #expect(throws: SecretStoreError.needsApplicationPassword) { try replace(by: nil) }
    for context in [wrong, AuthenticationContext(password: "wrong", new: "other")] {
      #expect(throws: SecretStoreError.wrongApplicationPassword) { try replace(by: context) }
    }
    #expect(try object.item("account") == item)
    #expect(try await object.text(of: replace(by: right), by: right) == "new")
    let current = try replace(by: AuthenticationContext(password: "right", new: "other"))
    await #expect(throws: SecretStoreError.wrongApplicationPassword) {
      try await object.text(of: current, by: right)
    }
    let other = AuthenticationContext(password: "other")
    #expect(try await vault.open().text(of: current, by: other) == "new")
  }

  @Test func replacementNeedsNoProof() throws {
    let person = TestPerson()
    let object = vault.open()
    let item = try object.add(
      "text", account: "account", [.devicePasscode, .applicationPassword],
      by: AuthenticationContext(person, password: "right"))
    // Updating needs an authorization that can read the result.
    let other = AuthenticationContext(person, password: "right")
    try object.change(item, to: "new", by: other.authorization(with: nil))
    #expect(person.questions.isEmpty)
  }

  @Test func passwordIsStretchedOncePerContext() async throws {
    let stretchings = Lock(0)
    let object = vault.open(cipher: HookedCipher { stretchings.withLock { $0 += 1 } })
    let item = try object.add("text", account: "account", .applicationPassword, by: right)
    for _ in 0..<3 { #expect(try await object.text(of: item, by: right) == "text") }
    #expect(stretchings.withLock { $0 } == 1)
    _ = try await object.text(of: item, by: AuthenticationContext(password: "right"))
    #expect(stretchings.withLock { $0 } == 2)
  }

  @Test func vaultIsUsableDuringAKeyDerivation() async throws {
    let used = Lock<SecretVault?>(nil)
    let uses = Lock(0)
    // Another thread reads and writes the vault during the key derivation.
    let cipher = HookedCipher {
      guard let object = used.withLock({ $0 }) else { return }
      onThreads(1) { _ in
        recordingErrors {
          #expect(try object.text("plain") == "plain")
          try object.change("plain", to: "plain")
          #expect(try object.items(matching: .all).count == 2)
          uses.withLock { $0 += 1 }
        }
      }
    }
    let object = try vault.open(cipher: cipher).adding("plain", account: "plain")
    let item = try object.add("text", account: "account", .applicationPassword, by: right)
    let other = AuthenticationContext(password: "right")
    used.withLock { $0 = object }
    _ = try object.secret(of: item.id, authorizedBy: other.authorization(with: nil))
    let changed = try object.change(item, to: "new", by: other.authorization(with: nil))
    try object.add("more", account: "more", .applicationPassword, by: other)
    used.withLock { $0 = nil }
    #expect(uses.withLock { $0 } == 3)
    #expect(try await object.text(of: changed, by: other) == "new")
  }

  @Test func absurdCostIsCorruption() throws {
    let object = vault.open()
    let item = try object.add("text", account: "account", .applicationPassword, by: right)
    let absurd = ConstrainedSecret(
      enrolledSet: [],
      derivation: ApplicationPassword.Derivation(cost: ScryptCost(40, 8, 1), salt: try .random(32)),
      content: Secret([UInt8](repeating: 1, count: 20)))
    for payload in [absurd.payload, Secret([]), Secret([32, 0, 0, 0]), Secret([7, 0, 0, 0, 1])] {
      let current = try #require(try object.item("account"))
      _ = try object.write(
        .update(item.id, expecting: current.revision, attributes: nil, payload: payload))
      expectError("corrupted") {
        _ = try object.secret(of: item.id, authorizedBy: right.authorization(with: nil))
      }
    }
  }

  @Test(arguments: [AccessFlags(), .devicePasscode, [.applicationPassword, .devicePasscode]])
  func changedFlagsAreCorruption(_ flags: AccessFlags) throws {
    let object = vault.open()
    let item = try object.add("text", account: "account", .applicationPassword, by: right)
    // Written with the right key for the attributes, with nothing else changed.
    _ = try object.write(
      VaultWrite(target: .item(item.id)) { draft, contents throws(SecretStoreError) in
        guard let entry = contents.index[item.id] else { return nil }
        let tampered = SecretItem(
          id: item.id, identity: item.identity,
          attributes: ItemAttributes(accessControl: AccessControl(flags: flags)),
          creationDate: item.creationDate, modificationDate: item.modificationDate,
          revision: draft.nextRevision)
        try draft.append(
          [.put(VaultItem(item: tampered, secret: entry.secret, unknown: []))], as: .whenUnlocked)
        return nil
      })
    let context = AuthenticationContext(TestPerson(), password: "right")
    var authorization = try context.authorization(with: nil)
    authorization.proofs = .any
    #expect(try object.item("account")?.attributes.accessControl.flags == flags)
    expectError("corrupted") { try object.secret(of: item.id, authorizedBy: authorization) }
    #expect(try !object.verify().isSound)
  }
}
