import CipherSupport
import CLibrary
import StorageInternals
import Testing

@testable import SecretStorage

/// Files that are too large to read into memory.
struct VaultFileSizeTests {
  private let vault = TestVault()

  @Test(arguments: [1 << 30 + 1, 1 << 31, 1 << 40])
  func hugeFileIsRefusedBeforeItIsRead(_ size: Int) throws {
    let object = vault.open()
    try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    try object.add("value", account: "a")
    let bytes = try vault.bytes
    try FileSystem().open(vault.path, O_RDWR).truncate(to: size)
    let uses: [(SecretVault) throws -> Void] = [
      { _ = try $0.text("a") }, { _ = try $0.verify() }, { _ = try $0.repair() },
      { try $0.add("b", account: "b") },
      { try $0.unlock(with: .passphrase(TestVault.passphrase)) },
    ]
    for use in uses {
      for reader in [object, vault.open()] {
        #expect(try failure { try use(reader) }.corrupted != nil)
      }
    }
    let other = TestVault()
    expectError("invalid") {
      try other.open().importItems(from: vault.file, passphrase: TestVault.passphrase)
    }
    #expect(vault.open().diagnose().isHealthy == false)
    #expect(try FileSystem().status(of: vault.path)?.size == size)
    // Only the size is wrong.
    try FileSystem().open(vault.path, O_RDWR).truncate(to: bytes.count)
    try object.unlock(with: .passphrase(TestVault.passphrase))
    #expect(try object.text("a") == "value")
  }

  @Test func endOfTheLargestFileIsForSmallRecords() throws {
    var log = FileRecordLog(path: try vault.path("log"), cipher: TestCipher())
    log.sizeLimit = 1 << 22
    func append(_ count: Int, after position: LogPosition) throws -> LogPosition {
      let payload = [UInt8](repeating: 7, count: count)
      let digest = try TestCipher().digest(payload[...])
      return try log.withWriterLock { append throws(SecretStoreError) in
        try append([LogRecord(payload: payload[...], digest: digest[...])], position)
      }
    }
    #expect(try failure { _ = try append(1 << 22, after: .nowhere) }.invalid != nil)
    #expect(try FileSystem().status(of: log.path) == nil)
    var position = try append(1 << 20, after: .nowhere)
    position = try append(11 << 18 - 1000, after: position)
    let size = try FileSystem().status(of: log.path)?.size
    #expect(try failure { _ = try append(1 << 18, after: position) }.invalid != nil)
    #expect(try FileSystem().status(of: log.path)?.size == size)
    position = try append(100, after: position)
    #expect(try log.changes(since: nil).entries.count == 3)
  }
}
