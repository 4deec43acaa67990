import CipherSupport
import CLibrary
import Concurrency
import Dispatch
import FoundationEssentials
import StorageInternals
import TestSupport
import Testing

@testable import SecretStorage

/// Unsound exports, and items that a vault refuses.
struct VaultImportRefusalTests {
  private let vault = TestVault()
  private let target = TestVault()

  private func exported(_ count: Int = 3) throws -> [UInt8] {
    let object = vault.open()
    for number in 0..<count { try object.add("value \(number)", account: "\(number)") }
    try object.export(of: vault)
    _ = try target.path("")
    return try TestVault.bytes(of: vault.export.path)
  }

  private func put(_ bytes: some Collection<UInt8>) throws {
    try FileSystem().replaceFile(at: target.path("moved.vault"), with: bytes)
  }

  /// Expects an import to fail without effects.
  private func expectRefusal(
    _ kind: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for isDryRun in [true, false] {
      expectError(kind, sourceLocation: sourceLocation) {
        try target.open().importItems(of: target, isDryRun: isDryRun)
      }
      #expect(try FileSystem().status(of: target.path) == nil, sourceLocation: sourceLocation)
    }
  }

  @Test func wrongPassphraseIsSaid() throws {
    try put(exported())
    for wrong in ["", "the valley wind", "The Valley Wind "] {
      expectError("wrongPassphrase") {
        try target.open().importItems(from: target.export, passphrase: Secret(wrong.utf8))
      }
    }
    #expect(try target.names() == ["moved.vault"])
  }

  @Test func whatIsNoVaultIsSaid() throws {
    let bytes = try exported()
    try expectRefusal("system \(ENOENT)")
    try put([])
    try expectRefusal("corrupted")
    try put(Array("-----BEGIN PGP MESSAGE-----\n".utf8))
    try expectRefusal("corrupted")
    try put([UInt8](repeating: 0, count: 100_000))
    try expectRefusal("corrupted")
    var newer = Array(bytes.prefix(16))
    newer[8] = 3
    newer += try OpenSSLCipher().digest(newer[...])[..<16]
    try put(newer + bytes.dropFirst(32))
    try expectRefusal("newerFormat")
  }

  @Test func whatIsNoFileIsSaidAtOnce() throws {
    _ = try exported()
    let path = target.export.path
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
    try expectRefusal("invalid")
  }

  @Test func fileOfWhateverModeBehindALinkIsRead() throws {
    let bytes = try exported()
    let path = try target.path("on a stick")
    try FileSystem().replaceFile(at: path, with: bytes, mode: 0o777)
    try #require(unsafe symlink(path, target.export.path) == 0)
    #expect(try target.open().importItems(of: target).items(.added).count == 3)
  }

  @Test func everyTruncationIsNoticed() throws {
    let bytes = try exported()
    let frames = TestVault.frames(of: bytes)
    let ends = [0, FileHeader.size] + frames.map(\.endIndex)
    let step = Campaign.size(sample: 97, full: 1)
    for count in Set(stride(from: 0, to: bytes.count, by: step)).union(ends)
    where count < bytes.count {
      try put(bytes.prefix(count))
      try expectRefusal("corrupted")
    }
    try put(bytes)
    #expect(try target.open().importItems(of: target).items(.added).count == 3)
  }

  @Test func everyDamagedByteIsNoticed() throws {
    let bytes = try exported()
    let step = Campaign.size(sample: 41, full: 1)
    for place in stride(from: Int.random(in: 0..<step), to: bytes.count, by: step) {
      for change in [UInt8(0xFF), 0x01] {
        var damaged = bytes
        damaged[place] ^= change
        try put(damaged)
        try expectRefusal("corrupted")
      }
    }
  }

  /// A vault that is no export may end with any record, which must be intact or cut short.
  @Test func damagedEndOfAVaultIsNoticed() throws {
    _ = try exported()
    let object = vault.open()
    try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    try object.add("last", account: "last")
    let bytes = try vault.bytes
    for place in [bytes.count - 1, try #require(TestVault.frames(of: bytes).last).startIndex] {
      var damaged = bytes
      damaged[place] ^= 1
      try put(damaged)
      try expectRefusal("corrupted")
    }
  }

