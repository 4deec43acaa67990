import CipherSupport
import CLibrary
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Directories that other users can write to.
@Suite(.expectsFailures) struct VaultDirectoryTests {
  private let vault = TestVault()

  enum Place: CaseIterable { case data, state }

  private func path(_ place: Place) -> String {
    place == .data ? vault.directory.path : vault.statePath
  }

  private func mode(of place: Place) throws -> mode_t? {
    try FileSystem().status(of: path(place))?.permissions
  }

  private func set(_ mode: mode_t, of place: Place) throws {
    unsafe try #require(chmod(path(place), mode) == 0)
  }

  @Test(arguments: Place.allCases, [0o770, 0o702, 0o2775] as [mode_t])
  func writeTightensADirectoryOfThisUser(_ place: Place, _ wide: mode_t) throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try set(wide, of: place)
    #expect(try vault.open().texts() == ["a": "value"])
    #expect(try mode(of: place) == wide)
    try object.change("a", to: "changed")
    #expect(try mode(of: place) == wide & ~0o022)
    #expect(object.diagnose().isHealthy)
  }

  @Test func firstWriteTightensTheDirectories() throws {
    try FileSystem().makeDirectories(vault.statePath)
    for place in Place.allCases { try set(0o777, of: place) }
    try vault.open().setPassphrase(Secret("passphrase".utf8), cost: .cheap)
    for place in Place.allCases { #expect(try mode(of: place) == 0o755) }
  }

  @Test(arguments: Place.allCases)
  func stickyDirectoryIsUnchanged(_ place: Place) throws {
    try vault.open().add("value", account: "a")
    try set(0o1777, of: place)
    try vault.open().add("new", account: "b")
    #expect(try mode(of: place) == 0o1777)
    #expect(vault.open().diagnose().isHealthy)
  }

  @Test func sharedDirectoryIsUnchangedIfAllowed() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    for place in Place.allCases { try set(0o777, of: place) }
    object.allowsSharedDirectories = true
    try object.change("a", to: "changed")
    try object.setPassphrase("passphrase", cost: .cheap)
    try object.changePassphrase(from: "passphrase", to: "other", cost: .cheap)
    for place in Place.allCases { #expect(try mode(of: place) == 0o777) }
    #expect(object.diagnose().isHealthy)
  }

  private func expectRefused(_ path: String, saying words: String, by object: SecretVault) throws {
    let before = try vault.bytes
    let item = try #require(try object.item("a"))
    let writes: [() throws -> Void] = [
      { try object.add("new", account: "b") }, { try object.change("a", to: "new") },
      { try object.remove(item.id, expecting: item.revision) }, { try object.compact() },
      { try object.setPassphrase(Secret("passphrase".utf8), cost: .cheap) },
      { try object.addSlot(.keyFile(try vault.keyFile(1)), named: "file") },
      { try object.rotateKeys() }, { try object.importItems(of: vault) },
    ]
    for write in writes {
      let error = try failure(write)
      guard case .insecure(path, let reason) = error else { throw error }
      #expect(reason.contains("(mode 0777)") && reason.contains("allowsSharedDirectories"))
      #expect(reason.contains(words))
    }
    #expect(try vault.bytes == before)
    #expect(try object.texts() == ["a": "value"])
    try object.importItems(of: vault, isDryRun: true)
    object.allowsSharedDirectories = true
    try object.add("new", account: "b")
    #expect(try vault.open().texts() == ["a": "value", "b": "new"])
  }

  private func fill() throws {
    let object = vault.open()
    try object.add("value", account: "a")
    try object.export(of: vault)
  }

  /// Whether this process is root, and the other user exists in its namespace.
  private static let canGiveDirectoriesAway: Bool = {
    do {
      let directory = try TemporaryDirectory()
      return unsafe chown(directory.path, 12345, 12345) == 0 && chown(directory.path, 0, 0) == 0
    } catch {
      return false
    }
  }()

  @Test(.enabled(if: canGiveDirectoriesAway, "Only root can give a directory away."))
  func directoryOfAnotherUserRefusesWrites() throws {
    try fill()
    for place in Place.allCases {
      unsafe try #require(chown(path(place), 12345, 12345) == 0)
      try set(0o777, of: place)
      let object = vault.open()
      try expectRefused(path(place), saying: "only its owner (12345)", by: object)
      try object.remove("b")
      unsafe try #require(chown(path(place), geteuid(), getegid()) == 0)
      try set(0o700, of: place)
    }
  }

  @Test(
    .enabled(if: canGiveDirectoriesAway, "Only root can give a directory away."),
    arguments: Place.allCases, [false, true])
  func newVaultInAHomeOfAnotherUserIsRefused(_ place: Place, hasDirectory: Bool) throws {
    try FileSystem().makeDirectories(vault.statePath)
    let path = path(place)
    unsafe try #require(chown(path, 12345, 12345) == 0)
    let state = hasDirectory || place == .data ? vault.statePath : "\(vault.statePath)/a/b"
    let object = vault.open(state: state)
    let error = try failure { try object.add("value", account: "a") }
    guard case .insecure(path, let reason) = error else { throw error }
    #expect(reason.contains("belongs to another user (12345)") && reason.contains("Run this as"))
    #expect(try vault.names() == ["state"])
    #expect(try FileSystem().entries(of: vault.statePath) == [])
    object.allowsSharedDirectories = true
    try object.add("value", account: "a")
    // Only a new vault or key is refused.
    try vault.open(state: state).change("a", to: "changed")
  }

  @Test func directoriesThatCannotBeListedAreWritten() throws {
    try FileSystem().makeDirectories(vault.statePath)
    let object = vault.open(fileSystem: .unlistable(Place.allCases.map(path)))
    try object.add("value", account: "a")
    try object.change("a", to: "changed")
    try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    try object.changePassphrase(from: TestVault.passphrase, to: "other", cost: .cheap)
    try object.compact()
    let diagnosis = object.diagnose()
    #expect(diagnosis.isHealthy)
    #expect(diagnosis.findings.filter { $0.text.contains("may not list") }.count == 3)
    let reader = vault.open()
    try reader.unlock(with: .passphrase("other"))
    #expect(try reader.texts() == ["a": "changed"])
    #expect(try vault.temporaryNames() == [])
  }

  @Test func vaultMayHaveTheLongestName() throws {
    let path = try vault.path(String(repeating: "v", count: 255))
    let state = vault.statePath
    let object = SecretVault(cipher: TestCipher()) { timeout in
      VaultLocation(
        path: path, stateDirectory: state, cipher: TestCipher(), lockTimeout: timeout)
    }
    for account in ["a", "b"] { try object.add("value", account: account) }
    try object.compact()
    try object.add("value", account: "c")
    let bytes = try TestVault.bytes(of: path)
    try TestVault.change(path, at: bytes.count - 1, to: ~bytes[bytes.count - 1])
    #expect(try !object.repair().isEmpty)
    #expect(try object.damagedCopies.count == 1)
    #expect(try object.removeDamagedCopies().count == 1)
    #expect(try object.texts() == ["a": "value", "b": "value"])
    // The vault, its lock and its reserve.
    #expect(try vault.names().count == 4)
  }

  @Test(arguments: [EPERM, ENOSYS, EOPNOTSUPP])
  func modesNeedNotBeChanged(refusal: Int32) throws {
    try FileSystem().makeDirectories(vault.statePath)
    let object = vault.open(fileSystem: .failing(.fchmod, with: refusal))
    try object.add("value", account: "a")
    try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    try object.compact()
    try object.export(
      to: vault.directory.appending(path: "export"), passphrase: TestVault.passphrase, cost: .cheap)
  }

  @Test(arguments: [false, true])
  func fileThatOthersCouldReadIsNoVault(hasKey: Bool) throws {
    if hasKey {
      try vault.open().add("value", account: "a")
      try FileSystem().unlink(vault.path)
      try vault.forget()
    }
    let object = vault.open(fileSystem: .giving(0o644, refusingWith: EPERM))
    let error = try failure { try object.add("value", account: "a") }
    guard case .system("fchmod", _, EPERM) = error else { throw error }
    #expect(error.description.contains("would give other users access"))
    #expect(try FileSystem().status(of: vault.path) == nil)
    let hasDeviceKey = try FileSystem().status(of: "\(vault.statePath)/device.key") != nil
    #expect(hasDeviceKey == hasKey)
    #expect(try vault.temporaryNames() == [])
  }

  @Test(arguments: Place.allCases)
  func directoryThatCannotBeTightenedRefusesWrites(_ place: Place) throws {
    try fill()
    try set(0o777, of: place)
    let directory = path(place)
    let object = vault.open(fileSystem: .failing(.fchmod, on: directory))
    try expectRefused(directory, saying: "fchmod of \(directory)", by: object)
  }
}
