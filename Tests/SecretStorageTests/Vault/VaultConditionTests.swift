import CipherSupport
import CLibrary
import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

struct VaultConditionTests {
  private let vault = TestVault()

  @Test func vaultReadableByOthersIsAnError() throws {
    try vault.open().add("value", account: "a")
    for mode in [0o644, 0o640, 0o601, 0o620] as [mode_t] {
      unsafe #expect(chmod(vault.path, mode) == 0)
      vault.expectInsecure(vault.path, saying: "accessible to other users")
    }
    unsafe #expect(chmod(vault.path, 0o600) == 0)
    #expect(try vault.open().text("a") == "value")
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can give a file away."))
  func vaultOfAnotherOwnerIsAnError() throws {
    try vault.open().add("value", account: "a")
    unsafe #expect(chown(vault.path, 12345, 12345) == 0)
    vault.expectInsecure(vault.path, saying: "another user (12345)")
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can open a read-only file for writing."))
  func readOnlyVaultIsNotWritten() throws {
    let object = vault.open()
    for value in ["value", "changed"] {
      try object.add(value, account: value)
    }
    unsafe #expect(chmod(vault.path, 0o400) == 0)
    let bytes = try vault.bytes
    let writes: [() throws -> Void] = [
      { try object.add("new", account: "new") }, { try object.compact() },
      { try object.setPassphrase(TestVault.passphrase, cost: .cheap) },
      { try object.rotateKeys() },
    ]
    for write in writes {
      let error = try failure(write)
      guard case .unavailable(let what) = error else { throw error }
      #expect(what.contains("\(vault.path) is read-only"))
    }
    #expect(try vault.bytes == bytes)
    #expect(try vault.open().texts() == ["value": "value", "changed": "changed"])
    #expect(try vault.temporaryNames() == [])
  }

  @Test func symbolicLinkIsAnError() throws {
    unsafe #expect(try symlink(vault.path("elsewhere"), vault.path) == 0)
    vault.expectInsecure(vault.path, saying: "symbolic link")
    #expect(try !vault.names().contains("elsewhere"))
    try FileSystem().unlink(vault.path)
    try vault.open().add("value", account: "a")
    unsafe #expect(try rename(vault.path, vault.path("elsewhere")) == 0)
    unsafe #expect(try symlink(vault.path("elsewhere"), vault.path) == 0)
    vault.expectInsecure(vault.path, saying: "symbolic link")
  }

  @Test func directoryOrPipeAsVaultIsAnError() throws {
    try FileSystem().makeDirectories(vault.path)
    vault.expectInsecure(vault.path, saying: "not a regular file")
    unsafe #expect(rmdir(vault.path) == 0 && mkfifo(vault.path, 0o600) == 0)
    // Opening the pipe does not block.
    vault.expectInsecure(vault.path, saying: "not a regular file")
  }

  @Test func insecureStateIsAnError() throws {
    try vault.open().add("value", account: "a")
    let path = "\(vault.statePath)/\(try #require(try vault.rememberedState().keys.first))"
    unsafe #expect(chmod(path, 0o666) == 0)
    vault.expectInsecure(path, saying: "accessible to other users")
    try FileSystem().unlink(path)
    unsafe #expect(mkfifo(path, 0o600) == 0)
    vault.expectInsecure(path, saying: "not a regular file")
  }

  @Test func anotherFileIsAnErrorAndUnchanged() throws {
    for bytes in [[], (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) }] {
      try vault.replace(by: bytes)
      vault.expectEach(vault.open()) { error in
        error.corrupted?.contains("\(vault.path) is not a vault") == true
      }
      #expect(try vault.bytes == bytes)
    }
  }

  /// Also by an object that has read the file that a compaction replaced.
  @Test(arguments: [0, 2, 4, .max] as [UInt32])
  func otherFormatIsAnError(_ version: UInt32) throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try vault.open().compact()
    var file = ForgedFile(try vault.bytes)
    file.header[number: "version"] = UInt64(version)
    let bytes = file.encoded
    try vault.replace(by: bytes)
    for object in [object, vault.open()] {
      vault.expectEach(object) {
        $0 == .newerFormat("\(vault.path), in format version \(version),")
      }
    }
    #expect(try vault.bytes == bytes)
  }

