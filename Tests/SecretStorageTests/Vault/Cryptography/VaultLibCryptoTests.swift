import Concurrency
import TestSupport
import Testing

@testable import SecretStorage

/// The cryptographic primitives, against published test vectors.
struct VaultLibCryptoTests {
  private let cipher = OpenSSLCipher()

  private func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = Array(hexadecimal.filter { !$0.isWhitespace })
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(digits[$0...($0 + 1)]), radix: 16)
    }
  }

  /// Examples of FIPS 180-4, and the empty message.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func digestIsSHA256(_ message: String, _ digest: String) throws {
    #expect(try cipher.digest(Array(message.utf8)[...]) == bytes(digest))
  }

  /// RFC 5869, appendices A.1 and A.3, which has neither salt nor information; the first 32 bytes.
  @Test func derivationIsHKDF() throws {
    let key = Secret([UInt8](repeating: 0x0B, count: 22))
    let salt = bytes("000102030405060708090a0b0c")
    let crypto = try CryptoLibrary.shared.get()
    #expect(
      try crypto.hkdf(key, salt: salt[...], info: bytes("f0f1f2f3f4f5f6f7f8f9")[...]).bytes
        == bytes("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"))
    let output = bytes("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d")
    #expect(try crypto.hkdf(key, salt: [], info: []).bytes == output)
    #expect(try cipher.deriveKey(from: key, salt: [], purpose: "").bytes == output)
  }

  /// RFC 7914, section 12; the outputs' first 32 bytes.
  @Test(arguments: [
    (
      "password", "NaCl", ScryptCost(logarithmicCost: 10, blockSize: 8, parallelization: 16),
      "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
    ),
    (
      "pleaseletmein", "SodiumChloride",
      ScryptCost(logarithmicCost: 14, blockSize: 8, parallelization: 1),
      "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2"
    ),
  ])
  func stretchingIsScrypt(
    _ passphrase: String, _ salt: String, _ cost: ScryptCost, _ output: String
  ) throws {
    let key = try cipher.stretch(Secret(passphrase.utf8), salt: Array(salt.utf8)[...], cost: cost)
    #expect(key.bytes == bytes(output))
  }

  /// Test cases 13 and 14 of the GCM specification, with key and nonce of zeros.
  @Test(arguments: [
    ("", "530f8afbc74536b9a963b4f1c4cb738b"),
    (
      "00000000000000000000000000000000",
      "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
    ),
  ])
  func sealingIsAESGCM(_ plaintext: String, _ sealed: String) throws {
    let key = Secret([UInt8](repeating: 0, count: 32))
    #expect(
      try cipher.seal(Secret(bytes(plaintext)), with: key, authenticating: []) == bytes(sealed))
    let opened = try cipher.open(bytes(sealed)[...], with: key, authenticating: [])
    #expect(opened.bytes == bytes(plaintext))
  }

  @Test func anyChangeOfASealedMessageIsAnError() throws {
    let key = try Secret.random(32)
    let context = Array("context".utf8)
    let sealed = try cipher.seal("message", with: key, authenticating: context)
    #expect(sealed.count == 7 + 16)
    func expectUnauthentic(_ sealed: [UInt8], _ key: Secret, _ context: [UInt8]) {
      #expect(throws: SecretStoreError.corrupted("A sealed message is not authentic")) {
        try cipher.open(sealed[...], with: key, authenticating: context)
      }
    }
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      expectUnauthentic(changed, key, context)
      expectUnauthentic(Array(sealed[..<index]), key, context)
    }
    for index in context.indices {
      var changed = context
      changed[index] ^= 1
      expectUnauthentic(sealed, key, changed)
    }
    expectUnauthentic(sealed, key, [])
    expectUnauthentic(sealed + [0], key, context)
    expectUnauthentic(sealed, try .random(32), context)
    #expect(try cipher.open(sealed[...], with: key, authenticating: context).text == "message")
  }

  @Test func oneCipherServesManyThreads() throws {
    let key = try Secret.random(32)
    try onThreads(8) { number in
      for round in 0..<50 {
        let message = "\(number) \(round)"
        let context = [UInt8(number)]
        let sealed = try cipher.seal(Secret(message.utf8), with: key, authenticating: context)
        let opened = try cipher.open(sealed[...], with: key, authenticating: context)
        #expect(opened.text == message)
      }
    }
  }

  private func salt(_ message: String, _ key: String, _ sequence: UInt64) throws -> [UInt8] {
    try cipher.salt(
      for: Secret(message.utf8), under: Secret(key.utf8), sequence: sequence,
      mixing: [UInt8](repeating: 7, count: 32))
  }

  /// Random bytes may repeat, as on a cloned machine.
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
    let vault = TestVault()
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
