import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

#if canImport(Glibc)
  import Glibc
#else
  import Musl
#endif

/// What may be the matter with the files of a vault, each with its own clear error.
struct VaultConditionTests {
  private let vault = TestVault()

  /// What an object can be asked.
  private enum Access: CaseIterable {
    case revision, items, secret, add, remove, compact, verify

    func perform(on object: SecretVault) throws(SecretStoreError) {
      switch self {
      case .revision: _ = try object.revision()
      case .items: _ = try object.items(matching: .all)
      case .secret: _ = try object.secret(of: .random())
      case .add: try object.add("new", account: "new")
      case .remove: try object.remove(.random(), expecting: 1)
      case .compact: try object.compact()
      case .verify: _ = try object.verify()
      }
    }
  }

  /// Nothing that an object can be asked may succeed.
  private func expectEach(
    _ object: SecretVault, sourceLocation: SourceLocation = #_sourceLocation,
    _ isExpected: (SecretStoreError) -> Bool
  ) {
    for access in Access.allCases {
      do throws(SecretStoreError) {
        try access.perform(on: object)
        Issue.record("\(access) succeeds.", sourceLocation: sourceLocation)
      } catch {
        #expect(isExpected(error), "\(access): \(error)", sourceLocation: sourceLocation)
        #expect(error.description.count > 20, sourceLocation: sourceLocation)
      }
    }
  }

  private func expectInsecure(
    _ path: String, saying words: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectEach(vault.open(), sourceLocation: sourceLocation) { error in
      guard case .insecure(path, let reason) = error else { return false }
      return reason.contains(words)
    }
  }

  @Test func vaultOpenToOthersIsRefused() throws {
    try vault.open().add("value", account: "a")
    for mode in [0o644, 0o640, 0o601, 0o620] as [mode_t] {
      unsafe #expect(chmod(vault.path, mode) == 0)
      expectInsecure(vault.path, saying: "open to other users")
    }
    unsafe #expect(chmod(vault.path, 0o600) == 0)
    #expect(try vault.open().text("a") == "value")
  }

  @Test(.enabled(if: geteuid() == 0, "Only root can give a file away."))
  func vaultOfAnotherOwnerIsRefused() throws {
    try vault.open().add("value", account: "a")
    unsafe #expect(chown(vault.path, 12345, 12345) == 0)
    expectInsecure(vault.path, saying: "another user (12345)")
  }

  @Test func symbolicLinkIsRefused() throws {
    try vault.open().add("value", account: "a")
    unsafe #expect(try rename(vault.path, vault.path("elsewhere")) == 0)
    unsafe #expect(try symlink(vault.path("elsewhere"), vault.path) == 0)
    expectInsecure(vault.path, saying: "symbolic link")
  }

  @Test func danglingLinkIsRefused() throws {
    unsafe #expect(try symlink(vault.path("nowhere"), vault.path) == 0)
    expectInsecure(vault.path, saying: "symbolic link")
    #expect(try vault.names().contains("nowhere") == false)
  }

  @Test func directoryInThePlaceOfTheVaultIsRefused() throws {
    try FileSystem().makeDirectories(vault.path)
    expectInsecure(vault.path, saying: "not a regular file")
  }

  @Test func pipeInThePlaceOfTheVaultIsRefusedAtOnce() throws {
    unsafe #expect(try mkfifo(vault.path("secrets.vault"), 0o600) == 0)
    expectInsecure(vault.path, saying: "not a regular file")
  }

  @Test func pipeInThePlaceOfTheStateIsRefusedAtOnce() throws {
    try vault.open().add("value", account: "a")
    let name = try #require(try vault.rememberedState().keys.first)
    let path = "\(vault.statePath)/\(name)"
    try FileSystem().unlink(path)
    unsafe #expect(mkfifo(path, 0o600) == 0)
    expectInsecure(path, saying: "not a regular file")
  }

  @Test func stateThatOthersCanWriteIsRefused() throws {
    try vault.open().add("value", account: "a")
    let name = try #require(try vault.rememberedState().keys.first)
    let path = "\(vault.statePath)/\(name)"
    unsafe #expect(chmod(path, 0o666) == 0)
    expectInsecure(path, saying: "open to other users")
  }

  @Test func emptyFileIsNoVault() throws {
    try vault.replace(by: [])
    expectCorrupted(saying: "is not a vault")
    #expect(try vault.bytes.isEmpty)
  }

  @Test func fileThatIsNoVaultIsLeftAlone() throws {
    let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    try vault.replace(by: bytes)
    expectCorrupted(saying: "is not a vault")
    #expect(try vault.bytes == bytes)
  }

  private func expectCorrupted(
    saying words: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectEach(vault.open(), sourceLocation: sourceLocation) { error in
      guard case .corrupted(let what) = error else { return false }
      return what.contains(words) && what.contains(vault.path)
    }
  }

