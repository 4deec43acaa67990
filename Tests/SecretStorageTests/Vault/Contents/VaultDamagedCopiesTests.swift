import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Copies of damaged files that repairs have replaced.
struct VaultDamagedCopiesTests {
  private static let first = Secret("passphrase 1".utf8)
  private static let second = Secret("passphrase 2".utf8)

  /// Returns an open vault with a passphrase and a device slot after a repair.
  private static func repaired(_ vault: TestVault) throws -> SecretVault {
    let object = vault.open()
    for account in ["a", "b"] { try object.add("value", account: account) }
    try object.addSlot(.passphrase(first), named: "first", cost: .cheap)
    try damage(vault)
    #expect(try !object.repair().isEmpty)
    return object
  }

  private static func damage(_ vault: TestVault) throws {
    let place = try #require(TestVault.frames(of: try vault.bytes).last).endIndex - 1
    try TestVault.change(vault.path, at: place, to: ~(try vault.bytes[place]))
  }

  /// A change after which the damaged copy still accepts a key that the vault refuses.
  enum Change: String, CaseIterable, Codable {
    case removeSlot, setPassphrase, removePassphrase, changePassphrase, rotate

    func perform(on object: SecretVault) throws {
      switch self {
      case .removeSlot: try object.removeSlot(2)
      case .setPassphrase:
        try object.setPassphrase(VaultDamagedCopiesTests.second, cost: .cheap)
      case .removePassphrase: try object.removePassphrase()
      case .changePassphrase:
        try object.changePassphrase(
          from: VaultDamagedCopiesTests.first, to: VaultDamagedCopiesTests.second, cost: .cheap)
      case .rotate: try object.rotateKeys(removingOtherSlots: true)
      }
    }
  }

  @Test(arguments: Change.allCases)
  func changeOfWhatOpensTheVaultTellsOfThemAndKeepsThem(_ change: Change) async {
    await #expect(processExitsWith: .success) { [change] in
      let heard = Lock([SecretStorageFailure]())
      ExpectedFailures.begin()
      let vault = TestVault()
      let object = try Self.repaired(vault)
      SecretStores.onFailure = { failure in
        // A handler may use the vault.
        #expect(throws: Never.self) { _ = try object.slots }
        heard.withLock { $0.append(failure) }
      }
      let copies = try object.damagedCopies
      try #require(copies.count == 1)
      let bytes = try TestVault.bytes(of: copies[0].path)
      try change.perform(on: object)
      let told = heard.withLock { $0 }
      #expect(told.count == 1 && told.first?.operation == .maintenance)
      #expect(told.first?.description.contains(copies[0].path) == true)
      #expect(told.first?.description.contains("removeDamagedCopies()") == true)
      // The copy stays, because it may be the only one with its contents.
      #expect(try TestVault.bytes(of: copies[0].path) == bytes)
      let other = TestVault()
      try other.replace(by: bytes)
      try other.open().unlock(with: .passphrase(Self.first))

      #expect(try object.removeDamagedCopies() == copies)
      #expect(try object.damagedCopies.isEmpty)
      #expect(try object.removeDamagedCopies().isEmpty)
      try object.rotateKeys(
        keeping: change == .setPassphrase || change == .changePassphrase
          ? [.passphrase(Self.second)] : [], removingOtherSlots: true)
      #expect(heard.withLock { $0.count } == 1)
    }
  }

  @Test func noOtherFileIsTakenForOne() throws {
    let vault = TestVault()
    let object = try Self.repaired(vault)
    for name in ["other.vault.damaged-1", "secrets.vault.damaged-", "secrets.vault.damaged-1a"] {
      try TestVault.append([1], to: vault.path(name))
    }
    try Self.damage(vault)
    _ = try object.repair()
    let copies = try object.damagedCopies
    #expect(copies.count == 2)
    let note = object.diagnose().findings.first { $0.subject == "Damaged copies" }
    #expect(copies.allSatisfy { note?.text.contains($0.path) == true })
    #expect(object.diagnose().isHealthy)
    let before = try vault.names()
    #expect(try object.removeDamagedCopies() == copies)
    #expect(try vault.names() == before.filter { !copies.map(\.lastPathComponent).contains($0) })
    #expect(try vault.open().verify().isSound)
    #expect(object.diagnose().findings.allSatisfy { $0.subject != "Damaged copies" })
  }

  @Test func vaultThatDoesNotExistHasNone() throws {
    let vault = TestVault()
    #expect(try vault.open().damagedCopies.isEmpty)
    #expect(try vault.open().removeDamagedCopies().isEmpty)
    #expect(try FileSystem().status(of: vault.directory.path) == nil)
  }

  @Test func removalWaitsForAWriterNoLongerThanItMay() throws {
    let vault = TestVault()
    let object = try Self.repaired(vault)
    object.lockTimeout = .zero
    let lock = try FileLock(at: "\(vault.path).lock")
    let error = try failure { try object.removeDamagedCopies() }
    guard case .busy = error else {
      Issue.record("\(error)")
      return
    }
    lock.release()
    #expect(try object.damagedCopies.count == 1)
  }
}
