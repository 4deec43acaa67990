import CipherSupport
import CLibrary
import Concurrency
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Unsound exports, and items that a vault refuses.
struct VaultImportRefusalTests {
  private let vault = TestVault()
  private let target = TestVault()

  private func exported() throws -> [UInt8] {
    let object = vault.open()
    for number in 0..<3 { try object.add("value \(number)", account: "\(number)") }
    try object.export(of: vault)
    return try TestVault.bytes(of: vault.export.path)
  }

  private func put(_ bytes: some Collection<UInt8>) throws {
    try FileSystem().replaceFile(at: target.path("moved.vault"), with: bytes)
  }

  /// Expects an import of a file's content, if given, to fail without effects.
  private func expectRefusal(
    _ kind: String = "corrupted", of bytes: [UInt8]? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    if let bytes { try put(bytes) }
    for isDryRun in [true, false] {
      expectError(kind, sourceLocation: sourceLocation) {
        try target.open().importItems(of: target, isDryRun: isDryRun)
      }
      #expect(try FileSystem().status(of: target.path) == nil, sourceLocation: sourceLocation)
    }
  }

  @Test func wrongPassphraseIsAnError() throws {
    try put(exported())
    for wrong in ["", "the valley wind", "The Valley Wind "] {
      expectError("wrongPassphrase") {
        try target.open().importItems(from: target.export, passphrase: Secret(wrong.utf8))
      }
    }
    #expect(try target.names() == ["moved.vault"])
  }

  @Test func fileThatIsNoVaultIsAnError() throws {
    let bytes = try exported()
    _ = try target.path("")
    try expectRefusal("system \(ENOENT)")
    try expectRefusal(of: [])
    try expectRefusal(of: Array("-----BEGIN PGP MESSAGE-----\n".utf8))
    try expectRefusal(of: [UInt8](repeating: 0, count: 100_000))
    try expectRefusal(of: Array(bytes.dropFirst(FileHeader.size)))
    var header = Array(bytes.prefix(16))
    header[8] += 1
    header += try TestCipher().digest(header[...])[..<16]
    try expectRefusal("newerFormat", of: header + bytes.dropFirst(32))
  }

  @Test func pathThatIsNoRegularFileIsAnError() throws {
    let path = try target.path("moved.vault")
    try FileSystem().makeDirectories(path)
    try expectRefusal("insecure")
    try #require(unsafe rmdir(path) == 0)
    try #require(unsafe mkfifo(path, 0o600) == 0)
    try expectRefusal("insecure")
    try FileSystem().unlink(path)
    try #require(unsafe symlink("/dev/zero", path) == 0)
    try expectRefusal("insecure")
    try FileSystem().unlink(path)
    try FileSystem().open(path, O_WRONLY | O_CREAT, mode: 0o600).truncate(to: 1 << 42)
    try expectRefusal()
  }

  @Test func fileOfAnyModeBehindALinkIsImported() throws {
    let bytes = try exported()
    let path = try target.path("on a stick")
    try FileSystem().replaceFile(at: path, with: bytes, mode: 0o777)
    try #require(unsafe symlink(path, target.export.path) == 0)
    #expect(try target.open().importItems(of: target).identities(.added).count == 3)
  }

  @Test func truncatedExportIsRefused() throws {
    let bytes = try exported()
    let ends = [0, FileHeader.size] + TestVault.frames(of: bytes).dropLast().map(\.endIndex)
    let step = Campaign.size(sample: 211, full: 1)
    for count in Set(stride(from: 0, to: bytes.count, by: step)).union(ends) {
      try expectRefusal(of: Array(bytes.prefix(count)))
    }
    try put(bytes)
    #expect(try target.open().importItems(of: target).identities(.added).count == 3)
  }

