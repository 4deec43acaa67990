import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Files that another process installed, or whose directory could not be flushed.
@Suite(.expectsFailures) struct VaultFoundFileTests {
  private let vault = TestVault()
  private var directory: String { vault.path.parentDirectory }

  /// Returns the flushes of the directory and the writes to the file that work makes.
  private func calls(of log: CallLog, in work: () throws -> Void) rethrows -> [String] {
    _ = log.take()
    try work()
    return log.take().filter { ["fsync \(directory)", "write \(vault.path)"].contains($0) }
  }

  private func replacements() -> [(SecretVault) throws -> Void] {
    [
      { try $0.compact() }, { try $0.rotate() }, { _ = try $0.addRecoveryCode(named: "code") },
    ]
  }

  @Test func foundFileIsFlushedBeforeTheFirstWrite() throws {
    let log = CallLog(.fsync, .write)
    let found = ["fsync \(directory)", "write \(vault.path)"]
    try vault.open().add("first", account: "a")
    let object = vault.open(fileSystem: log.fileSystem)
    // Reading and recording a file's state flushes it as well.
    try vault.forget()
    #expect(try calls(of: log) { _ = try object.texts() } == [found[0]])
    #expect(try calls(of: log) { try object.change("a", to: "second") } == [found[1]])
    for replace in replacements() {
      try replace(vault.open())
      let writer = vault.open(fileSystem: log.fileSystem)
      #expect(try calls(of: log) { try writer.change("a", to: "third") } == found)
      #expect(try calls(of: log) { try writer.change("a", to: "fourth") } == [found[1]])
      // This object knows only the replaced file.
      #expect(try calls(of: log) { try object.change("a", to: "fifth") }.first == found[0])
      #expect(try calls(of: log) { try object.change("a", to: "sixth") } == [found[1]])
    }
  }

  @Test func unflushedReplacementIsFlushedBeforeEachWrite() throws {
    let isFailing = Lock(false)
    for replace in replacements() {
      let vault = TestVault()
      let directory = vault.path.parentDirectory
      let error = SecretStoreError.uncertain(path: directory, code: EIO)
      #expect("\(error)".contains("uncertain") && "\(error)".contains("fsync of \(directory)"))
      try vault.open().add("first", account: "a")
      // Only the flush after the replacement fails at first.
      let isRenamed = Lock(false)
      let object = vault.open(
        fileSystem: FileSystem { call, path in
          if call == .rename { isRenamed.withLock { $0 = true } }
          guard call == .fsync, path == directory else { return nil }
          return isFailing.withLock { $0 } && isRenamed.withLock { $0 } ? EIO : nil
        })
      isFailing.withLock { $0 = true }
      do { try replace(object) } catch SecretStoreError.uncertain(directory, EIO) {}
      // A file that may vanish is not recorded as the newest one.
      let bytes = try vault.bytes
      let state = try vault.rememberedState()
      let writes: [() throws -> Void] = [
        { try object.add("new", account: "new") }, { try object.change("a", to: "changed") },
        { try object.remove("a") }, { try object.compact() },
        { try object.setPassphrase(TestVault.passphrase, cost: .cheap) },
      ]
      for write in writes {
        #expect(throws: error, performing: write)
        #expect(try vault.bytes == bytes)
        #expect(try vault.rememberedState() == state)
      }
      isFailing.withLock { $0 = false }
      try object.change("a", to: "changed")
      #expect(try vault.open().texts() == ["a": "changed"])
    }
  }

  @Test func unflushedNewFileIsUncertain() throws {
    let isFailing = Lock(false)
    let object = vault.open(fileSystem: .failing(.fsync, on: directory, while: isFailing))
    try FileSystem().makeDirectories(vault.statePath)
    isFailing.withLock { $0 = true }
    let error = SecretStoreError.uncertain(path: directory, code: EIO)
    for account in ["a", "b"] {
      #expect(throws: error) { try object.add("value", account: account) }
      #expect(try vault.open().texts() == ["a": "value"])
    }
    isFailing.withLock { $0 = false }
    try object.add("value", account: "b")
    #expect(try vault.open().texts() == ["a": "value", "b": "value"])
  }

  @Test(arguments: [EINVAL, ENOSYS, EOPNOTSUPP])
  func unsupportedDirectoryFlushIsReportedByDiagnosis(_ code: Int32) throws {
    let directories = [directory, vault.statePath]
    let object = vault.open(
      fileSystem: FileSystem { call, path in
        call == .fsync && directories.contains(path) ? code : nil
      })
    try object.add("value", account: "a")
    for replace in replacements() { try replace(object) }
    try object.change("a", to: "changed")
    #expect(try vault.open().texts() == ["a": "changed"])
    let findings = object.diagnose().findings.filter { $0.text.contains("cannot flush") }
    #expect(findings.map(\.subject) == ["Vault directory", "State directory"])
    #expect(findings.allSatisfy { !$0.isProblem })
    #expect(vault.open().diagnose().findings.allSatisfy { !$0.text.contains("cannot flush") })
    let failing = vault.open(fileSystem: .failing(.fsync, on: directory))
    #expect(failing.diagnose().problems.map(\.subject) == ["Vault directory"])
  }
}
