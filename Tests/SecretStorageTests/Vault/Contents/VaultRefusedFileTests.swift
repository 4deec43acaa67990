import Concurrency
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Files that a vault refuses, although a key without a person opens them.
struct VaultRefusedFileTests {
  enum Refused: CaseIterable { case older, another }

  /// The state of an object before it meets the file.
  enum Reader: CaseIterable { case new, locked, unlocked }

  private let vault = TestVault()

  private func key(_ isDevice: Bool) -> UnlockKey {
    isDevice ? .device : .credential(named: "vault-key")
  }

  /// Makes a vault that its device or a credential opens, and returns its bytes.
  private func make(_ vault: TestVault, _ value: String, _ isDevice: Bool) throws -> [UInt8] {
    let object = vault.open(credentials: try self.vault.credentials())
    try object.add(value, account: "a")
    if !isDevice {
      try object.addSlot(key(isDevice), named: "service")
      try object.removeSlot(1)
    }
    return try vault.bytes
  }

  private typealias State = [String: [UInt8]]

  /// Makes a vault that its device or a credential opened before it got a passphrase, and returns
  /// its earlier and present bytes, and its state.
  private func protectedLater(_ isDevice: Bool) throws -> ([UInt8], [UInt8], State) {
    try vault.giveCredential("vault-key", 1)
    let older = try make(vault, "old", isDevice)
    let owner = try vault.openAsService()
    try owner.setPassphrase(TestVault.passphrase, cost: .cheap)
    try owner.change("a", to: "new")
    return (older, try vault.bytes, try vault.rememberedState())
  }

  /// Puts a file in the vault's place; state files of 112 bytes do not contain its beginning.
  private func put(_ file: [UInt8], _ state: State, size: Int = 112) throws {
    try vault.replace(by: file)
    for (name, bytes) in state { try vault.putState(name, Array(bytes.prefix(size))) }
  }

