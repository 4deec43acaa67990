import Concurrency
import StorageInternals
import Testing

@testable import SecretStorage

struct VaultRollbackTests {
  private let vault = TestVault()

  private func expectRolledBack(
    _ object: SecretVault, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    func expect(_ name: String, _ access: () throws -> Void) {
      do {
        try access()
        Issue.record("\(name) succeeds.", sourceLocation: sourceLocation)
      } catch {
        guard case SecretStoreError.rolledBack(let what) = error else {
          Issue.record("\(name): \(error)", sourceLocation: sourceLocation)
          return
        }
        #expect(what.contains(vault.path), sourceLocation: sourceLocation)
      }
    }
    for _ in 0..<2 {
      expect("items") { _ = try object.items(matching: .all) }
      expect("item") { _ = try object.item("a") }
      expect("revision") { _ = try object.revision() }
      expect("add") { try object.add("new", account: "new") }
      expect("compact") { try object.compact() }
      expect("verify") { _ = try object.verify() }
      expect("setPassphrase") {
        try object.setPassphrase(Secret([1]), cost: .cheap)
      }
    }
  }

  @Test func olderCopyIsRefusedUntilItIsAccepted() throws {
    let object = vault.open()
    try object.add("old", account: "a")
    let old = try vault.bytes
    try object.change("a", to: "new")
    try vault.replace(by: old)
    expectRolledBack(object)
    expectRolledBack(vault.open())
    // The contents can be inspected before they are accepted.
    #expect(try object.salvageableItems().map(\.secret.text) == ["old"])
    let other = vault.open()
    try other.acceptRollback()
    for accepted in [other, object, vault.open()] {
      #expect(try accepted.texts() == ["a": "old"])
      #expect(try accepted.verify().isSound)
    }
    try object.change("a", to: "newest")
    #expect(try vault.open().texts() == ["a": "newest"])
  }

  @Test func copyFromBeforeACompactionIsRefused() throws {
    let object = vault.open()
    try object.add("old", account: "a")
    let old = try vault.bytes
    try object.compact()
    try vault.replace(by: old)
    expectRolledBack(vault.open())
  }

  /// An older copy put back, and written to on a machine without remembered state.
  @Test(arguments: [1, 2, 3])
  func forkIsRefused(_ writes: Int) throws {
    let object = vault.open()
    try object.add("old", account: "a")
    let old = try vault.bytes
    try object.change("a", to: "new")
    try object.change("a", to: "newer")
    let state = try vault.rememberedState()
    try vault.replace(by: old)
    try vault.forget()
    let forger = vault.open()
    for number in 0..<writes { try forger.change("a", to: "forked \(number)") }
    try vault.restoreState(state)
    expectRolledBack(vault.open())
    try vault.open().acceptRollback()
    #expect(try vault.open().texts() == ["a": "forked \(writes - 1)"])
    #expect(try vault.open().verify().isSound)
  }

  @Test func copyThatWasPutBackInPlaceIsRefused() throws {
    let object = vault.open()
    try object.add("old", account: "a")
    let old = try vault.bytes
    try object.change("a", to: "new")
    // Written in place, as `cp` does.
    let file = try FileSystem().open(vault.path, 2)
    try file.truncate(to: 0)
    try file.write(old, at: 0)
    expectRolledBack(object)
  }

  @Test func acceptingDoesNothingToAVaultThatIsNotRolledBack() throws {
    let object = vault.open()
    try object.acceptRollback()
    #expect(try FileSystem().status(of: vault.path) == nil)
    try object.add("a", account: "a")
    try object.add("b", account: "b")
    try object.acceptRollback()
    #expect(try object.texts() == ["a": "a", "b": "b"])
    // Accepting must not hide a damaged last record.
    let last = try #require(TestVault.frames(of: try vault.bytes).last)
    try TestVault.change(vault.path, at: last.endIndex - 1, to: ~(try #require(last.last)))
    try vault.open().acceptRollback()
    #expect(throws: SecretStoreError.self) { try vault.open().item("b") }
    #expect(try vault.open().text("a") == "a")
  }

  /// A record appended and remembered between the reads of the log and of the state is no rollback,
  /// and fast writers do not block a reader.
  @Test func writersDoNotKeepAReaderFromOpeningTheVault() throws {
    let writer = vault.open()
    try writer.add("value", account: "0")
    let writes = Lock(0)
    let reader = vault.open(
      fileSystem: FileSystem { call, path in
        guard call == .open, path.hasSuffix(".state") else { return nil }
        let count = writes.withLock { writes in
          writes += 1
          return writes
        }
        if count > 50 { return nil }
        do {
          try writer.add("value", account: "\(count)")
        } catch {
          Issue.record(error)
        }
        return nil
      })
    #expect(try reader.items(matching: .all).count >= 2)
    #expect(writes.withLock { $0 } == 1)
    #expect(try reader.verify().isSound)
  }

  @Test func stateThatWasNeverWrittenCompletelySaysNothing() throws {
    try vault.open().add("a", account: "a")
    let (name, bytes) = try #require(try vault.rememberedState().first)
    try #require(bytes.count == 176)
    for count in [0, 1, 40, 79] {
      try vault.restoreState([name: Array(bytes[..<count])])
      #expect(try vault.open().texts() == ["a": "a"])
    }
    var flipped = bytes
    flipped[20] ^= 1
    try vault.restoreState([name: flipped])
    #expect(try vault.open().texts() == ["a": "a"])
  }
}
