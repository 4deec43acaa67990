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
      // It stays until the file that replaced the damaged one is durable.
      try TestVault.append([1], to: vault.path + ".damaged-1")
      let writes: [() throws -> Void] = [
        { try object.add("new", account: "new") }, { try object.change("a", to: "changed") },
        { try object.remove("a") }, { try object.compact() },
        { try object.setPassphrase(TestVault.passphrase, cost: .cheap) },
        { _ = try object.removeDamagedCopies() },
      ]
      for write in writes {
        #expect(throws: error, performing: write)
        #expect(try vault.bytes == bytes)
        #expect(try object.damagedCopies.count == 1)
        #expect(try vault.rememberedState() == state)
      }
      isFailing.withLock { $0 = false }
      try object.change("a", to: "changed")
      #expect(try vault.open().texts() == ["a": "changed"])
    }
  }

  /// Another process may have been killed before it flushed its records of the vault.
  @Test func foundStateIsFlushedBeforeTheFirstWrite() throws {
    try vault.open().add("first", account: "a")
    let log = CallLog(.fsync, .fdatasync)
    let isFailing = Lock(true)
    let failing = vault.open(fileSystem: .failing(.fsync, on: "/state", while: isFailing))
    let writer = vault.open(fileSystem: log.fileSystem)
    try writer.change("a", to: "second")
    let found = log.take()
    for suffix in [".place", ".state", "/state"] {
      #expect(found.contains { $0.hasPrefix("fsync ") && $0.hasSuffix(suffix) }, "\(found)")
    }
    #expect(found.last == "fdatasync \(vault.path)")
    for number in 0..<3 { try writer.change("a", to: "\(number)") }
    #expect(log.take() == [String](repeating: "fdatasync \(vault.path)", count: 3))

    let bytes = try vault.bytes
    let writes: [() throws -> Void] = [
      { try failing.change("a", to: "third") }, { try failing.compact() },
      { try failing.setPassphrase(TestVault.passphrase, cost: .cheap) },
    ]
    let error = SecretStoreError.uncertain(path: vault.statePath, code: EIO)
    for write in writes {
      #expect(throws: error, performing: write)
      #expect(try vault.bytes == bytes)
    }
    isFailing.withLock { $0 = false }
    for write in writes { try write() }
    #expect(try failing.texts() == ["a": "third"])
  }

  @Test func unflushedDeviceKeyIsFlushedBeforeItIsUsed() throws {
    _ = try vault.protected()
    let state = try vault.path("other")
    let isFailing = Lock(true)
    let object = vault.open(
      state: state, fileSystem: .failing(.fsync, on: "/other", while: isFailing))
    try object.unlock(with: .passphrase(TestVault.passphrase))
    for _ in 0..<2 {
      #expect(throws: SecretStoreError.uncertain(path: state, code: EIO)) {
        try object.location.device.makeSecret()
      }
    }
    isFailing.withLock { $0 = false }
    _ = try object.addSlot(.device, named: "device")
  }

  /// A process was killed between its write and the flush.
  @Test func foundWriteIsFlushedBeforeItIsAcknowledged() throws {
    let isArmed = Lock(false)
    let killed = vault.open(
      fileSystem: FileSystem { call, _ in
        [.fdatasync, .ftruncate].contains(call) && isArmed.withLock { $0 } ? EIO : nil
      })
    let item = try killed.add("first", account: "a")
    isArmed.withLock { $0 = true }
    #expect(throws: SecretStoreError.self) {
      try killed.remove(item.id, expecting: item.revision)
    }
    #expect(throws: SecretStoreError.self) { try killed.add("second", account: "b") }
    try killed.export(of: vault)
    #expect(try killed.texts() == ["b": "second"])

    let isFailing = Lock(true)
    let object = vault.open(
      fileSystem: .failing(.fdatasync, on: vault.path, while: isFailing))
    let work: [() throws -> Void] = [
      { try object.remove(item.id, expecting: item.revision) },
      {
        let report = try object.importItems(of: vault)
        #expect(report.entries.contains { $0.outcome == .identical })
      },
    ]
    let error = SecretStoreError.system(call: "fdatasync", path: vault.path, code: EIO)
    for perform in work { #expect(throws: error, performing: perform) }
    isFailing.withLock { $0 = false }
    for perform in work { try perform() }
  }

  @Test func unflushedNewFileIsUncertain() throws {
    let isFailing = Lock(false)
    let object = vault.open(fileSystem: .failing(.fsync, on: directory, while: isFailing))
    _ = try object.location.device.makeSecret()
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
