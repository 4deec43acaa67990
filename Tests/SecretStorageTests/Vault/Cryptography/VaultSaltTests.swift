import Testing

@testable import SecretStorage

/// Salts from a repeating random generator, such as a cloned machine's.
struct VaultSaltTests {
  private let cipher = OpenSSLCipher()
  private let vault = TestVault()

  private func salt(_ message: String, _ key: String, _ sequence: UInt64) throws -> [UInt8] {
    try cipher.salt(
      for: Secret(message.utf8), under: Secret(key.utf8), sequence: sequence,
      mixing: [UInt8](repeating: 7, count: 32))
  }

  @Test func saltDependsOnMessageKeyAndSequence() throws {
    let salts = [
      try salt("message", "key", 1), try salt("messagf", "key", 1), try salt("message", "kez", 1),
      try salt("message", "key", 2), try salt("emessage", "k", 1), try salt("ymessage", "ke", 1),
    ]
    #expect(Set(salts).count == salts.count)
    #expect(salts.allSatisfy { $0.count == 32 })
    #expect(try salt("message", "key", 1) == salts[0])
    // By other random bytes, one message has a new salt each time.
    let others = try (0..<100).map { _ in try cipher.salt(for: "a", under: "b", sequence: 1) }
    #expect(Set(others).count == others.count)
  }

  @Test func saltsOfOneWriteShareOnlyTheirMark() throws {
    let object = vault.open()
    try object.addMany(100)
    let salts = TestVault.frames(of: try vault.bytes).map { frame in
      Array(frame.dropFirst(Frame.overhead + RecordHeader.size).prefix(32))
    }
    #expect(salts.count == 102)
    #expect(Set(salts.dropFirst(2).map { $0.prefix(8) }).count == 1)
    #expect(Set(salts.map { $0.suffix(24) }).count == salts.count)
  }
}
