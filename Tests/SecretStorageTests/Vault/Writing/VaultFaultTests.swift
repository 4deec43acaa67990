import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Injected failures of every system call, for every kind of write.
struct VaultFaultTests {
  private static let works: [(VaultWork, isNew: Bool)] = [
    (.add, true), (.add, false), (.change, false), (.remove, false), (.compact, false),
    (.setPassphrase, false),
  ]
  // EINTR is handled in one place for all operations.
  private static let faults = works.flatMap { work, isNew in
    [ENOSPC, EIO, EACCES, EROFS, EMFILE, EINTR].map { (work, isNew, $0) }
  }
  .filter { Campaign.isFull || $0.2 == ENOSPC || $0 == (.add, false, EINTR) }

  /// A write to a vault with two items, or to a new one.
  @Test(arguments: faults)
  func failedCallIsNamedAndChangesNothing(_ work: VaultWork, _ isNew: Bool, _ code: Int32) throws {
    var vault = TestVault()
    let before = isNew ? [:] : ["a": "value", "b": "other"]
    var after = before
    switch work {
    case .add: after["new"] = "new"
    case .change: after["a"] = "changed"
    case .remove: after["a"] = nil
    default: break
    }
    for (account, value) in before { try vault.open().add(value, account: account) }
    let saved = isNew ? nil : try vault.snapshot
    let count = try FaultAtCall.atEachCall(code: code) { fault in
      if let saved { try vault.restore(saved.bytes, saved.state) } else { vault = TestVault() }
      let object = vault.open(fileSystem: fault.fileSystem)
      let hasFailed = fault.causesError { try work.perform(on: object, of: vault) }
      let comment = Comment("\(work) with error \(code) in \(fault.failed ?? "no call")")
      // A new file whose directory cannot be flushed stays in place, and the error says that.
      let isUncertain = try hasFailed && isNew && FileSystem().status(of: vault.path) != nil
      #expect(!isUncertain || fault.failed == "fsync \(vault.path.parentDirectory)", comment)
      let isDone = !hasFailed || isUncertain
      let hasPassphrase = work == .setPassphrase && isDone
      func expect(_ texts: [String: String], of reader: SecretVault) throws {
        if reader !== object, try reader.hasPassphrase { try reader.unlock(with: .tests) }
        #expect(try reader.texts() == texts, comment)
      }
      #expect(try vault.open().hasPassphrase == hasPassphrase, comment)
      for reader in [object, vault.open()] { try expect(isDone ? after : before, of: reader) }
      if !isDone { try work.perform(on: object, of: vault) }
      try object.add("afterwards", account: "afterwards")
      let other = vault.open()
      try expect(after.merging(["afterwards": "afterwards"]) { $1 }, of: other)
      #expect(try other.verify().isSound, comment)
      try other.compact()
      #expect(try vault.temporaryNames() == [], comment)
    }
    #expect(count > 8)
  }

  /// Without hard links, as on FAT and some FUSE file systems, the damaged file is copied.
  @Test(arguments: [0, EPERM, ENOSYS, EOPNOTSUPP])
  func failedRepairIsRepeatable(_ linkError: Int32) throws {
    let history = try VaultHistory(.appended)
    let copy = try history.copy()
    try copy.damage(at: 5000)
    let damaged = try copy.bytes
    func repair(failingAt fault: FileSystem.Call? = nil) throws -> [String] {
      let fileSystem = FileSystem { call, path in
        if linkError != 0, call == .link || call == .renameat2 { return linkError }
        // The new vault is renamed after the damaged file is kept.
        return call == fault && (call != .rename || !path.contains(".damaged-")) ? EIO : nil
      }
      return try copy.open(fileSystem: fileSystem).repair()
    }
    for call in [FileSystem.Call.write, .fsync, .rename] {
      #expect(throws: SecretStoreError.self) { try repair(failingAt: call) }
      #expect(try copy.bytes == damaged)
    }
    #expect(try !repair().isEmpty)
    #expect(try copy.open().verify().isSound)
    let kept = try copy.names().filter { $0.contains(".damaged-") }
    #expect(kept.count == 1)
    #expect(try content(of: copy.path(try #require(kept.first))) == damaged)
  }
}
