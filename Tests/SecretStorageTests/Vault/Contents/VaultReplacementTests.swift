import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// A vault replaced by another one of the same keys.
struct VaultReplacementTests {
  private let vault = TestVault()

  /// Makes two vaults of one device at one path, one after the other, and returns their bytes.
  private func makeTwo() throws -> (first: [UInt8], second: [UInt8]) {
    try vault.open().add("first", account: "a")
    let first = try vault.bytes
    try FileSystem().unlink(vault.path)
    try vault.open().add("second", account: "a")
    return (first, try vault.bytes)
  }

  @Test func anotherVaultIsRefusedUntilItIsAccepted() throws {
    let object = vault.open()
    let (first, second) = try makeTwo()
    #expect(try object.texts() == ["a": "second"])
    try vault.replace(by: first)
    for refused in [object, vault.open()] {
      vault.expectEach(refused, "replaced", saying: vault.path)
      // Accepting a rollback does not accept this.
      try refused.acceptRollback()
      vault.expectEach(refused, "replaced", saying: vault.path)
      // The contents can be inspected before they are accepted.
      let saved = try refused.salvageableItems(unlockingWith: [.device])
      #expect(saved.map(\.secret.text) == ["first"])
      #expect(!refused.diagnose().isHealthy)
    }
    try vault.open().acceptReplacement()
    for accepted in [object, vault.open()] { try accepted.expectSound(["a": "first"]) }
    try object.add("new", account: "new")
    #expect(try vault.open().texts() == ["a": "first", "new": "new"])
    try vault.replace(by: second)
    vault.expectEach(object, "replaced", saying: vault.path)
  }

  @Test func acceptedVaultMayStillBeRolledBack() throws {
    let older = try vault.writeTwice().old
    try FileSystem().unlink(vault.path)
    try vault.open().add("second", account: "a")
    try vault.replace(by: older)
    let object = vault.open()
    vault.expectEach(object, "replaced", saying: vault.path)
    try object.acceptReplacement()
    expectError("rolledBack") { try object.texts() }
    try object.acceptRollback()
    #expect(try object.texts() == ["a": "old"])
  }

  @Test func acceptingNoReplacementChangesNothing() throws {
    let object = vault.open()
    try object.acceptReplacement()
    #expect(try FileSystem().status(of: vault.path) == nil)
    try object.add("a", account: "a")
    let before = try vault.bytes
    try object.add("b", account: "b")
    try object.acceptReplacement()
    try vault.replace(by: before)
    expectError("rolledBack") { try vault.open().texts() }
  }

  @Test func newVaultAtOldPathIsRemembered() throws {
    let other = TestVault()
    try other.open().add("new", account: "new")
    try other.open().export(of: other)
    let makings: [(SecretVault) throws -> Void] = [
      { try $0.add("new", account: "new") },
      { try $0.setPassphrase(Secret("secret".utf8), cost: .cheap) },
      { try $0.addSlot(.keyFile(try other.keyFile(1)), named: "file") },
      { try $0.importItems(of: other) },
    ]
    for make in makings {
      let vault = TestVault()
      try vault.open().add("first", account: "a")
      let first = try vault.bytes
      try FileSystem().unlink(vault.path)
      let object = vault.open()
      try make(object)
      for sound in [object, vault.open()] { #expect(try sound.verify().isSound) }
      try vault.replace(by: first)
      vault.expectEach(vault.open(), "replaced", saying: vault.path)
    }
  }

  /// If the machine took the new vault for a foreign one, it would be lost with its first write.
  @Test(arguments: [FileSystem.Call.open, .write, .fsync])
  func newVaultNeedsItsPlaceFile(_ failing: FileSystem.Call) throws {
    try vault.open().add("first", account: "a")
    try FileSystem().unlink(vault.path)
    let outage = Outage(of: failing, on: ".place")
    let object = vault.open(fileSystem: outage.fileSystem)
    #expect(throws: SecretStoreError.self) { try object.add("new", account: "new") }
    #expect(try FileSystem().status(of: vault.path) == nil)
    outage.end()
    try object.add("new", account: "new")
    #expect(try vault.open().texts() == ["new": "new"])
  }

  @Test(arguments: [true, false]) func nextWriteMakesAMissingPlaceFile(hasRead: Bool) throws {
    let (first, second) = try makeTwo()
    let object = vault.open()
    if hasRead { #expect(try object.texts() == ["a": "second"]) }
    try vault.forgetPlaces()
    if !hasRead {
      // No state says which one belongs here.
      try vault.replace(by: first)
      #expect(try vault.open().texts() == ["a": "first"])
      try vault.replace(by: second)
      #expect(try object.texts() == ["a": "second"])
    }
    try object.add("b", account: "b")
    try vault.replace(by: first)
    for object in [object, vault.open()] {
      vault.expectEach(object, "replaced", saying: vault.path)
    }
  }

  @Test func placeFileIsWrittenOnce() throws {
    let log = CallLog(.write, on: ".place")
    let object = vault.open(fileSystem: log.fileSystem)
    for number in 0..<5 { try object.add("\(number)", account: "\(number)") }
    try object.compact()
    try object.rotateKeys()
    try object.add("last", account: "last")
    #expect(log.take().count == 1)
  }

  @Test(arguments: ["sub/../", "./", "/", "linked/", "linked/sub/../"])
  func placeIsTheSameForEveryPathOfTheFile(_ prefix: String) throws {
    let (first, second) = try makeTwo()
    let directory = vault.directory.path
    try FileSystem().makeDirectories("\(directory)/sub")
    unsafe #expect(symlink(directory, "\(directory)/linked") == 0)
    let path = "\(directory)/\(prefix)secrets.vault"
    try vault.replace(by: first)
    vault.expectEach(vault.open(at: path)) { $0.kind == "replaced" }
    try vault.forgetPlaces()
    try vault.replace(by: second)
    try vault.open(at: path).add("b", account: "b")
    try vault.replace(by: first)
    vault.expectEach(vault.open(), "replaced", saying: vault.path)
  }

  @Test func damagedPlaceFileIsIgnored() throws {
    let (first, _) = try makeTwo()
    let note = try vault.stateFile(".place")
    let bytes = try TestVault.bytes(of: note)
    #expect(bytes.count == 72)
    try vault.replace(by: first)
    vault.expectEach(vault.open(), "replaced", saying: vault.path)
    let flipped = [3, 20, 45, 60].map { bytes[..<$0] + [bytes[$0] ^ 1] + bytes[($0 + 1)...] }
    for damaged in flipped + [0, 1, 40, 71].map({ bytes[..<$0] }) {
      try FileSystem().replaceFile(at: note, with: damaged)
      #expect(try vault.open().texts() == ["a": "first"])
    }
  }
}
