import CLibrary
import CVariadic
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// The uniqueness of items' names.
struct VaultNamingTests {
  private let vault = TestVault()

  @Test func itemsThatAreAddedWhileNothingCanBeOpenedAreAllThere() throws {
    let journal = try vault.path("journal")
    let count = Campaign.size(sample: 200, full: 2000)
    try ChildProcess("starve", on: vault, ["\(count)"], journal: journal).wait()
    let writes = try VaultJournal(journal)
    #expect(writes.acknowledgementCount == count + 1)
    let object = vault.open()
    try writes.check(object)
    #expect(try object.items(matching: .all).count == count + 1)
    #expect(try object.verify().isSound)
  }

  /// Returns a generator that gives a taken name a number of times, and then new ones.
  private func names(_ taken: SecretItem.ID, times: Int)
    -> @Sendable () throws(SecretStoreError) ->
    SecretItem.ID
  {
    let left = Lock(times)
    return { () throws(SecretStoreError) in
      let isTaken = left.withLock { left in
        left -= 1
        return left >= 0
      }
      return isTaken ? taken : try .random()
    }
  }

  private func add(
    _ account: String, to object: SecretVault, _ taken: SecretItem.ID, times: Int
  ) throws(SecretStoreError) {
    _ = try object.write(
      .add(
        Secret(account.utf8), identity: .generic(service: "campaign", account: account),
        attributes: ItemAttributes(), naming: names(taken, times: times)))
  }