  @Test func twoDamagedKeyTablesAreAnError() throws {
    try vault.open().add("value", account: "a")
    var bytes = try vault.bytes
    let tables = TestVault.frames(of: bytes).prefix(2)
    for table in tables { bytes[table.endIndex - 20] ^= 1 }
    try vault.replace(by: bytes)
    let object = vault.open()
    let what = try failure { _ = try object.items(matching: .all) }.corrupted ?? ""
    #expect(what.contains("no intact key table") && what.contains("bytes \(tables[0].startIndex)"))
    #expect(throws: SecretStoreError.self) { try object.add("new", account: "new") }
    #expect(try !object.verify().isSound)
    #expect(throws: SecretStoreError.self) { try object.repair() }
    #expect(try vault.bytes == bytes)
  }

  @Test func newVaultWithAPassphraseLocksItsReaders() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try FileSystem().unlink(vault.path)
    let other = vault.open()
    try other.add("new", account: "b")
    try other.setPassphrase("secret", cost: .minimum)
    #expect(try object.isLocked)
    expectLocked { try object.items(matching: .all) }
    try object.unlock(with: .passphrase("secret"))
    #expect(try object.texts() == ["b": "new"])
  }

  @Test func missingLibraryHasItsPackagesInTheError() throws {
    let object = vault.open(cipher: MissingCipher())
    let error = try failure { try object.add("value", account: "a") }
    guard case .missingLibrary(let what) = error else { throw error }
    #expect(what.contains("libcrypto.so.3") && what.contains("libssl3"))
    #expect(throws: Never.self) { try object.items(matching: .all) }
  }

  @Test func missingHomeDirectoryIsAnError() {
    let object = SecretVault(cipher: TestCipher()) { timeout throws(SecretStoreError) in
      do {
        let directories = try ApplicationDirectories(applicationName: "app", environment: [:])
        return VaultLocation(
          path: try directories.data, stateDirectory: try directories.state, cipher: TestCipher(),
          lockTimeout: timeout)
      } catch {
        throw .unavailable("\(error)")
      }
    }
    expectUnavailable(object, saying: ["XDG_DATA_HOME", "HOME"])
  }

  @Test func invalidApplicationNameIsAnError() {
    for name in ["", ".", "..", "a/b", "a\0b"] {
      expectUnavailable(SecretVault(applicationName: name), saying: ["name of a directory"])
    }
  }

  @Test(arguments: ["https://example.org/a.vault", "file:///a/h%E9/a.vault"])
  func urlWithoutAPathInUTF8IsAnError(url: String) throws {
    let url = try #require(URL(string: url))
    for (file, state) in [(url, vault.state), (vault.file, url)] {
      vault.expectEach(SecretVault(fileURL: file, stateDirectory: state)) { error in
        if case .invalid(let what) = error { what.contains("a path in UTF-8") } else { false }
      }
    }
  }

  private func expectUnavailable(_ object: SecretVault, saying words: [String]) {
    vault.expectEach(object) { error in
      if case .unavailable(let what) = error {
        words.allSatisfy { what.contains($0) }
      } else {
        false
      }
    }
  }
}

private struct MissingCipher: ForwardingCipher {
  let cipher = TestCipher()

  func digest(_ bytes: ArraySlice<UInt8>) throws(SecretStoreError) -> [UInt8] {
    do {
      _ = try DynamicLibrary(anyOf: ["libcrypto.so.3-missing"], packages: ["Debian": "libssl3"])
      fatalError("A library is there that cannot be.")
    } catch {
      throw .missingLibrary("\(error)")
    }
  }
}
