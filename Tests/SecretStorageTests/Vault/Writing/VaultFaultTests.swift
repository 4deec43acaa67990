import CLibrary
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Injected failures of every system call, for every kind of write.
struct VaultFaultTests {
  /// A write to a vault with two items, or to none.
  enum Operation: CaseIterable {
    case creation, addition, change, removal, compaction, passphrase

    var before: [String: String] { self == .creation ? [:] : ["a": "value", "b": "other"] }

    var after: [String: String] {
      switch self {
      case .creation, .addition: before.merging(["new": "new"]) { $1 }
      case .change: ["a": "changed", "b": "other"]
      case .removal: ["a": "value"]
      case .compaction, .passphrase: before
      }
    }

    func perform(on object: SecretVault) throws {
      switch self {
      case .creation, .addition: try object.add("new", account: "new")
      case .change: try object.change("a", to: "changed")
      case .removal: try object.remove("b")
      case .compaction: try object.compact()
      case .passphrase: try object.setPassphrase(TestVault.passphrase, cost: .cheap)
      }
    }
  }

  private static let faults =
    Campaign.isFull
    ? Operation.allCases.flatMap { operation in
      [ENOSPC, EIO, EACCES, EROFS, EMFILE, EINTR].map { (operation, $0) }
    }
    // EINTR is handled in one place for all operations.
    : Operation.allCases.map { ($0, ENOSPC) } + [(.addition, EINTR)]

  @Test(arguments: faults)
  func failedCallIsNamedAndChangesNothing(_ operation: Operation, _ code: Int32) throws {
    var vault = TestVault()
    for (account, value) in operation.before { try vault.open().add(value, account: account) }
    let saved =
      operation == .creation ? nil : (bytes: try vault.bytes, state: try vault.rememberedState())
    let count = try FaultAtCall.atEachCall(code: code) { fault in
      if let saved {
        try vault.replace(by: saved.bytes)
        try vault.restoreState(saved.state)
      } else {
        vault = TestVault()
      }
      let object = vault.open(fileSystem: fault.fileSystem)
      let hasFailed = fault.causesError { try operation.perform(on: object) }
      let comment = Comment("\(operation) with error \(code) in \(fault.failed ?? "no call")")
      // A new file whose directory cannot be flushed stays in place, and the error says that.
      let isUncertain =
        try hasFailed && operation == .creation && FileSystem().status(of: vault.path) != nil
      #expect(!isUncertain || fault.failed == "fsync \(vault.path.parentDirectory)", comment)
      let isDone = !hasFailed || isUncertain
      let hasPassphrase = operation == .passphrase && isDone
      func expect(_ texts: [String: String], of reader: SecretVault) throws {
        if reader !== object, try reader.hasPassphrase {
          try reader.unlock(with: .passphrase(TestVault.passphrase))
        }
        #expect(try reader.texts() == texts, comment)
      }
      #expect(try vault.open().hasPassphrase == hasPassphrase, comment)
      for reader in [object, vault.open()] {
        try expect(isDone ? operation.after : operation.before, of: reader)
      }
      if !isDone { try operation.perform(on: object) }
      try object.add("afterwards", account: "afterwards")
      let other = vault.open()
      try expect(operation.after.merging(["afterwards": "afterwards"]) { $1 }, of: other)
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