  @Test func nameThatIsTakenIsNotGivenAgain() throws {
    let object = vault.open()
    let first = try object.add("first", account: "first")
    try add("second", to: object, first.id, times: 3)
    #expect(try object.texts() == ["first": "first", "second": "second"])
    #expect(throws: SecretStoreError.self) {
      try add("third", to: object, first.id, times: .max)
    }
    #expect(try vault.open().texts() == ["first": "first", "second": "second"])
    #expect(try vault.open().verify().isSound)
  }

  @Test func newNamesAreVersionFourAndDiffer() throws {
    let names = try (0..<1000).map { _ in try SecretItem.ID.random() }
    #expect(Set(names.map(\.uuid)).count == names.count)
    for name in names {
      #expect(name.uuid.uuid.6 >> 4 == 4 && name.uuid.uuid.8 >> 6 == 2)
    }
  }

  /// Makes two identities with one name, as a repeating random generator did.
  private func overwrite() throws -> SecretVault {
    let object = vault.open()
    let first = try object.add("first", account: "a")
    try object.change("a", to: "newest")
    for account in ["b", "c"] {
      try vault.plant(
        .generic(service: "campaign", account: account), Secret(account.utf8), named: first.id,
        in: object)
    }
    try object.add("other", account: "d")
    return object
  }

  @Test func overwrittenItemsAreReportedAndComeBackByRepair() throws {
    let writer = try overwrite()
    for object in [writer, vault.open()] {
      #expect(try object.texts() == ["c": "c", "d": "other"])
      let found = try object.verify()
      #expect(found.damage.count == 2 && found.itemCount == 2, "\(found)")
      #expect(found.damage.allSatisfy { $0.contains("overwritten") })
      #expect(try object.salvageableItems().count == 4)
    }
    #expect(try vault.open().repair().count == 2)
    for object in [writer, vault.open()] {
      #expect(try object.texts() == ["a": "newest", "b": "b", "c": "c", "d": "other"])
      #expect(try object.verify().isSound)
      #expect(Set(try object.items(matching: .all).map(\.id)).count == 4)
    }
    #expect(try vault.open().repair().isEmpty)
    #expect(try vault.names().contains { $0.contains(".damaged-") })
  }

  /// An operation that rewrites the vault without a repair.
  enum Rewrite: CaseIterable {
    case compaction, rotation, passphrase

    func perform(on object: SecretVault) throws {
      switch self {
      case .compaction: try object.compact()
      case .rotation: try object.rotateKeys()
      case .passphrase:
        try object.setPassphrase(Secret("secret".utf8), cost: .cheap)
      }
    }
  }

  @Test(arguments: Rewrite.allCases)
  func overwrittenItemsAreNotLostWhenTheVaultIsWrittenAnew(_ rewrite: Rewrite) throws {
    let object = try overwrite()
    try rewrite.perform(on: object)
    #expect(try object.texts() == ["a": "newest", "b": "b", "c": "c", "d": "other"])
    #expect(try object.verify().isSound)
  }

  @Test func itemThatWasAddedAgainIsNotReplacedByTheOverwrittenOne() throws {
    let object = try overwrite()
    try object.add("again", account: "a")
    try object.add("removed", account: "b")
    try object.remove("b")
    #expect(try object.verify().isSound)
    try object.compact()
    #expect(try object.texts() == ["a": "again", "c": "c", "d": "other"])
  }

  @Test func searchFindsAnItemThatTookTheNameOfAnother() throws {
    let reader = vault.open()
    let writer = vault.open()
    let first = try writer.add("first", account: "a")
    // The second search of a kind uses an index, which must not lead to the other identity.
    for _ in 0..<3 { #expect(try reader.text("a") == "first") }
    try vault.plant(
      .generic(service: "campaign", account: "b"), Secret("b".utf8), named: first.id, in: writer)
    #expect(try reader.text("b") == "b")
    #expect(try reader.text("a") == nil)
    #expect(throws: SecretStoreError.duplicate) { try reader.add("again", account: "b") }
  }

  @Test func failingGeneratorMakesEachWriteThrow() async {
    // In a separate process, because the kernel then denies it random bytes.
    await #expect(processExitsWith: .success) {
      let vault = TestVault()
      let object = vault.open()
      try object.add("first", account: "a")
      try object.setPassphrase(Secret("old".utf8), cost: .cheap)
      let before = try vault.bytes
      let other = vault.open()
      try other.unlock(with: .passphrase(Secret("old".utf8)))
      let keys = try vault.keyFile(1)
      let store = InMemorySecretStore()
      try refuseRandomBytes()
      func expectRefusal(_ name: String, _ body: () throws -> Void) {
        do {
          try body()
          Issue.record("\(name) succeeds.")
        } catch SecretStoreError.system("getrandom", _, ENOSYS) {
        } catch {
          Issue.record("\(name): \(error)")
        }
      }
      expectRefusal("add") { try object.add("new", account: "new") }
      expectRefusal("update") { try object.change("a", to: "new") }
      expectRefusal("remove") { try object.remove("a") }
      expectRefusal("compact") { try object.compact() }
      expectRefusal("rotateKeys") {
        try object.rotateKeys(keeping: [.passphrase(Secret("old".utf8))])
      }
      expectRefusal("setPassphrase") {
        try object.setPassphrase(Secret("new".utf8), cost: .cheap)
      }
      expectRefusal("addSlot") { try object.addSlot(.keyFile(keys), named: "file") }
      expectRefusal("addRecoveryCode") { _ = try object.addRecoveryCode(named: "code") }
      expectRefusal("export") { try object.export(of: vault) }
      expectRefusal("a new vault") { try TestVault().open().add("new", account: "new") }
      expectRefusal("in memory") {
        _ = try store.add(
          Secret([1]), identity: .generic(service: "new"), attributes: ItemAttributes())
      }
      #expect(try vault.bytes == before)
      #expect(try object.texts() == ["a": "first"])
      #expect(try other.texts() == ["a": "first"])
    }
  }
}

/// Makes getrandom(2) fail with ENOSYS on this thread, by a seccomp(2) filter.
private func refuseRandomBytes() throws {
  #if arch(x86_64)
    let number: UInt32 = 318
  #else
    let number: UInt32 = 278
  #endif
  // Load the call's number; if it is getrandom's, return ENOSYS, else allow the call.
  let program: [UInt64] = [
    (0x20, 0, 0), (0x15, 1, number), (0x06, 0, 0x0005_0000 | UInt32(ENOSYS)),
    (0x06, 0, 0x7FFF_0000),
  ].map { code, no, value in
    UInt64(code as UInt16) | UInt64(no as UInt8) << 24 | UInt64(value as UInt32) << 32
  }
  let isRefused = unsafe program.withUnsafeBytes { instructions in
    let filter: [UInt] = [
      UInt(program.count), UInt(bitPattern: instructions.baseAddress!),
    ]
    return unsafe filter.withUnsafeBytes { filter in
      // PR_SET_NO_NEW_PRIVS, then PR_SET_SECCOMP with SECCOMP_MODE_FILTER.
      variadic_prctl(38, 1, 0, 0, 0) == 0
        && variadic_prctl(22, 2, UInt(bitPattern: filter.baseAddress!), 0, 0) == 0
    }
  }
  try #require(isRefused)
}
