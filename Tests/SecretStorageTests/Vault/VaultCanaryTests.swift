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
    let attributes = ItemAttributes(label: "canary label", comment: "canary comment")
    for accessibility in [Accessibility.whenUnlocked, .always, .alwaysThisDeviceOnly] {
      var attributes = attributes
      attributes.accessControl = AccessControl(accessibility)
      let item = try object.add(
        "canary secret",
        identity: .generic(service: "canary service", account: "canary account \(accessibility)"),
        attributes: attributes)
      _ = try object.update(
        item.id, expecting: item.revision, attributes: nil, secret: "canary secret again")
    }
    _ = try object.add(
      "canary secret",
      identity: .internet(server: "canary service", account: "canary account"),
      attributes: attributes)
  }

  private func expectNoCanary(in bytes: [UInt8], _ name: String) {
    for canary in Self.canaries {
      #expect(bytes.firstRange(of: Array(canary.utf8)) == nil, "\(canary) in \(name)")
    }
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
    let object = vault.open()
    try fill(object)
    // The temporary file that a killed writer leaves.
    let dying = vault.open(
      fileSystem: FileSystem { call, _ in call == .rename || call == .unlink ? EIO : nil })
    #expect(throws: SecretStoreError.self) { try dying.compact() }
    #expect(throws: SecretStoreError.self) {
      try dying.setPassphrase("canary passphrase", cost: .minimum)
    }
    let last = try #require(TestVault.frames(of: try vault.bytes).dropFirst(4).first)
    try TestVault.change(vault.path, at: last.endIndex - 1, to: ~(try #require(last.last)))
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
    let ring = object.contents.withLock { $0.keys.ring }
    let subjects: [Any] = [
      object, object as any SecretStore, [object], reading, reading.secret, entry.secret, ring,
      object.contents.withLock { $0.keys }, try object.verify(),
      try object.revision(),
    ]
    for subject in subjects {
      let children = Mirror(reflecting: subject).children
      var shown = "\(subject) \(String(reflecting: subject)) \(children)"
      dump(subject, to: &shown)
      expectNoCanary(in: Array(shown.utf8), "\(type(of: subject))")
    }
  }

  @Test func errorsNameNoItem() throws {
    let object = vault.open()
    try fill(object)
    var errors: [any Error] = []
    func note(_ body: () throws -> Void) {
      do {
        try body()
        Issue.record("There is no error.")
      } catch {
        errors.append(error)
      }
    }
    note { try fill(object) }
    note { try object.unlock(with: .passphrase("canary passphrase")) }
    let frames = TestVault.frames(of: try vault.bytes)
    for (number, frame) in zip(0..., frames).dropFirst(2) {
      var forged = frames
      var payload = Array(frame.dropFirst(Frame.overhead))
      payload[payload.count - 1] ^= 1
      forged[number] = try TestVault.frame(of: payload)
      try vault.replace(by: TestVault.file(of: forged))
      let other = vault.open()
      note { _ = try other.texts() }
      note { throw SecretStoreError.corrupted("\(try other.verify())") }
    }
    for error in errors {
      var shown = "\(error) \(String(reflecting: error))"
      if let error = error as? SecretStoreError { shown += "\(SecretStorageFailure(.read, error))" }
      dump(error, to: &shown)
      expectNoCanary(in: Array(shown.utf8), "an error")
    }
  }

  @Test func failureLogNamesNoItem() throws {
    let object = vault.open(
      fileSystem: FileSystem { call, path in
        call == .fdatasync || path.hasSuffix(".state") ? EIO : nil
      })
    let lines = Lock([String]())
    let log = FailureLog<SecretStorageFailure> { line in lines.withLock { $0.append(line) } }
    let item = PasswordItem<String>(
      .generic(service: "canary service", account: "canary account"), in: object)
    item.value = "canary secret"
    item.value = "canary secret again"
    _ = item.value
    let error = try #require(item.error)
    log.report(SecretStorageFailure(.write, error))
    log.report(SecretStorageFailure(.maintenance, .rolledBack(vault.path)))
    expectNoCanary(in: Array(lines.withLock { $0.joined() }.utf8), "the log")
    #expect(lines.withLock { $0.count } == 2)
  }
}
