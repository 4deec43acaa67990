import Testing

@testable import SecretStorage

/// False frames, each nested in the one before.
struct VaultNestedFrameTests {
  private let vault = TestVault()

  @Test func nestedFramesAreHashedInLinearWork() throws {
    let cipher = MeasuredCipher()
    let object = vault.open(cipher: cipher)
    try object.setPassphrase(TestVault.passphrase, cost: .cheap)
    for account in ["a", "b"] { try object.add("value \(account)", account: account) }
    let frames = TestVault.frames(of: try vault.bytes)
    let nested = ForgedFile.nestedFrames(count: 16_000)
    for place in [0, 3, frames.count] {
      var pieces = frames.map(Array.init)
      pieces.insert(nested, at: place)
      let file = try TestVault.file(of: pieces)
      // Two reads, each with the maximal failed work, and one more frame.
      let limit = 2 * (3 * file.count + 2 * Frame.payloadLimit)
      try vault.replace(by: file)
      try vault.forget()
      _ = cipher.takeWork()
      let reader = vault.open(cipher: cipher)
      // Reports the damage.
      #expect(throws: SecretStoreError.self) { try reader.items(matching: .all) }
      #expect(cipher.takeWork().digested <= limit, "opened with the frames at \(place)")
      let other = TestVault()
      expectError("corrupted") {
        try other.open(cipher: cipher).importItems(
          from: vault.file, passphrase: TestVault.passphrase)
      }
      #expect(cipher.takeWork().digested <= limit, "imported with the frames at \(place)")
      guard place > 1 else { continue }
      try reader.unlock(with: .passphrase(TestVault.passphrase))
      #expect(try reader.verify().isSound == false)
      let saved = try reader.salvageableItems().map(\.item.identity.account)
      #expect(Set(saved).isSuperset(of: place == 3 ? ["a"] : ["a", "b"]))
      _ = try reader.repair()
      #expect(try reader.text("a") == "value a")
    }
  }

  /// Damage by a crash or a bad sector stays within the limit.
  @Test func recordBehindADamagedLargeRecordIsFound() throws {
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