  @Test func damagedExportIsRefused() throws {
    let bytes = try exported()
    let step = Campaign.size(sample: 151, full: 1)
    var generator = Campaign.generator()
    let first = Int.random(in: 0..<step, using: &generator)
    for place in stride(from: first, to: bytes.count, by: step) {
      for change in [UInt8(0xFF), 0x01] {
        var damaged = bytes
        damaged[place] ^= change
        try expectRefusal(of: damaged)
      }
    }
  }

  /// A vault that is no export may end with any record, which must be intact or cut short.
  @Test func vaultWithADamagedEndIsRefused() throws {
    try vault.protected().add("last", account: "last")
    let bytes = try vault.bytes
    for place in [bytes.count - 1, try #require(TestVault.frames(of: bytes).last).startIndex] {
      var damaged = bytes
      damaged[place] ^= 1
      try expectRefusal(of: damaged)
    }
  }

  /// Missing, repeated, reordered and foreign records.
  @Test func reorderedRecordsAreRefused() throws {
    let frames = TestVault.frames(of: try exported())
    try vault.open().export(of: vault, overwriting: true)
    let others = TestVault.frames(of: try TestVault.bytes(of: vault.export.path))
    #expect(frames.count == 3)
    for records in [
      [frames[0], frames[2]], [frames[1], frames[2]], [frames[2]],
      [frames[1], frames[0], frames[2]],
      frames + [frames[2]], [frames[0], frames[1], others[2]], [others[0], frames[1], frames[2]],
    ] {
      try expectRefusal(of: TestVault.file(of: records))
    }
  }

  @Test func invalidItemsAreRefused() throws {
    let object = try vault.protected()
    func plant(
      _ account: String, _ secret: Secret = Secret([1]), label: String? = nil,
      flags: AccessFlags = [], created: Int64? = nil
    ) throws {
      let control = AccessControl(.whenUnlocked, flags: flags)
      try vault.plant(
        .generic(account: account), secret, ItemAttributes(label: label, accessControl: control),
        created: created, in: object)
    }
    try plant("sound")
    try plant("twice", Secret([1]))
    try plant("twice", Secret([2]))
    try plant("secret", Secret([UInt8](repeating: 0, count: ItemLimits.secretSize + 1)))
    try plant("texts", label: String(repeating: "x", count: ItemLimits.stringSize + 1))
    try plant("flags", flags: AccessFlags(rawValue: 1 << 20))
    // The minimum of dates.
    try plant("early", created: -1 << 60)
    let other = target.open()
    let report = try other.importItems(from: vault.file, passphrase: TestVault.passphrase)
    #expect(Set(report.identities(.added).map(\.account)) == ["sound", "twice"])
    let refused = report.entries.filter(\.outcome.isRefusal)
    #expect(
      refused.map(\.identity.account) == ["early", "twice", "secret", "texts", "flags"])
    #expect(try other.items(matching: .all).count == 2)
    #expect(try other.verify().isSound)
    try other.add("value", account: "afterwards")
  }

  /// Only a secret has the value, and only attributes have the service.
  @Test(arguments: ["value 1", "campaign"])
  func writtenItemsAreReadBackAndCompared(_ changed: String) throws {
    try put(exported())
    try target.open().add("own", account: "own")
    let cipher = LyingCipher(changing: changed)
    expectError("corrupted") { try target.open(cipher: cipher).importItems(of: target) }
    #expect(cipher.hasLied)
  }
}

/// A cipher that changes the first plaintext with a text.
private final class LyingCipher: ForwardingCipher {
  let cipher = TestCipher()
  private let changed: String
  private let lies = Lock(0)

  init(changing changed: String) {
    self.changed = changed
  }

  var hasLied: Bool { lies.withLock { $0 == 1 } }

  func seal(
    _ plaintext: Secret, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> [UInt8] {
    var bytes = plaintext.bytes
    if let place = bytes.firstRange(of: changed.utf8), lies.withLock({ $0 == 0 }) {
      lies.withLock { $0 = 1 }
      bytes[place.lowerBound] ^= 1
    }
    return try cipher.seal(Secret(bytes), with: key, authenticating: context)
  }
}
