import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

/// Files and messages without traces of secrets and names.
struct VaultCanaryTests {
  private static let canaries = [
    "canary secret", "canary service", "canary account", "canary label", "canary comment",
    "canary passphrase",
  ]

  private let vault = TestVault()

  private func fill(_ object: SecretVault) throws {
    var attributes = ItemAttributes(label: "canary label", comment: "canary comment")
    for accessibility in [Accessibility.always, .alwaysThisDeviceOnly, .whenUnlocked] {
      attributes.accessControl = AccessControl(accessibility)
      let item = try object.add(
        "canary secret",
        identity: .generic(service: "canary service", account: "canary account \(accessibility)"),
        attributes: attributes)
      try object.change(item, to: "canary secret again")
    }
    let identity = ItemIdentity.internet(server: "canary service", account: "canary account")
    _ = try object.add("canary secret", identity: identity, attributes: attributes)
  }

  private func expectNoCanary(in bytes: [UInt8], _ name: String) {
    for canary in Self.canaries {
      #expect(bytes.firstRange(of: Array(canary.utf8)) == nil, "\(canary) in \(name)")
    }
  }

  private func expectNoCanary(inDescriptionOf subject: Any) {
    var shown = "\(subject) \(String(reflecting: subject)) \(Mirror(reflecting: subject).children)"
    dump(subject, to: &shown)
    expectNoCanary(in: Array(shown.utf8), "\(type(of: subject))")
  }

  private func expectNoCanaryInAnyFile() throws -> Set<String> {
    var names: Set<String> = []
    for directory in [vault.directory.path, vault.statePath] {
      for name in try FileSystem().entries(of: directory) {
        let path = "\(directory)/\(name)"
        guard try FileSystem().status(of: path)?.isRegularFile == true else { continue }
        names.insert(name)
        expectNoCanary(in: try TestVault.bytes(of: path), name)
      }
    }
    return names
  }

  @Test func filesHoldNoPlaintext() throws {
    try fill(vault.open())
    // The temporary file that a killed writer leaves.
    let dying = vault.open(
      fileSystem: FileSystem { call, _ in call == .rename || call == .unlink ? EIO : nil })
    #expect(throws: SecretStoreError.self) { try dying.compact() }
    #expect(throws: SecretStoreError.self) {
      try dying.setPassphrase("canary passphrase", cost: .minimum)
    }
    try vault.damage(at: vault.frames[4].endIndex - 1)
    var names = try expectNoCanaryInAnyFile()
    #expect(names.contains { $0.hasSuffix(".tmp") })
    #expect(try !vault.open().repair().isEmpty)
    try vault.open().setPassphrase("canary passphrase", cost: .minimum)
    names.formUnion(try expectNoCanaryInAnyFile())
    for wanted in ["secrets.vault", "device.key", ".damaged-", ".state", ".lock"] {
      #expect(names.contains { $0.contains(wanted) }, "\(wanted)")
    }
  }

  /// Secrets of up to 60 bytes are padded to one length.
  @Test func shortSecretsHaveOneSize() throws {
    let object = vault.open()
    var sizes: Set<Int> = []
    try object.add("", account: "0")
    for count in 0...60 {
      let before = try vault.bytes.count
      try object.change("0", to: String(repeating: "x", count: count))
      sizes.insert(try vault.bytes.count - before)
    }
    #expect(sizes.count == 1)
  }

  @Test func descriptionsShowNoSecret() throws {
    let object = vault.open()
    try fill(object)
    let item = try #require(try object.items(matching: .all).first)
    let reading = try #require(try object.secret(of: item.id))
    _ = try object.salvageableItems()
    let entry = try #require(object.contents.withLock { $0.index[item.id] })
    let keys = object.contents.withLock { $0.keys }
    let subjects: [Any] = [
      object, object as any SecretStore, [object], reading, reading.secret, entry.secret, keys,
      keys.ring, try object.verify(), try object.revision(),
    ]
    subjects.forEach(expectNoCanary(inDescriptionOf:))
  }

  @Test func errorsNameNoItem() throws {
    let object = vault.open()
    try fill(object)
    var errors: [SecretStoreError] = []
    func note(_ body: () throws -> Void) throws { errors.append(try failure(body)) }
    try note { try fill(object) }
    try note { try object.unlock(with: .passphrase("canary passphrase")) }
    let failing = vault.open(fileSystem: .failing(.fdatasync))
    try note { try failing.add("canary secret", account: "canary account") }
    let frames = try vault.frames
    for (number, frame) in zip(0..., frames).dropFirst(2) {
      var forged = frames
      var payload = Array(frame.dropFirst(Frame.overhead))
      payload[payload.count - 1] ^= 1
      forged[number] = try TestVault.frame(of: payload)
      try vault.replace(by: TestVault.file(of: forged))
      let other = vault.open()
      try note { _ = try other.texts() }
      // The verification itself may fail.
      try note { throw SecretStoreError.corrupted("\(try other.verify())") }
    }
    for error in errors {
      expectNoCanary(inDescriptionOf: error)
      expectNoCanary(inDescriptionOf: SecretStorageFailure(.read, error))
    }
  }
}
