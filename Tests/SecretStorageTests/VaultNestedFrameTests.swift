import FoundationEssentials
import StorageInternals
import Testing

@testable import SecretStorage

/// Frames that are none, each with all of the others in it.
struct VaultNestedFrameTests {
  /// A cipher that counts the bytes that it digests.
  private struct CountingCipher: ForwardingCipher {
    private final class Counter: Sendable {
      let count = Lock(0)
    }

    let cipher = OpenSSLCipher()
    private let digested = Counter()

    func digest(_ bytes: ArraySlice<UInt8>) throws(SecretStoreError) -> [UInt8] {
      digested.count.withLock { $0 += bytes.count }
      return try cipher.digest(bytes)
    }

    /// The number of bytes since this was asked last.
    func take() -> Int {
      digested.count.withLock { count in
        defer { count = 0 }
        return count
      }
    }
  }

  private static let overhead = 44
  private let vault = TestVault()

  /// Beginnings of frames, each with the length of what follows.
  private static func nested(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * overhead)
    for number in 0..<count {
      let length = UInt32((count - number - 1) * overhead)
      bytes += [0xF5, 0x4C, 0x4B, 0x52]
      bytes.append(littleEndian: length)
      bytes.append(littleEndian: ~length)
      bytes += [UInt8](repeating: 0, count: 32)
    }
    return bytes
  }

  /// 176 kB, 704 kB and twice that.
  @Test(arguments: [4000, 16_000, 32_000])
  func hashingIsLinear(_ count: Int) throws {
    let object = vault.open()
    try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    for account in ["a", "b"] { try object.add("value \(account)", account: account) }
    let frames = TestVault.frames(of: try vault.bytes)
    let nested = Self.nested(count)
    for place in [0, 3, frames.count] {
      var pieces = frames.map(Array.init)
      pieces.insert(nested, at: place)
      let file = try TestVault.file(of: pieces)
      // Two readings, each with what fails at most, and one frame more.
      let limit = 2 * (3 * file.count + 2 * Frame.payloadLimit)
      try vault.replace(by: file)
      try vault.forget()
      let cipher = CountingCipher()
      let reader = vault.open(cipher: cipher)
      do throws(SecretStoreError) {
        _ = try reader.items(matching: .all)
      } catch {
        // Damage is said.
      }
      #expect(cipher.take() <= limit, "opened with the frames at \(place)")
      let other = TestVault()
      expectError("corrupted") { () throws(SecretStoreError) in
        try other.open(cipher: cipher).importItems(
          from: vault.file, passphrase: TestVault.passphrase)
      }
      #expect(cipher.take() <= limit, "imported with the frames at \(place)")
      guard place > 1 else { continue }
      try reader.unlock(with: .passphrase(TestVault.passphrase))
      #expect(try reader.verify().isSound == false)
      let saved = try reader.salvageableItems().map(\.item.identity.account)
      #expect(Set(saved).isSuperset(of: place == 3 ? ["a"] : ["a", "b"]))
      _ = try reader.repair()
      #expect(try reader.text("a") == "value a")
    }
  }

  /// What an app's crash or a bad sector leaves is not beyond the limit.
  @Test func recordBehindOneDamagedLargeRecordIsFound() throws {
    let object = vault.open()
    _ = try object.add(
      Secret([UInt8](repeating: 1, count: 16 << 20)), identity: .generic(service: "large"),
      attributes: ItemAttributes())
    try object.add("value", account: "behind")
    var bytes = try vault.bytes
    bytes[bytes.count / 2] ^= 1
    try vault.replace(by: bytes)
    let saved = try vault.open().salvageableItems().map(\.item.identity.account)
    #expect(saved == ["behind"])
  }
}
