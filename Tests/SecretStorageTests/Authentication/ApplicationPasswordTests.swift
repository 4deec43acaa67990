import CipherSupport
import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Items with a second seal under a password of the app.
struct ApplicationPasswordTests {
  private let vault = TestVault()
  private let right = AuthenticationContext(password: "right")
  private let wrong = AuthenticationContext(password: "wrong")

  @Test func onlyThePasswordOpensAnItem() throws {
    let identity = ItemIdentity.generic(service: "my.service", account: "peter")
    _ = try vault.open().add(
      Secret("The Valley Wind".utf8), identity: identity,
      attributes: ItemAttributes(
        label: "label", accessControl: AccessControl(flags: .applicationPassword)),
      authorizedBy: right.authorization(with: nil))
    let machine = "/etc/machine-id"
    let raw = try RawVault(
      file: vault.bytes, deviceKey: TestVault.bytes(of: vault.statePath + "/device.key"),
      machine: try FileSystem().status(of: machine) == nil ? [] : TestVault.bytes(of: machine))

    // The vault's own keys open no plaintext of the item.
    #expect(!Self.contains(raw.opened, Array("Valley".utf8)))
    var reader = Bytes(raw.opened[...])
    #expect(reader.counted().isEmpty)
    let cost = ScryptCost(
      logarithmicCost: UInt8(reader.number(1)), blockSize: UInt32(reader.number(4)),
      parallelization: UInt32(reader.number(4)))
    #expect(cost == .cheap)
    let salt = reader.take(32)
    let sealed = reader.rest
    #expect(sealed.count == "The Valley Wind".utf8.count + 16)
    let context = [raw.itemClass] + raw.identityFields
    let cipher = TestCipher()
    func open(with stretched: Secret, purpose: String = "locket application password") throws
      -> Secret
    {
      try cipher.open(
        sealed, with: cipher.deriveKey(from: stretched, salt: salt[...], purpose: purpose),
        authenticating: context)
    }
    let guesses = try ["wrong", "", "Right", "right "].map {
      try cipher.stretch(Secret($0.utf8), salt: salt[...], cost: cost)
    }
    for key in raw.allKeys + guesses {
      for purpose in ["locket application password", "locket secret", "locket key"] {
        #expect(throws: SecretStoreError.self) { try open(with: key, purpose: purpose) }
      }
      #expect(throws: SecretStoreError.self) {
        try cipher.open(sealed, with: key, authenticating: context)
      }
    }
    let stretched = try cipher.stretch(Secret("right".utf8), salt: salt[...], cost: cost)
    #expect(try open(with: stretched) == Secret("The Valley Wind".utf8))
  }

  private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: part) }
  }

  @Test func unusablePasswordIsAnError() throws {
    let object = vault.open()
    for context in [
      AuthenticationContext(password: ""),
      AuthenticationContext(password: String(repeating: "x", count: 64 * 1024 + 1)),
      AuthenticationContext(password: "right", new: ""),
      AuthenticationContext(
        reason: "", applicationPassword: Secret([1]),
        applicationPasswordCost: ScryptCost(
          logarithmicCost: 30, blockSize: 8, parallelization: 1)),
    ] {
      let error = try failure {
        try object.add("text", account: "account", .applicationPassword, by: context)
      }
      #expect(error.invalid != nil)
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
      try object.update(
        item.id, expecting: try #require(try object.item("account")).revision, attributes: nil,
        secret: Secret("new".utf8), authorizedBy: context?.authorization(with: nil) ?? .none)
    }
    #expect(throws: SecretStoreError.needsApplicationPassword) { try replace(by: nil) }
    #expect(throws: SecretStoreError.wrongApplicationPassword) { try replace(by: wrong) }
    #expect(throws: SecretStoreError.wrongApplicationPassword) {
      try replace(by: AuthenticationContext(password: "wrong", new: "other"))
    }
    #expect(try object.item("account") == item)
    var current = try replace(by: right)
    var text = try await object.text(of: current, by: right)
    #expect(text == "new")
    current = try replace(by: AuthenticationContext(password: "right", new: "other"))
    await #expect(throws: SecretStoreError.wrongApplicationPassword) {
      try await object.text(of: current, by: right)
    }
    text = try await vault.open().text(of: current, by: AuthenticationContext(password: "other"))
    #expect(text == "new")
  }

  @Test func replacementNeedsNoProof() throws {
    let person = TestPerson()
    let object = vault.open()
    let item = try object.add(
      "text", account: "account", [.devicePasscode, .applicationPassword],
      by: AuthenticationContext(person, password: "right"))
    // Updating needs an authorization that can read the result.
    _ = try object.update(
      item.id, expecting: item.revision, attributes: nil, secret: Secret("new".utf8),
      authorizedBy: AuthenticationContext(person, password: "right").authorization(with: nil))
    #expect(person.questions.isEmpty)
  }

  @Test func passwordIsStretchedOncePerContext() async throws {
    let stretchings = Lock(0)
    let object = vault.open(cipher: HookedCipher { stretchings.withLock { $0 += 1 } })
    let item = try object.add("text", account: "account", .applicationPassword, by: right)
    for _ in 0..<3 {
      let text = try await object.text(of: item, by: right)
      #expect(text == "text")
    }
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
        do {
          #expect(try object.text("plain") == "plain")
          try object.change("plain", to: "plain")
          #expect(try object.items(matching: .all).count == 2)
          uses.withLock { $0 += 1 }
        } catch {
          Issue.record(error)
        }
      }
    }
    let object = vault.open(cipher: cipher)
    try object.add("plain", account: "plain")
    let item = try object.add("text", account: "account", .applicationPassword, by: right)
    let other = AuthenticationContext(password: "right")
    used.withLock { $0 = object }
    _ = try object.secret(of: item.id, authorizedBy: other.authorization(with: nil))
    let changed = try object.update(
      item.id, expecting: item.revision, attributes: nil, secret: Secret("new".utf8),
      authorizedBy: other.authorization(with: nil))
    try object.add("more", account: "more", .applicationPassword, by: other)
    used.withLock { $0 = nil }
    #expect(uses.withLock { $0 } == 3)
    let text = try await object.text(of: changed, by: other)
    #expect(text == "new")
  }

  @Test func absurdCostIsCorruption() throws {
    let object = vault.open()
    let item = try object.add("text", account: "account", .applicationPassword, by: right)
    let absurd = ConstrainedSecret(
      enrolledSet: [],
      derivation: ApplicationPassword.Derivation(
        cost: ScryptCost(logarithmicCost: 40, blockSize: 8, parallelization: 1),
        salt: try .random(32)), content: Secret([UInt8](repeating: 1, count: 20)))
    for payload in [absurd.payload, Secret([]), Secret([32, 0, 0, 0]), Secret([7, 0, 0, 0, 1])] {
      let current = try #require(try object.item("account"))
      _ = try object.write(
        .update(item.id, expecting: current.revision, attributes: nil, payload: payload))
      let error = try failure {
        _ = try object.secret(of: item.id, authorizedBy: right.authorization(with: nil))
      }
      #expect(error.corrupted != nil)
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
    let error = try failure { _ = try object.secret(of: item.id, authorizedBy: authorization) }
    #expect(error.corrupted != nil)
    #expect(try !object.verify().isSound)
  }
}