  /// Missing, repeated, reordered and foreign records.
  @Test func recordsOfAnotherOrderAreNoticed() throws {
    let bytes = try exported()
    try vault.open().export(of: vault, overwriting: true)
    let others = TestVault.frames(of: try TestVault.bytes(of: vault.export.path))
    let frames = TestVault.frames(of: bytes)
    #expect(frames.count == 3)
    for files in [
      [frames[0], frames[2]], [frames[1], frames[2]], [frames[2]],
      [frames[1], frames[0], frames[2]],
      frames + [frames[2]], [frames[0], frames[1], others[2]], [others[0], frames[1], frames[2]],
    ] {
      try put(TestVault.file(of: files))
      try expectRefusal("corrupted")
    }
  }

  @Test(
    arguments: [(0, 8, 1), (40, 8, 1), (10, 8, 4_000_000_000), (255, .max, .max)]
      as [(UInt8, UInt32, UInt32)])
  func hostileCostIsRefusedAtOnce(_ n: UInt8, _ r: UInt32, _ p: UInt32) throws {
    let bytes = try exported()
    let frames = try TestVault.frames(of: bytes).map { frame in
      let payload = frame.dropFirst(Frame.overhead)
      guard payload.first == RecordHeader.Kind.keys.rawValue else { return frame }
      var table = try KeyTableRecord(payload).table
      let key = table.slots[0].key
      let cost = ScryptCost(logarithmicCost: n, blockSize: r, parallelization: p)
      table.slots = [KeySlot(id: 1, name: "hostile", kind: .passphrase(.scrypt(cost)), key: key)]
      var record = Array(payload.prefix(RecordHeader.size + 32 + 16 + 8))
      record.append(counted: table.encoded)
      return try TestVault.frame(of: record + payload.suffix(16))
    }
    try put(TestVault.file(of: frames))
    try expectRefusal("corrupted")
  }

  @Test func itemsThatNoVaultWouldTakeAreRefused() throws {
    let object = vault.open()
    try object.setPassphrase(TestVault.passphrase, cost: .cheap)
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
    try plant("secret", Secret(repeatElement(0, count: ItemLimits.secretSize + 1)))
    try plant("texts", label: String(repeating: "x", count: ItemLimits.stringSize + 1))
    try plant("flags", flags: AccessFlags(rawValue: 1 << 20))
    // The minimum of dates.
    try plant("early", created: -1 << 60)
    let other = target.open()
    let report = try other.importItems(from: vault.file, passphrase: TestVault.passphrase)
    #expect(Set(report.items(.added).map(\.identity.account)) == ["sound", "twice"])
    let refused = report.entries.filter(\.outcome.isRefusal)
    #expect(
      refused.map(\.item.identity.account) == ["early", "twice", "secret", "texts", "flags"])
    #expect(try other.items(matching: .all).count == 2)
    #expect(try other.verify().isSound)
    try other.add("value", account: "afterwards")
  }

  @Test func whatIsReadBackIsCompared() throws {
    let bytes = try exported()
    for mistake in [LyingCipher.Mistake.otherSecret, .otherAttributes] {
      let fresh = TestVault()
      try FileSystem().replaceFile(at: fresh.path("moved.vault"), with: bytes)
      try fresh.open().add("own", account: "own")
      let cipher = LyingCipher(mistake: mistake)
      expectError("corrupted") {
        try fresh.open(cipher: cipher).importItems(of: fresh)
      }
      #expect(cipher.hasLied)
    }
  }
}

/// A cipher that seals other data once.
private final class LyingCipher: ForwardingCipher {
  enum Mistake {
    case otherSecret
    case otherAttributes
  }

  private let mistake: Mistake
  let cipher = OpenSSLCipher()
  private let lies = Lock(0)

  init(mistake: Mistake) {
    self.mistake = mistake
  }

  var hasLied: Bool { lies.withLock { $0 == 1 } }

  func seal(
    _ plaintext: Secret, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> [UInt8] {
    var bytes = unsafe plaintext.withUnsafeBytes { unsafe Array($0) }
    // Only a secret has the value, and only attributes have the service.
    let text = Array((mistake == .otherSecret ? "value 1" : "campaign").utf8)
    if let place = bytes.firstRange(of: text), lies.withLock({ $0 == 0 }) {
      lies.withLock { $0 = 1 }
      bytes[place.lowerBound] ^= 1
    }
    return try cipher.seal(Secret(bytes), with: key, authenticating: context)
  }
}
