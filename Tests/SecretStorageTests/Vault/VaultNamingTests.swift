import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// The uniqueness of items' names.
struct VaultNamingTests {
  private let vault = TestVault()

  @Test func newIDsAreVersionFourAndUnique() throws {
    let ids = try (0..<1000).map { _ in try SecretItem.ID.random().uuid }
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { $0.uuid.6 >> 4 == 4 && $0.uuid.8 >> 6 == 2 })
  }

  @Test func searchFindsItemWithTheIDOfAnother() throws {
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

  @Test func failedRandomGeneratorFailsEveryWrite() async {
    // In a separate process, because the kernel then denies it random bytes.
    await #expect(processExitsWith: .success) {
      recordingErrors {
        let vault = TestVault()
        let object = try vault.protected()
        try object.add("first", account: "a")
        try object.add("moved", account: "b")
        try object.export(of: vault)
        try object.remove("b")
        let before = try vault.bytes
        let other = try vault.unlocked()
        let store = InMemorySecretStore()
        try refuseRandomBytes()
        func expectRefusal(_ name: Comment, _ body: () throws -> Void) {
          #expect(name) {
            try body()
          } throws: { error in
            if case SecretStoreError.system("getrandom", _, ENOSYS) = error { true } else { false }
          }
        }
        // The only slot cannot be removed.
        for work in VaultWork.allCases where work != .removeSlot {
          expectRefusal("\(work)") { try work.perform(on: object, of: vault) }
        }
        expectRefusal("a name") { _ = try SecretItem.ID.random() }
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
  // `prctl` is variadic, which Swift cannot call; its five arguments are words.
  typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
  let control = unsafe unsafeBitCast(dlsym(nil, "prctl")!, to: Control.self)
  let isRefused = unsafe program.withUnsafeBytes { instructions in
    let filter: [UInt] = [
      UInt(program.count), UInt(bitPattern: instructions.baseAddress!),
    ]
    return unsafe filter.withUnsafeBytes { filter in
      // PR_SET_NO_NEW_PRIVS, then PR_SET_SECCOMP with SECCOMP_MODE_FILTER.
      control(38, 1, 0, 0, 0) == 0
        && control(22, 2, UInt(bitPattern: filter.baseAddress!), 0, 0) == 0
    }
  }
  try #require(isRefused)
}
