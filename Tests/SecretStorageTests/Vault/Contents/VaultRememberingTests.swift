import CipherSupport
import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// The memory of a vault by the machine and by each object.
@Suite(.expectsFailures) struct VaultRememberingTests {
  private let vault = TestVault()

  private func expectRolledBack(
    _ objects: SecretVault..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for object in objects {
      expectError("rolledBack", sourceLocation: sourceLocation) { _ = try object.texts() }
    }
  }

  private func remembered() throws -> RememberedVault {
    let object = vault.open()
    let table = try #require(try object.withContents { $0.keys.table })
    return try #require(try object.location.device.remembered(of: table.vaultID))
  }

  @Test func headSlotsAndGenerationAreRemembered() throws {
    let object = try vault.openAsService()
    try object.add("value", account: "a")
    #expect(try remembered().keys?.slotTypes == 1 << 1)
    for kind in KeyKind.allCases {
      try object.addSlot(kind.key(1, in: vault), named: "key", cost: .cheap)
    }
    let before = try #require(try remembered().keys)
    #expect(before.slotTypes == 0b11_1110)
    #expect(before.generation != RememberedVault.Keys.noGeneration)
    #expect(try remembered().logStart == object.withContents { $0.chain.start })
    #expect(try before.generation == object.withContents { $0.keys.fingerprint })
    try object.rotateKeys(removingOtherSlots: true)
    let after = try #require(try remembered().keys)
    #expect(after.slotTypes == 0b1_0010)
    #expect(after.generation != before.generation)
    #expect(try remembered().head == object.withContents { $0.chain.head })
  }

  @Test(arguments: [(63, 1 << 63), (255, 1 << 63), (62, 1 << 62)] as [(UInt8, UInt64)])
  func slotTypesOfNewerVersionsAreRemembered(_ type: UInt8, _ bit: UInt64) throws {
    let slot = KeySlot(id: 7, name: "new", kind: .unknown(type: type))
    let table = KeyTable(
      sealer: VaultSealer(vaultID: [], cipher: TestCipher()), slots: [slot])
    #expect(table.slotTypes == bit)
  }

  @Test func damagedStateIsIgnored() throws {
    try vault.open().add("a", account: "a")
    let whole = try remembered()
    let (name, bytes) = try #require(try vault.rememberedState().first)
    try #require(bytes.count == 160)
    for place in bytes.indices {
      var flipped = bytes
      flipped[place] ^= 1
      try vault.restoreState([name: flipped])
      let device = try vault.open().location.device
      #expect(try vault.open().texts() == ["a": "a"])
      // Restored again, because reading the vault repairs the state.
      try vault.restoreState([name: flipped])
      let found = try device.remembered(of: whole.vaultID)
      let head = RememberedVault(vaultID: whole.vaultID, head: whole.head)
      #expect(found == (place < 112 ? nil : head))
    }
    for count in [0, 1, 40, 111] {
      try vault.restoreState([name: Array(bytes[..<count])])
      #expect(try vault.open().texts() == ["a": "a"])
    }
    #expect(try remembered() == whole)
  }

