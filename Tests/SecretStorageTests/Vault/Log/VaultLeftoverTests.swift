import CLibrary
import Concurrency
import StorageInternals
import Testing

@testable import SecretStorage

/// Temporary files of killed writers, which may open without the vault's current passphrase.
struct VaultLeftoverTests {
  private static let passphrase = Secret("secret".utf8)

  private static func leftovers(of vault: TestVault) throws -> [String] {
    try vault.names().filter { $0.hasSuffix(".tmp") }
  }

  /// Removes the passphrase in a process that dies before one of its calls, which it returns.
  private static func removePassphrase(
    of vault: TestVault, dyingAt index: Int
  ) -> FileSystem.Call? {
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
    try? object.unlock(with: .passphrase(passphrase))
    try? object.removePassphrase()
    return state.withLock { $0.last }
  }

  @Test func killedPassphraseRemovalLeavesNoOpenVault() throws {
    let vault = TestVault()
    try vault.open().add("a", account: "a")
    var index = 0
    var leftAt: [FileSystem.Call] = []
    while true {
      try vault.open().setPassphrase(Self.passphrase, cost: .cheap)
      let last = Self.removePassphrase(of: vault, dyingAt: index)
      if !(try Self.leftovers(of: vault).isEmpty), let last { leftAt.append(last) }
      // The next reader, locked or not, removes the file.
      let reader = vault.open()
      _ = try reader.isLocked
      #expect(try Self.leftovers(of: vault).isEmpty, "died at \(last?.rawValue ?? "")")
      guard last != nil else { break }
      if try reader.hasPassphrase { try reader.unlock(with: .passphrase(Self.passphrase)) }
      #expect(try reader.texts() == ["a": "a"])
      try reader.removePassphrase()
      index += 1
    }
    #expect(index > 8)
    // Between the link of the complete file and its rename.
    #expect(leftAt == [.rename])
  }

  private static func vaultWithLeftover() throws -> TestVault {
    let vault = TestVault()
    try vault.open().add("a", account: "a")
    try TestVault.append([1], to: vault.path(".secrets.vault.0123456789abcdef.tmp"))
    return vault
  }

  @Test func leftoverStaysDuringAWrite() throws {
    let vault = try Self.vaultWithLeftover()
    let lock = try FileLock(at: "\(vault.path).lock")
    #expect(try vault.open().texts() == ["a": "a"])
    #expect(try Self.leftovers(of: vault).count == 1)
    lock.release()
    #expect(try vault.open().texts() == ["a": "a"])
    #expect(try Self.leftovers(of: vault).isEmpty)
  }

  @Test(arguments: [FileSystem.Call.unlink, .opendir])
  func vaultIsReadDespiteAPermanentLeftover(_ failing: FileSystem.Call) throws {
    let vault = try Self.vaultWithLeftover()
    let object = vault.open(fileSystem: FileSystem { call, _ in call == failing ? EROFS : nil })
    #expect(try object.texts() == ["a": "a"])
    #expect(try Self.leftovers(of: vault).count == 1)
  }
}