  @Test func newerFormatIsRefused() throws {
    try vault.open().add("value", account: "a")
    var bytes = try vault.bytes
    var header = FileHeader.magic
    header.append(littleEndian: FileHeader.version + 1)
    header.append(littleEndian: UInt32(0))
    header += try OpenSSLCipher().digest(header[...]).prefix(16)
    bytes.replaceSubrange(..<FileHeader.count, with: header)
    try vault.replace(by: bytes)
    expectEach(vault.open()) { error in
      guard case .newerFormat(let what) = error else { return false }
      return what.contains("version \(FileHeader.version + 1)") && what.contains(vault.path)
    }
    #expect(try vault.bytes == bytes)
  }

  @Test func bothTablesOfKeysDamagedIsSaid() throws {
    try vault.open().add("value", account: "a")
    var bytes = try vault.bytes
    let tables = TestVault.frames(of: bytes).prefix(2)
    for table in tables { bytes[table.endIndex - 20] ^= 1 }
    try vault.replace(by: bytes)
    let object = vault.open()
    #expect {
      try object.items(matching: .all)
    } throws: { error in
      guard case .corrupted(let what) = error as? SecretStoreError else { return false }
      return what.contains("no intact table of keys")
        && what.contains("bytes \(tables[0].startIndex)")
    }
    #expect(throws: SecretStoreError.self) { try object.add("new", account: "new") }
    #expect(try !object.verify().isSound)
    #expect(throws: SecretStoreError.self) { try object.repair() }
    #expect(try vault.bytes == bytes)
  }

  @Test func vaultRemovedUnderAnOpenObjectIsMadeAnew() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try FileSystem().unlink(vault.path)
    #expect(try object.items(matching: .all) == [])
    try object.add("new", account: "b")
    #expect(try vault.open().texts() == ["b": "new"])
    #expect(try object.texts() == ["b": "new"])
  }

  @Test func vaultReplacedByAnotherIsReadWithItsOwnKeys() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    let first = try vault.bytes
    try FileSystem().unlink(vault.path)
    try vault.open().add("new", account: "b")
    #expect(try object.texts() == ["b": "new"])
    #expect(try object.verify().isSound)
    try object.add("more", account: "c")
    #expect(try vault.open().texts() == ["b": "new", "c": "more"])
    try vault.replace(by: first)
    #expect(try object.texts() == ["a": "value"])
  }

  @Test func vaultOfAnotherPassphraseIsLockedForWhoHadTheFirstOpen() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try FileSystem().unlink(vault.path)
    let other = vault.open()
    try other.add("new", account: "b")
    try other.setPassphrase(Secret("secret".utf8), cost: .cheap)
    #expect(try object.isLocked)
    #expect(throws: SecretStoreError.locked) { try object.items(matching: .all) }
    try object.unlock(with: .passphrase(Secret("secret".utf8)))
    #expect(try object.texts() == ["b": "new"])
  }

  @Test func missingDeviceKeyIsAnotherDevice() throws {
    try vault.open().add("value", account: "a")
    try FileManager.default.removeItem(atPath: vault.statePath)
    let object = vault.open()
    #expect(try object.isLocked)
    expectOtherDevice(object)
    // No new device key was made, which would take the place of the one to restore.
    #expect(try FileSystem().status(of: vault.statePath + "/device.key") == nil)
  }

  @Test func otherDeviceKeyIsAnotherDevice() throws {
    try vault.open().add("value", account: "a")
    let key = vault.statePath + "/device.key"
    try TestVault.change(key, at: 7, to: ~TestVault.bytes(of: key)[7])
    expectOtherDevice(vault.open())
  }

  @Test func otherMachineIsAnotherDevice() throws {
    try vault.open().add("value", account: "a")
    let machine = try vault.path("machine-id")
    try FileSystem().replaceFile(at: machine, with: Array("another machine\n".utf8))
    expectOtherDevice(vault.open(machine: machine))
    expectOtherDevice(vault.open(machine: try vault.path("no machine-id")))
  }

  @Test func machineWithoutIdentityHasItsKeyFile() throws {
    let object = vault.open(machine: try vault.path("no machine-id"))
    try object.add("value", account: "a")
    #expect(try vault.open(machine: vault.path("no machine-id")).text("a") == "value")
  }

  private func expectOtherDevice(
    _ object: SecretVault, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for access in 0..<3 {
      do throws(SecretStoreError) {
        if access == 0 { _ = try object.items(matching: .all) }
        if access == 1 { try object.add("new", account: "new") }
        if access == 2 { try object.unlock() }
        Issue.record("Access \(access) succeeds.", sourceLocation: sourceLocation)
      } catch {
        #expect(
          error == .otherDevice("The vault"), "access \(access)", sourceLocation: sourceLocation)
      }
    }
  }

  @Test(arguments: [0, 31, 33, 100])
  func deviceKeyOfAnotherLengthIsDamaged(_ count: Int) throws {
    try vault.open().add("value", account: "a")
    let key = vault.statePath + "/device.key"
    try FileSystem().replaceFile(at: key, with: [UInt8](repeating: 1, count: count))
    expectEach(vault.open()) { error in
      guard case .corrupted(let what) = error else { return false }
      return what.contains(key) && what.contains("not 32")
    }
  }

  @Test func deviceKeyOpenToOthersIsRefused() throws {
    try vault.open().add("value", account: "a")
    let key = vault.statePath + "/device.key"
    unsafe #expect(chmod(key, 0o644) == 0)
    expectInsecure(key, saying: "open to other users")
  }

  @Test func missingLibraryIsNamedWithItsPackages() {
    let object = vault.open(cipher: MissingCipher())
    #expect {
      try object.add("value", account: "a")
    } throws: { error in
      guard case .missingLibrary(let what) = error as? SecretStoreError else { return false }
      return what.contains("libcrypto.so.3") && what.contains("libssl3")
    }
    #expect(throws: Never.self) { try object.items(matching: .all) }
  }

  @Test func noHomeDirectoryIsUnavailable() {
    let object = SecretVault(cipher: OpenSSLCipher()) { () throws(SecretStoreError) in
      do {
        let directories = try ApplicationDirectories(applicationName: "app", environment: [:])
        return VaultParts(
          path: try directories.data, stateDirectory: try directories.state,
          cipher: OpenSSLCipher())
      } catch {
        throw .unavailable("\(error)")
      }
    }
    expectEach(object) { error in
      guard case .unavailable(let what) = error else { return false }
      return what.contains("XDG_DATA_HOME") && what.contains("HOME")
    }
  }

  @Test func applicationNameThatIsNoDirectoryIsUnavailable() {
    for name in ["", ".", "..", "a/b", "a\0b"] {
      expectEach(SecretVault(applicationName: name)) { error in
        guard case .unavailable(let what) = error else { return false }
        return what.contains("name of a directory")
      }
    }
  }

  @Test(arguments: [
    "line\nbreak", "a/b/../c", "zero\0byte", String(repeating: "n", count: 10_000), "", " ", "é",
    "\u{301}", "🗝️",
  ])
  func unusualNamesComeBack(_ name: String) throws {
    let identity = ItemIdentity.generic(service: name, account: name)
    let object = vault.open()
    let added = try object.add(
      Secret("value".utf8), identity: identity, attributes: ItemAttributes(label: name))
    try object.compact()
    let found = try vault.open().items(matching: .exactly(identity))
    #expect(found == [added])
    #expect(found.first?.identity.service?.utf8.elementsEqual(name.utf8) == true)
    #expect(found.first?.attributes.label?.utf8.elementsEqual(name.utf8) == true)
  }

  @Test(arguments: [0, 1, 59, 60, 61, 16 << 20])
  func secretsOfEverySizeComeBack(_ count: Int) throws {
    let bytes = [UInt8](repeating: 0xA5, count: count)
    let object = vault.open()
    let item = try object.add(
      Secret(bytes), identity: .generic(service: "s"), attributes: ItemAttributes())
    let reading = try #require(
      try vault.open().secret(of: item.id))
    #expect(reading.secret == Secret(bytes))
    try object.compact()
    #expect(try vault.open().secret(of: item.id)?.secret == Secret(bytes))
  }

  @Test func whatIsRefusedMakesNoVault() throws {
    let object = vault.open()
    #expect(throws: SecretStoreError.self) {
      try object.add(
        Secret([UInt8](repeating: 0, count: (16 << 20) + 1)), identity: .generic(),
        attributes: ItemAttributes())
    }
    #expect(throws: SecretStoreError.self) {
      try object.add(
        Secret([]), identity: .generic(),
        attributes: ItemAttributes(accessControl: AccessControl(flags: .userPresence)))
    }
    #expect(throws: SecretStoreError.conflict) {
      try object.update(.random(), expecting: 1, attributes: nil, secret: Secret([]))
    }
    try object.remove(.random(), expecting: 1)
    #expect(try FileSystem().status(of: vault.path) == nil)
  }
}

/// A cipher on a machine without libcrypto.
private struct MissingCipher: SecretCipher {
  private let error: SecretStoreError

  init() {
    do {
      _ = try Library(
        anyOf: ["libcrypto.so.3-missing"], packages: ["Debian": "libssl3"])
      fatalError("A library is there that cannot be.")
    } catch {
      self.error = .missingLibrary("\(error)")
    }
  }

  func digest(_ bytes: ArraySlice<UInt8>) throws(SecretStoreError) -> [UInt8] { throw error }

  func deriveKey(
    from key: Secret, salt: ArraySlice<UInt8>, purpose: String
  ) throws(SecretStoreError) -> Secret { throw error }

  func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
  ) throws(SecretStoreError) -> Secret { throw error }

  func seal(
    _ plaintext: Secret, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> [UInt8] { throw error }

  func open(
    _ sealed: ArraySlice<UInt8>, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> Secret { throw error }

  func forgetKeys() {}
}
