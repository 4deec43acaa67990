import CLibrary
import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Injected failures of every system call, for every kind of write.
struct VaultFaultTests {
  /// A write, and the contents after it.
  struct Operation: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let isOfNewVault: Bool
    let perform: @Sendable (SecretVault) throws -> Void
    let outcome: [String: String]
  }

  private static let before = ["a": "value", "b": "other"]

  static let operations = [
    Operation(
      testDescription: "creation", isOfNewVault: true,
      perform: { try $0.add("new", account: "new") }, outcome: ["new": "new"]),
    Operation(
      testDescription: "add", isOfNewVault: false,
      perform: { try $0.add("new", account: "new") },
      outcome: before.merging(["new": "new"]) { $1 }),
    Operation(
      testDescription: "update", isOfNewVault: false,
      perform: { try $0.change("a", to: "changed") },
      outcome: ["a": "changed", "b": "other"]),
    Operation(
      testDescription: "remove", isOfNewVault: false,
      perform: { try $0.remove("b") }, outcome: ["a": "value"]),
    Operation(
      testDescription: "compact", isOfNewVault: false,
      perform: { try $0.compact() }, outcome: before),
    Operation(
      testDescription: "setPassphrase", isOfNewVault: false,
      perform: { try $0.setPassphrase(Secret("secret".utf8), cost: .cheap) }, outcome: before),
  ]

  private static let faults =
    Campaign.isFull
    ? operations.flatMap { operation in
      [ENOSPC, EIO, EACCES, EROFS, EMFILE, EINTR].map { (operation, $0) }
    }
    // EINTR is handled in one place for all operations.
    : operations.map { ($0, ENOSPC) } + [(operations[1], EINTR)]

  @Test(arguments: faults)
  func failedCallLeavesThePreviousStateAndIsNamed(
    _ operation: Operation, _ code: Int32
  ) throws {
    var index = Campaign.start
    while true {
      let fault = FaultAtCall(index, code: code)
      let vault = TestVault()
      let previous = operation.isOfNewVault ? [:] : Self.before
      if !operation.isOfNewVault {
        let maker = vault.open()
        for (account, value) in previous { try maker.add(value, account: account) }
      }
      let object = vault.open(fileSystem: fault.fileSystem)
      let error = failure(of: operation, on: object)
      fault.disarm()
      guard let place = fault.failed else {
        #expect(error == nil)
        // The last round injects no fault.
        #expect(index > 8)
        return
      }
      let comment = Comment("\(operation.testDescription) with error \(code) in \(place)")
      // Only calls after the write, or those that Locket can do without, may fail silently.
      if let error {
        expect(error, isOf: place, code, comment)
        #expect(code != EINTR, comment)
      }
      let hasFailed = error != nil
      #expect(try !hasFailed || !vault.open().hasPassphrase, comment)
      try expect(hasFailed ? previous : operation.outcome, of: object, comment)
      if !operation.isPassphrase || hasFailed {
        try expect(hasFailed ? previous : operation.outcome, of: vault.open(), comment)
      }
      if hasFailed {
        // Without the fault, a retry succeeds.
        try operation.perform(object)
        try expect(operation.outcome, of: object, comment)
      }
      try object.add("afterwards", account: "afterwards")
      let other = vault.open()
      if operation.isPassphrase { try other.unlock(with: .passphrase(Secret("secret".utf8))) }
      try expect(
        operation.outcome.merging(["afterwards": "afterwards"]) { $1 }, of: other, comment)
      #expect(try other.verify().isSound, comment)
      try other.compact()
      #expect(try vault.names().filter { $0.hasSuffix(".tmp") }.isEmpty, comment)
      index += Campaign.step
    }
  }

  private func failure(of operation: Operation, on object: SecretVault) -> (any Error)? {
    do {
      try operation.perform(object)
      return nil
    } catch {
      return error
    }
  }

  private func expect(
    _ error: any Error, isOf place: String, _ code: Int32, _ comment: Comment
  ) {
    guard case .system(let call, let path, code) = error as? SecretStoreError else {
      Issue.record("\(comment.rawValue): \(error)")
      return
    }
    #expect("\(call) \(path)" == place, comment)
  }

  private func expect(
    _ texts: [String: String], of object: SecretVault, _ comment: Comment
  ) throws {
    #expect(try object.texts() == texts, comment)
  }

  @Test func secondProcessSeesThePreviousStateAfterAFault() throws {
    let vault = TestVault()
    try vault.open().add("value", account: "a")
    for call in [FileSystem.Call.write, .fdatasync] {
      let object = vault.open(fileSystem: FileSystem { made, _ in made == call ? ENOSPC : nil })
      #expect(throws: SecretStoreError.system(call: call.rawValue, path: vault.path, code: ENOSPC))
      {
        try object.change("a", to: "changed")
      }
      let output = try vault.path("output-\(call)")
      try ChildProcess("read", on: vault, ["a"], journal: output).wait()
      #expect(try TestVault.bytes(of: output) == Array("value\n".utf8))
    }
  }

  @Test func failedRepairCanBeTriedAgain() throws {
    let history = try VaultHistory(.appended)
    let copy = try history.copy()
    try TestVault.change(copy.path, at: 5000, to: ~history.bytes[5000])
    let damaged = try copy.bytes
    for call in [FileSystem.Call.rename, .fsync, .write] {
      let object = copy.open(fileSystem: FileSystem { made, _ in made == call ? ENOSPC : nil })
      #expect(throws: SecretStoreError.self) { try object.repair() }
      #expect(try copy.bytes == damaged)
    }
    #expect(try !copy.open().repair().isEmpty)
    #expect(try copy.open().verify().isSound)
    let kept = try copy.names().filter { $0.contains(".damaged-") }
    #expect(kept.count == 1)
    #expect(try TestVault.bytes(of: copy.path(try #require(kept.first))) == damaged)
  }

  /// As on FAT and some FUSE file systems; the damaged file is copied there.
  @Test(arguments: [EPERM, ENOSYS, EOPNOTSUPP])
  func repairWorksWhereNoFileHasTwoNames(_ code: Int32) throws {
    let history = try VaultHistory(.appended)
    let copy = try history.copy()
    try TestVault.change(copy.path, at: 5000, to: ~history.bytes[5000])
    let damaged = try copy.bytes
    let fails = Lock(true)
    let object = copy.open(
      fileSystem: FileSystem { call, path in
        if call == .link || call == .renameat2 { return code }
        // The first attempt fails after the copy was made.
        return call == .rename && path.contains("/.secrets.vault.") && !path.contains(".damaged-")
          && fails.withLock({ $0 }) ? EIO : nil
      })
    #expect(throws: SecretStoreError.self) { try object.repair() }
    #expect(try copy.bytes == damaged)
    fails.withLock { $0 = false }
    #expect(try !object.repair().isEmpty)
    #expect(try copy.open().verify().isSound)
    let kept = try copy.names().filter { $0.contains(".damaged-") }
    #expect(kept.count == 1)
    #expect(try TestVault.bytes(of: copy.path(try #require(kept.first))) == damaged)
  }
}

extension VaultFaultTests.Operation {
  fileprivate var isPassphrase: Bool { testDescription == "setPassphrase" }
}
