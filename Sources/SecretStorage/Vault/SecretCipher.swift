/// The cryptographic primitives of a vault.
///
/// The vault takes them from OpenSSL's libcrypto. An app that runs where there is none passes its
/// own, which must compute the same functions, or its vaults open nowhere else.
public protocol SecretCipher: Sendable {
  /// Computes the SHA-256 digest of bytes (FIPS 180-4), 32 bytes.
  func digest(_ bytes: ArraySlice<UInt8>) throws(SecretStoreError) -> [UInt8]

  /// Derives a key of 32 bytes by HKDF with SHA-256 (RFC 5869).
  ///
  /// The key is the input keying material, and the purpose, as UTF-8, the context information.
  func deriveKey(
    from key: Secret, salt: ArraySlice<UInt8>, purpose: String
  ) throws(SecretStoreError) -> Secret

  /// Derives a key of 32 bytes from a passphrase by scrypt (RFC 7914).
  func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
  ) throws(SecretStoreError) -> Secret

  /// Encrypts by AES-256-GCM (NIST SP 800-38D) with a nonce of twelve zero bytes.
  ///
  /// The nonce is no secret and need not vary because the vault uses each key for one message.
  ///
  /// - Returns: The ciphertext, as long as the plaintext, and the tag of 16 bytes.
  func seal(
    _ plaintext: Secret, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> [UInt8]

  /// Decrypts what ``seal(_:with:authenticating:)`` returned.
  ///
  /// - Throws: ``SecretStoreError/corrupted(_:)`` when the bytes, the key or the context are not
  ///   those of the sealing.
  func open(
    _ sealed: ArraySlice<UInt8>, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> Secret

  /// Overwrites what the cipher keeps of keys between its calls, if it keeps anything.
  ///
  /// A vault that is being locked calls it when it has forgotten its own.
  func forgetKeys()
}

extension SecretCipher {
  /// Makes a salt of 32 bytes for one message under one key.
  ///
  /// It is random, and differs for each message and sequence even where the kernel's generator
  /// repeats itself, as that of a machine may which was cloned while it ran. The same key and salt
  /// never seal two messages then. The random bytes are new ones, but for tests.
  func salt(
    for message: Secret, under key: Secret, sequence: UInt64, mixing given: [UInt8]? = nil
  ) throws(SecretStoreError) -> [UInt8] {
    var random = if let given { given } else { try [UInt8].random(32) }
    random.append(littleEndian: sequence)
    random.append(littleEndian: UInt64(key.count))
    let salt = try deriveKey(
      from: key.followed(by: message), salt: random[...], purpose: "locket salt")
    // A salt is no secret.
    return unsafe salt.withUnsafeBytes { unsafe Array($0) }
  }
}

/// What scrypt costs: it takes memory of 128 × blockSize × 2^logarithmicCost bytes.
///
/// A passphrase may cost from ``minimum`` to 1 GiB of memory, at most sixteen times over.
public struct ScryptCost: Hashable, Sendable {
  /// The binary logarithm of the parameter N.
  public let logarithmicCost: UInt8
  /// The parameter r.
  public let blockSize: UInt32
  /// The parameter p.
  public let parallelization: UInt32

  /// Describes a cost.
  public init(logarithmicCost: UInt8, blockSize: UInt32, parallelization: UInt32) {
    self.logarithmicCost = logarithmicCost
    self.blockSize = blockSize
    self.parallelization = parallelization
  }

  /// 128 MiB of memory and some tenths of a second: N = 2^17, r = 8, p = 1.
  ///
  /// This is the first of the equivalent choices in OWASP's Password Storage Cheat Sheet.
  public static let standard = ScryptCost(logarithmicCost: 17, blockSize: 8, parallelization: 1)

  /// The least that a passphrase may cost: 16 MiB of memory, N = 2^14, r = 8, p = 1.
  ///
  /// This is what the paper on scrypt recommends for interactive logins. Other costs are compared
  /// with it by N × r × p, which is 2^17.
  public static let minimum = ScryptCost(logarithmicCost: 14, blockSize: 8, parallelization: 1)

  /// Whether guessing is work enough, for a cost that is bearable.
  var isSufficient: Bool { work >= Self.minimum.work }

  private var work: UInt64 {
    UInt64(blockSize) * UInt64(parallelization) << logarithmicCost
  }

  /// Whether the cost is one that a machine can pay: at least something, and at most 1 GiB of
  /// memory and sixteen passes over it.
  var isBearable: Bool {
    guard let memory, logarithmicCost > 0, blockSize > 0 else { return false }
    // The last is a limit of scrypt's own, in section 2 of RFC 7914.
    return memory <= 1 << 30 && (1...16).contains(parallelization)
      && UInt32(logarithmicCost) < 16 * blockSize
  }

  /// The memory needed, in bytes; nil when it is more than any machine has.
  var memory: UInt64? {
    guard logarithmicCost < 48, blockSize < 1 << 10 else { return nil }
    return 128 * UInt64(blockSize) << logarithmicCost
  }
}