  /// Expects an object to refuse a file, and to know the keys of the genuine one afterwards.
  private func expectRefusal(
    _ kind: String, by reader: Reader, insteadOf genuine: [UInt8], putting put: () throws -> Void,
    alsoExpecting expect: (SecretVault) throws -> Void = { _ in }
  ) throws {
    let object = try vault.openAsService()
    if reader != .new { #expect(try object.isLocked) }
    if reader == .unlocked {
      try object.unlock(with: .tests)
      #expect(try object.text("a") == "new")
    }
    try put()
    for _ in 0..<2 {
      expectError(kind) { try object.text("a") }
      expectError(kind) { _ = try object.isLocked }
      expectError(kind) { try object.slots }
      expectError(kind) { _ = try object.salvageableItems() }
      expectError(kind) { try object.unlock() }
    }
    try expect(object)
    try vault.replace(by: genuine)
    #expect(try object.isLocked == (reader != .unlocked), "\(reader)")
    if reader != .unlocked {
      expectLocked { try object.text("a") }
      try object.unlock(with: .tests)
    }
    #expect(try object.text("a") == "new")
  }

  @Test(arguments: Refused.allCases, [true, false])
  func refusedFileChangesNoKey(_ refused: Refused, isDevice: Bool) throws {
    let (older, genuine, state) = try protectedLater(isDevice)
    let place = refused == .older ? nil : try vault.sibling()
    let file = try place.map { try make($0, "another", isDevice) } ?? older
    let kind = refused == .older ? "rolledBack" : "replaced"
    for reader in Reader.allCases {
      let size = (reader == .new) == isDevice ? 112 : 160
      try expectRefusal(kind, by: reader, insteadOf: genuine) {
        try put(file, state, size: size)
      } alsoExpecting: { object in
        let saved = try object.salvageableItems(unlockingWith: [key(isDevice)])
        #expect(saved.map(\.secret.text) == [refused == .older ? "old" : "another"])
        expectError(.wrongPassphrase) { try object.salvageableItems(unlockingWith: [.tests]) }
      }
    }
  }

  enum Damage: CaseIterable { case garbageBehind, newestBehind, continued, withoutAnEnd }

  /// The beginning of the file would differ from a remembered one.
  @Test(arguments: Damage.allCases, [true, false])
  func damagedOlderCopyChangesNoKey(_ damage: Damage, isDevice: Bool) throws {
    let (older, genuine, state) = try protectedLater(isDevice)
    let newest = try #require(TestVault.frames(of: genuine).last)
    let file: [UInt8] =
      switch damage {
      case .garbageBehind: older + [UInt8](repeating: 7, count: 100)
      case .newestBehind: older + newest
      // The chain of the records has no gap.
      case .continued: older + genuine.dropFirst(FileHeader.size)
      case .withoutAnEnd: Array(older.dropLast(10)) + [UInt8](repeating: 7, count: 100)
      }
    for reader in Reader.allCases {
      try expectRefusal("rolledBack", by: reader, insteadOf: genuine) { try put(file, state) }
    }
  }

  /// The file is exchanged again while it is read.
  @Test(arguments: [true, false]) func olderCopyThatIsGoneChangesNoKey(isDevice: Bool) throws {
    let (older, genuine, state) = try protectedLater(isDevice)
    try put(older, state)
    let object = try vault.openAsService(
      fileSystem: .before(.open, on: ".place") { [vault] in try vault.replace(by: genuine) })
    #expect(try object.isLocked)
    #expect(try vault.bytes == genuine)
    expectLocked { try object.text("a") }
    try object.unlock(with: .tests)
    #expect(try object.text("a") == "new")
  }

  @Test func readEndsAlthoughTheFileIsExchangedEachTime() throws {
    let (older, genuine) = try vault.writeTwice(by: vault.protected())
    let rest = Lock(0)
    let object = try vault.unlocked(
      fileSystem: .before(.open, on: vault.stateFile(".place")) { [vault] _ in
        let isExchanged = rest.withLock { rest in
          defer { rest = max(0, rest - 1) }
          return rest > 0
        }
        if isExchanged { try vault.replace(by: older) }
      })
    #expect(try object.text("a") == "new")
    rest.withLock { $0 = 200 }
    try vault.replace(by: older)
    expectError("unavailable", saying: vault.path) { try object.text("a") }
    rest.withLock { $0 = 0 }
    try vault.replace(by: genuine)
    #expect(try object.text("a") == "new")
  }

  /// The file is exchanged while it is read, and is no vault when it is read again.
  @Test func failedReadLosesNothingInMemory() throws {
    let (older, genuine) = try vault.writeTwice(by: vault.protected())
    try vault.compactElsewhere()
    let compacted = try vault.bytes
    let tables = compacted[..<TestVault.frames(of: compacted)[1].endIndex]
    try vault.replace(by: genuine)
    let isArmed = Lock(false)
    let directory = vault.path.parentDirectory
    let object = try vault.unlocked(
      fileSystem: FileSystem { [vault] call, path in
        guard isArmed.withLock({ $0 }) else { return nil }
        recordingErrors {
          if call == .open, path.hasSuffix(".place") { try vault.replace(by: older) }
          // Only before a whole file is read.
          if call == .opendir, path == directory {
            try vault.replace(by: [UInt8](repeating: 7, count: 100))
          }
        }
        return nil
      })
    #expect(try object.text("a") == "new")
    try vault.replace(by: older)
    isArmed.withLock { $0 = true }
    expectError("corrupted") { try object.text("a") }
    isArmed.withLock { $0 = false }
    try vault.replace(by: tables)
    #expect(try object.salvageableItems().map(\.secret.text) == ["new"])
    #expect(throws: SecretStoreError.self) { try object.text("a") }
    try vault.replace(by: genuine)
    #expect(try object.text("a") == "new")
  }

  @Test func salvageUsesTheGivenKeysAlone() throws {
    let object = try vault.protected().adding("portable", account: "portable", .always)
    try object.add("bound", account: "bound", .alwaysThisDeviceOnly)
    let older = try vault.bytes
    try object.compact()
    try vault.replace(by: older)
    func saved(_ keys: [UnlockKey]) throws -> [String] {
      try object.salvageableItems(unlockingWith: keys).map(\.secret.text)
    }
    #expect(try saved([.tests]) == ["portable"])
    for keys in [[.tests, .device], [.device, .tests]] as [[UnlockKey]] {
      #expect(try saved(keys) == ["portable", "bound"])
    }
    for keys in [[], [.device], [.passphrase("wrong")]] as [[UnlockKey]] {
      #expect(throws: SecretStoreError.self) { try saved(keys) }
    }
    #expect(throws: SecretStoreError.self) { try object.text("portable") }
  }
}