  /// Only the session and the open keys outlast what was read, whatever is added to the contents.
  @Test func resetForgetsAllThatWasRead() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    var contents = try object.withContents { $0 }
    contents.reset()
    let new = Mirror(reflecting: VaultContents(cipher: contents.cipher)).children
    for (found, new) in zip(Mirror(reflecting: contents).children, new)
    where !["keys", "session"].contains(found.label) {
      #expect("\(found.value)" == "\(new.value)", "\(found.label ?? "")")
    }
    #expect(contents.keys.table == nil && contents.keys.ring.user != nil)
    #expect(contents.session.seen.vaultID != nil)
  }

  enum Loss: CaseIterable { case removed, neverWritten, putBack }

  @Test(arguments: Loss.allCases, [true, false])
  func objectRefusesAnOlderCopyThanItHasRead(_ loss: Loss, _ asWriter: Bool) throws {
    let fails = Lock(loss == .neverWritten)
    let seeing = vault.open(fileSystem: .failing(.write, on: ".state", while: fails))
    let writer =
      asWriter ? seeing : vault.open(fileSystem: .failing(.write, on: ".state", while: fails))
    try writer.add("old", account: "a")
    let (old, state) = (try vault.bytes, try vault.rememberedState())
    try writer.change("a", to: "new")
    for _ in 0..<2 { #expect(try seeing.texts() == ["a": "new"]) }
    try vault.replace(by: old)
    switch loss {
    case .removed: try FileManager.default.removeItem(atPath: vault.statePath)
    case .neverWritten: try vault.forget()
    case .putBack:
      // Restoring the earlier state as well counts as accepting the older copy.
      try vault.restoreState(state)
      #expect(try seeing.texts() == ["a": "old"])
      return
    }
    fails.withLock { $0 = false }
    expectRolledBack(seeing, seeing)
    expectError("rolledBack") { _ = try seeing.verify() }
    #expect(!seeing.diagnose().isHealthy)
    try seeing.acceptRollback()
    #expect(try seeing.texts() == ["a": "old"])
    // With the state, the device key is gone as well, but still in memory.
    if loss != .removed { #expect(try vault.open().texts() == ["a": "old"]) }
  }

  /// The sequence numbers of a vault that replaces a missing one begin again.
  @Test func eachWriteToANewVaultIsRemembered() throws {
    let object = vault.open()
    for account in ["a", "b", "c"] { try object.add("value", account: account) }
    let last = try object.withContents { $0.chain.head.sequence }
    try FileSystem().unlink(vault.path)
    try object.add("value", account: "a")
    let writer = vault.open(fileSystem: .failing(.write, on: ".state"))
    while try writer.withContents({ $0.chain.head.sequence }) < last {
      try writer.change("a", to: "new")
    }
    let read = try #require(
      try object.withContents { contents in RememberedVault(contents.chain, contents.keys) })
    #expect(read.head.sequence == last)
    #expect(try object.location.device.remembered(of: read.vaultID) == read)
  }

  private func writeUnremembered() throws -> (old: [UInt8], new: [UInt8]) {
    let writer = vault.open(fileSystem: .failing(.write, on: ".state"))
    try vault.open().add("old", account: "a")
    let old = try vault.bytes
    try writer.change("a", to: "new")
    return (old, try vault.bytes)
  }

  @Test func readerRemembersAnUnrememberedWrite() throws {
    let (old, new) = try writeUnremembered()
    // No state file contains the change yet.
    try vault.replace(by: old)
    #expect(try vault.open().texts() == ["a": "old"])
    try vault.replace(by: new)
    let log = CallLog(.write, .fdatasync)
    let reader = vault.open(fileSystem: log.fileSystem)
    for _ in 0..<3 { #expect(try reader.texts() == ["a": "new"]) }
    // The vault is synchronized before the state is written, once.
    let made = log.take()
    #expect(made.count == 2 && made.first == "fdatasync \(vault.path)", "\(made)")
    try vault.replace(by: old)
    expectRolledBack(vault.open())
  }

  @Test func readerRemembersNothingDuringAWrite() throws {
    let (old, new) = try writeUnremembered()
    let reader = vault.open()
    let lock = try FileLock(at: "\(vault.path).lock")
    for _ in 0..<2 { #expect(try reader.texts() == ["a": "new"]) }
    lock.release()
    // The writer failed, and truncated its record.
    try vault.replace(by: old)
    for object in [reader, vault.open()] { #expect(try object.texts() == ["a": "old"]) }
    // A later access retries.
    try vault.replace(by: new)
    #expect(try reader.texts() == ["a": "new"])
    try vault.replace(by: old)
    expectRolledBack(reader, vault.open())
  }

  /// Only the app's keys can tell such a record from one of the vault's.
  @Test(arguments: [true, false])
  func forgedRecordIsNotRemembered(_ isLocked: Bool) throws {
    let maker = vault.open()
    try maker.add("always", account: "always", .always)
    try maker.setPassphrase(TestVault.passphrase, cost: .cheap)
    let sound = try vault.bytes
    let state = try vault.rememberedState()
    let table = try CapturedKeys(maker).table
    let head = try maker.withContents { $0.chain.head }
    let record: [Field] = [
      .number("kind", 2, 1), .number("sequence", head.sequence + 1, 8),
      .bytes("predecessor", head.digest), .bytes("salt", [UInt8](repeating: 7, count: 32)),
      .number("attributes key", try #require(table.key(for: .attributes)).id, 4),
      .number("attributes length", 64, 4),
      .bytes("attributes", [UInt8](repeating: 7, count: 80)),
    ]
    try vault.replace(by: sound + TestVault.frame(of: record.encoded))

    let reader = vault.open()
    if isLocked {
      #expect(try reader.text("always") == "always")
    } else {
      try reader.unlock(with: .passphrase(TestVault.passphrase))
    }
    _ = try? reader.texts()
    #expect(try vault.rememberedState() == state)
    try vault.replace(by: sound)
    for object in [reader, vault.open()] {
      if try object.isLocked { try object.unlock(with: .passphrase(TestVault.passphrase)) }
      #expect(try object.texts() == ["always": "always"])
    }
  }

  /// Another machine has rewritten the file, so that its beginning is new.
  @Test func lockedWriterRemembersTheFilesBeginning() throws {
    let owner = try vault.protected()
    try owner.add("value", account: "a", .always)
    let before = try remembered()
    let other = vault.open(state: try vault.path("elsewhere"))
    try other.unlock(with: .passphrase(TestVault.passphrase))
    try other.compact()
    let locked = vault.open()
    try locked.add("new", account: "b", .always)
    #expect(try locked.isLocked)
    let after = try remembered()
    #expect(try after.logStart == locked.withContents { $0.chain.start })
    #expect(after.logStart > before.logStart)
    #expect(after.keys?.generation == before.keys?.generation)
  }

  @Test func compactionOfAnotherMachineIsRemembered() throws {
    let reader = try vault.protected()
    try reader.add("value", account: "a")
    let old = try vault.bytes
    let other = vault.open(state: try vault.path("elsewhere"))
    try other.unlock(with: .passphrase(TestVault.passphrase))
    try other.compact()
    #expect(try reader.texts() == ["a": "value"])
    #expect(try remembered().head == reader.withContents { $0.chain.head })
    try vault.replace(by: old)
    expectRolledBack(vault.open(), reader)
  }

  @Test func copyAcceptedElsewhereIsReadAfterACompaction() throws {
    let (object, reader) = (vault.open(), vault.open())
    try object.add("old", account: "a")
    let old = try vault.bytes
    try object.change("a", to: "new")
    #expect(try reader.texts() == ["a": "new"])
    try object.compact()
    for _ in 0..<2 { #expect(try reader.texts() == ["a": "new"]) }
    try vault.replace(by: old)
    try vault.open().acceptRollback()
    for object in [object, reader] { #expect(try object.texts() == ["a": "old"]) }
  }

  @Test func writeReadBesideAHeldRecordIsRememberedLater() throws {
    let old = try writeUnremembered().old
    let state = try vault.rememberedState()
    let name = try #require(state.keys.first)
    let log = CallLog(.fdatasync)
    let reader = vault.open(fileSystem: log.fileSystem)
    let lock = try FileLock(at: "\(vault.statePath)/\(name)")
    for _ in 0..<3 { #expect(try reader.texts() == ["a": "new"]) }
    #expect(log.take().count == 1)
    #expect(try vault.rememberedState() == state)
    lock.release()
    #expect(try reader.texts() == ["a": "new"])
    #expect(try vault.rememberedState() != state)
    try vault.replace(by: old)
    expectRolledBack(vault.open())
  }

  /// The first process on a machine is killed before its first write, and then another machine
  /// rewrites the file.
  @Test func interruptedFirstWriteRemembersTheKeys() throws {
    let owner = try vault.protected()
    try owner.add("value", account: "a")
    let state = try vault.path("elsewhere")
    let file = vault.path
    let first = Lock([String: [UInt8]]())
    let killed = vault.open(
      state: state,
      fileSystem: .before(.write, on: file) {
        recordingErrors {
          for name in try FileSystem().entries(of: state) where name.hasSuffix(".state") {
            let bytes = try TestVault.bytes(of: "\(state)/\(name)")
            first.withLock { $0[name] = bytes }
          }
        }
      })
    try killed.unlock(with: .passphrase(TestVault.passphrase))
    let before = try vault.bytes
    try killed.add("never written", account: "b")
    try vault.replace(by: before)
    let states = first.withLock { $0 }
    #expect(states.values.map(\.count) == [160])
    for (name, bytes) in states {
      try FileSystem().replaceFile(at: "\(state)/\(name)", with: bytes)
    }
    try owner.compact()
    let next = vault.open(state: state)
    try next.unlock(with: .passphrase(TestVault.passphrase))
    try next.expectSound(["a": "value"])
  }

  @Test func recordBehindADamagedOneIsNotRemembered() throws {
    try vault.open().add("old", account: "a")
    let state = try vault.rememberedState()
    let writer = vault.open(fileSystem: .failing(.write, on: ".state"))
    for value in ["lost", "behind"] { try writer.change("a", to: value) }
    try vault.damage(at: TestVault.frames(of: vault.bytes)[3].endIndex - 1)
    #expect(throws: SecretStoreError.self) { try vault.open().texts() }
    #expect(try vault.rememberedState() == state)
  }

  @Test func readerMakesNoLockAndNoDirectory() throws {
    let old = try writeUnremembered().old
    try FileSystem().unlink("\(vault.path).lock")
    #expect(try vault.open().texts() == ["a": "new"])
    #expect(throws: SecretStoreError.self) { try vault.open(state: "\(vault.path).none").texts() }
    #expect(try vault.names() == ["secrets.vault", "secrets.vault.reserve", "state"])
    try vault.replace(by: old)
    expectRolledBack(vault.open())
  }

  /// The machine's own files, each of which others can change between the check of its path and its
  /// opening.
  @Test(arguments: ["device.key", ".state", ".place"])
  func modeIsCheckedOnTheOpenFile(_ suffix: String) throws {
    try vault.open().add("value", account: "a")
    let found = try FileSystem().entries(of: vault.statePath).first { $0.hasSuffix(suffix) }
    let file = "\(vault.statePath)/\(try #require(found))"
    let object = vault.open(
      fileSystem: .before(.open, on: suffix) { _ = unsafe chmod(file, 0o666) })
    let error = try failure { _ = try object.texts() }
    guard case .insecure(file, let reason) = error else { throw error }
    #expect(reason.contains("accessible to other users"))
  }

  /// A program that can write to the directory gives a file of the user's the name.
  @Test(arguments: [".state", ".place"])
  func fileWithSeveralNamesIsReadButNotWritten(_ suffix: String) throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let found = try FileSystem().entries(of: vault.statePath).first { $0.hasSuffix(suffix) }
    let file = "\(vault.statePath)/\(try #require(found))"
    let other = try vault.path("another file")
    try FileSystem().replaceFile(at: other, with: Array("text".utf8))
    try FileSystem().unlink(file)
    try FileSystem().link(other, to: file)

    let reader = vault.open()
    #expect(try reader.texts() == ["a": "value"])
    try reader.add("new", account: "new")
    let device = try reader.location.device
    let remembered = try reader.withContents { RememberedVault($0.chain, $0.keys) }
    let state = try #require(remembered)
    let error = try failure {
      if suffix == ".state" {
        try device.remember(state)
      } else {
        try device.remember(state.vaultID, at: vault.path)
      }
    }
    guard case .insecure(file, let reason) = error else { throw error }
    #expect(reason.contains("2 names"))
    #expect(try TestVault.bytes(of: other) == Array("text".utf8))

    // With one name, the file is written again.
    try FileSystem().unlink(other)
    try vault.open().add("last", account: "last")
    #expect(try TestVault.bytes(of: file).starts(with: "Locket".utf8))
  }
}
