import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// Temporary files of writers that were killed, which may open without the passphrase that the
/// vault has.
struct VaultLeftoverTests {
  private static let passphrase = Secret("secret".utf8)

  private static func litter(of vault: TestVault) throws -> [String] {
    try vault.names().filter { $0.hasSuffix(".tmp") }
  }

  /// Removes the passphrase in a process that dies before one of its calls; returns which.
  private static func removePassphrase(
    of vault: TestVault, dyingAt index: Int
  ) throws -> FileSystem.Call? {
    let state = Lock((count: 0, last: FileSystem.Call?.none))
    let object = vault.open(
      fileSystem: FileSystem { call, _ in
        state.withLock { state in
          // The calls that change something; the dead make none.
          if state.last != nil { return EIO }
          if [.stat, .read, .flock, .readlink, .opendir, .readdir].contains(call) { return nil }
          state.count += 1
          if state.count <= index { return nil }
          state.last = call
          return EIO
        }
      })
    do {
      try object.unlock(with: .passphrase(passphrase))
      try object.removePassphrase()
    } catch {
      // As a dead process does nothing about it.
    }
    return state.withLock { $0.last }
  }

  @Test func killedRemovalOfAPassphraseLeavesNothingThatOpensWithoutIt() async {
    // In a process of its own, because the handler of failures is the whole process's.
    await #expect(processExitsWith: .success) {
      SecretStorage.onFailure = { _ in }
      let vault = TestVault()
      try vault.open().add("a", account: "a")
      var index = 0
      var leftAt: [FileSystem.Call] = []
      while true {
        try vault.open().setPassphrase(Self.passphrase, cost: .cheap)
        let last = try Self.removePassphrase(of: vault, dyingAt: index)
        if !(try Self.litter(of: vault).isEmpty), let last { leftAt.append(last) }
        // The next one that reads the vault, unlocked or not, sees to it.
        let reader = vault.open()
        _ = try reader.isLocked
        #expect(try Self.litter(of: vault).isEmpty, "died at \(last?.rawValue ?? "")")
        guard last != nil else { break }
        if try reader.hasPassphrase { try reader.unlock(with: .passphrase(Self.passphrase)) }
        #expect(try reader.texts() == ["a": "a"])
        try reader.removePassphrase()
        index += 1
      }
      #expect(index > 8)
      // Between the two calls that name the complete file and put it in place.
      #expect(leftAt == [.rename])
    }
  }

  @Test func leftoverStaysAsLongAsAWriterIsAtWork() throws {
    let vault = TestVault()
    try vault.open().add("a", account: "a")
    let name = try vault.path(".secrets.vault.0123456789abcdef.tmp")
    try TestVault.append([1], to: name)
    do {
      let lock = try FileLock(at: "\(vault.path).lock")
      #expect(try vault.open().texts() == ["a": "a"])
      #expect(try Self.litter(of: vault).count == 1)
      lock.release()
    }
    #expect(try vault.open().texts() == ["a": "a"])
    #expect(try Self.litter(of: vault).isEmpty)
  }

  @Test func leftoverThatCannotBeRemovedKeepsNoVaultFromBeingRead() throws {
    let vault = TestVault()
    try vault.open().add("a", account: "a")
    let name = try vault.path(".secrets.vault.0123456789abcdef.tmp")
    try TestVault.append([1], to: name)
    for failing in [FileSystem.Call.unlink, .opendir] {
      let object = vault.open(fileSystem: FileSystem { call, _ in call == failing ? EROFS : nil })
      #expect(try object.texts() == ["a": "a"])
      #expect(try Self.litter(of: vault).count == 1)
    }
  }
}
