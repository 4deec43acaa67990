import CLibrary
import Concurrency
import StorageInternals
import Testing

@testable import SecretStorage

/// Temporary files of killed writers, which may open without the vault's current passphrase.
struct VaultLeftoverTests {
  private let vault = TestVault()

  private var leftovers: [String] {
    get throws { try vault.names().filter { $0.hasSuffix(".tmp") } }
  }

  /// Removes the passphrase in a process that dies before one of its calls, which it returns.
  private func removePassphrase(dyingAt index: Int) -> FileSystem.Call? {
    let state = Lock((count: 0, last: FileSystem.Call?.none))
    let object = vault.open(
      fileSystem: FileSystem { call, _ in
        state.withLock { state in
          // Counts only calls that change files; after death, every call fails.
          if state.last != nil { return EIO }
          if [.stat, .read, .flock, .readlink, .opendir, .readdir].contains(call) { return nil }
          state.count += 1
          if state.count <= index { return nil }
          state.last = call
          return EIO
        }
      })
    // A dead process handles no error.
    try? object.unlock(with: .tests)
    try? object.removePassphrase()
    return state.withLock { $0.last }
  }

  @Test func killedPassphraseRemovalLeavesNoOpenVault() throws {
    try vault.open().add("a", account: "a")
    var index = 0
    var leftAt: [FileSystem.Call] = []
    while true {
      try vault.open().setPassphrase(TestVault.passphrase, cost: .cheap)
      let last = removePassphrase(dyingAt: index)
      if !(try leftovers.isEmpty), let last { leftAt.append(last) }
      // The next reader, locked or not, removes the file.
      let reader = vault.open()
      _ = try reader.isLocked
      #expect(try leftovers.isEmpty, "died at \(last?.rawValue ?? "")")
      guard last != nil else { break }
      if try reader.hasPassphrase { try reader.unlock(with: .tests) }
      #expect(try reader.texts() == ["a": "a"])
      try reader.removePassphrase()
      index += 1
    }
    #expect(index > 8)
    // Between the link of the complete file and its rename.
    #expect(leftAt == [.rename])
  }

  private func addLeftover() throws {
    try vault.open().add("a", account: "a")
    try TestVault.append([1], to: vault.path(".secrets.vault.0123456789abcdef.tmp"))
  }

  @Test func leftoverStaysDuringAWrite() throws {
    try addLeftover()
    let lock = try FileLock(at: "\(vault.path).lock")
    #expect(try vault.open().texts() == ["a": "a"])
    #expect(try leftovers.count == 1)
    lock.release()
    #expect(try vault.open().texts() == ["a": "a"])
    #expect(try leftovers.isEmpty)
  }

  @Test(arguments: [FileSystem.Call.unlink, .opendir])
  func vaultIsReadDespiteAPermanentLeftover(_ failing: FileSystem.Call) throws {
    try addLeftover()
    #expect(try vault.open(fileSystem: .failing(failing)).texts() == ["a": "a"])
    #expect(try leftovers.count == 1)
  }
}
