import Concurrency
import Dispatch
import StorageInternals

/// The cryptographic primitives of a vault.
///
/// By default, a vault uses ``OpenSSLCipher``. On a system without OpenSSL, an app can provide its
/// own cipher. It must compute the same functions, so that other ciphers can open its vaults.
public protocol SecretCipher: Sendable {
  /// Computes the SHA-256 digest of bytes (FIPS 180-4).
  func digest(_ bytes: ArraySlice<UInt8>) throws(SecretStoreError) -> [UInt8]

  /// Derives a 32-byte key with HKDF-SHA-256 (RFC 5869).
  ///
  /// The key is the input keying material, and the purpose in UTF-8 is the context information.
  func deriveKey(
    from key: Secret, salt: ArraySlice<UInt8>, purpose: String
  ) throws(SecretStoreError) -> Secret

  /// Derives a 32-byte key from a passphrase with scrypt (RFC 7914).
  func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
  ) throws(SecretStoreError) -> Secret

  /// Encrypts a message with AES-256-GCM (NIST SP 800-38D) and a nonce of twelve zero bytes.
  ///
  /// The nonce can be constant because the vault uses each key for only one message.
  ///
  /// - Returns: The ciphertext, which is as long as the plaintext, followed by the 16-byte tag.
  func seal(
    _ plaintext: Secret, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> [UInt8]

  /// Decrypts the result of ``seal(_:with:authenticating:)``.
  ///
  /// - Throws: ``SecretStoreError/corrupted(_:)`` if bytes, key and context do not match.
  func open(
    _ sealed: ArraySlice<UInt8>, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> Secret

  /// Overwrites key material kept between calls; called when a vault locks, after erasing its keys.
  func eraseKeys()
}

extension SecretCipher {
  /// Returns a random 32-byte salt for one message under one key.
  ///
  /// It also depends on the message and the sequence, in case the kernel's generator repeats
  /// itself, as in clones of a virtual machine. Tests replace the random bytes with `given`.
  func salt(
    for message: Secret, under key: Secret, sequence: UInt64, mixing given: [UInt8]? = nil
  ) throws(SecretStoreError) -> [UInt8] {
    var random = if let given { given } else { try [UInt8].random(32) }
    random.append(littleEndian: sequence)
    random.append(littleEndian: UInt64(key.count))
    let salt = try deriveKey(
      from: key.followed(by: message), salt: random[...], purpose: "locket salt")
    // A salt is not secret.
    return unsafe salt.withUnsafeBytes { unsafe Array($0) }
  }
}

extension SecretCipher {
  /// Derives a key from a passphrase, and throws early if the task is cancelled or a check throws.
  ///
  /// The check is called several times a second. A derivation cannot be interrupted: it continues
  /// on another thread, and its result is discarded. If no thread can be created, it blocks.
  func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost,
    checking check: () throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) -> Secret {
    let derive = { @Sendable () throws(SecretStoreError) in
      try stretch(passphrase, salt: salt, cost: cost)
    }
    let outcome = Lock<Result<Secret, SecretStoreError>?>(nil)
    let end = DispatchSemaphore(value: 0)
    let code = DetachedThread.start {
      // Binds the symbol now. Lazy binding after the derivation would save registers with the key.
      wipeReturnedFrames()
      let result = Result(catching: derive)
      // The stack may be reused by other threads, and the cipher may have left key material on it.
      wipeReturnedFrames()
      outcome.withLock { $0 = result }
      end.signal()
    }
    if code != 0 { return try derive() }
    while end.wait(timeout: .now() + .milliseconds(250)) == .timedOut {
      if TaskCancellation.isRequested { throw .cancelled }
      try check()
    }
    guard let result = outcome.withLock({ $0.take() }) else {
      fatalError("A key derivation ended without a result.")
    }
    return try result.get()
  }
}

/// The cost parameters of scrypt, which uses 128 × blockSize × 2^logarithmicCost bytes of memory.
///
/// The cost of a passphrase must be between ``minimum`` and 1 GiB of memory with 16 passes over it.
public struct ScryptCost: Hashable, Sendable {
  /// The binary logarithm of the parameter N.
  public let logarithmicCost: UInt8
  /// The parameter r.
  public let blockSize: UInt32
  /// The parameter p.
  public let parallelization: UInt32

  /// Creates a cost.
  public init(logarithmicCost: UInt8, blockSize: UInt32, parallelization: UInt32) {
    self.logarithmicCost = logarithmicCost
    self.blockSize = blockSize
    self.parallelization = parallelization
  }

  /// The standard cost, 128 MiB of memory and a few tenths of a second: N = 2^17, r = 8, p = 1.
  public static let standard = ScryptCost(logarithmicCost: 17, blockSize: 8, parallelization: 1)

  /// The minimum cost of a passphrase: N = 2^14, r = 8, p = 1, which uses 16 MiB of memory.
  ///
  /// The scrypt paper recommends it for interactive logins. Other costs need N × r × p ≥ 2^17.
  public static let minimum = ScryptCost(logarithmicCost: 14, blockSize: 8, parallelization: 1)

  /// Whether an affordable cost requires at least the work of ``minimum`` for each guess.
  var isSufficient: Bool { work >= Self.minimum.work }

  private var work: UInt64 {
    UInt64(blockSize) * UInt64(parallelization) << logarithmicCost
  }

  /// Whether the parameters are valid, and require at most 1 GiB of memory and 16 passes over it.
  var isAffordable: Bool {
    guard let memory, logarithmicCost > 0, blockSize > 0 else { return false }
    // The last condition is a requirement of scrypt itself: see section 2 of RFC 7914.
    return memory <= 1 << 30 && (1...16).contains(parallelization)
      && UInt32(logarithmicCost) < 16 * blockSize
  }

  /// The required memory, in bytes; nil if it exceeds the memory of any machine.
  var memory: UInt64? {
    guard logarithmicCost < 48, blockSize < 1 << 10 else { return nil }
    return 128 * UInt64(blockSize) << logarithmicCost
  }
}

extension ScryptCost {
  /// Throws ``SecretStoreError/invalid(_:)`` for a cost that is not allowed for a new passphrase.
  func check() throws(SecretStoreError) {
    if !isAffordable {
      throw .invalid("The scrypt cost is invalid, or exceeds 1 GiB of memory or 16 passes over it")
    }
    if !isSufficient {
      throw .invalid(
        """
        The scrypt cost is too low to protect a passphrase: N × r × p must be at least 2^17, as \
        with N = 2^14, r = 8 and p = 1
        """)
    }
  }

  /// Throws ``SecretStoreError/corrupted(_:)`` if a cost read from a file is not allowed.
  func checkStored(by owner: String) throws(SecretStoreError) {
    guard isAffordable else { throw .corrupted("\(owner) requires an excessive amount of work") }
    guard isSufficient else { throw .corrupted("\(owner) requires too little work to be secure") }
  }
}

extension [UInt8] {
  mutating func append(_ cost: ScryptCost) {
    append(cost.logarithmicCost)
    append(littleEndian: cost.blockSize)
    append(littleEndian: cost.parallelization)
  }
}

extension RecordReader {
  mutating func cost() throws(MalformedRecord) -> ScryptCost {
    ScryptCost(
      logarithmicCost: try integer(), blockSize: try integer(), parallelization: try integer())
  }
}
