import Concurrency
import Dispatch
import StorageInternals

/// The cryptographic primitives of a vault.
///
/// The vault uses OpenSSL's libcrypto by default. An app on a system without it passes its own
/// cipher, which must compute the same functions, or its vaults cannot be opened elsewhere.
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
  /// The nonce need not be secret or vary, because the vault uses each key for one message.
  ///
  /// - Returns: The ciphertext, as long as the plaintext, and the tag of 16 bytes.
  func seal(
    _ plaintext: Secret, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> [UInt8]

  /// Decrypts the result of ``seal(_:with:authenticating:)``.
  ///
  /// - Throws: ``SecretStoreError/corrupted(_:)`` when the bytes, the key or the context are not
  ///   those of the sealing.
  func open(
    _ sealed: ArraySlice<UInt8>, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> Secret

  /// Overwrites the key material that the cipher keeps between its calls, if any.
  ///
  /// A vault calls it while locking, after it has forgotten its own keys.
  func forgetKeys()
}

extension SecretCipher {
  /// Derives a key from a passphrase; cancelling the task or an error of the check ends the wait.
  ///
  /// The check is called a few times a second. The derivation runs on its own thread, because a
  /// cipher cannot be cancelled: after the end of the wait it continues in the background, and its
  /// result is discarded. If no thread can be created, it runs on the calling thread to its end.
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
      // Binds the function now: later, the dynamic linker would save registers with the key.
      wipeReturnedFrames()
      let result = Result(catching: derive)
      // The stack outlives the thread, and a cipher may leave parts of the key there.
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
      fatalError("A derivation ended without a result.")
    }
    return try result.get()
  }

  /// Returns a salt of 32 bytes for one message under one key.
  ///
  /// It is random. It differs for each message and sequence even if the kernel's generator repeats
  /// itself, as after cloning a running machine, so that the same key and salt never seal two
  /// messages. `given` replaces the random bytes in tests.
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

/// The cost of scrypt, which takes 128 × blockSize × 2^logarithmicCost bytes of memory.
///
/// A passphrase may cost from ``minimum`` to 1 GiB of memory, with at most sixteen passes over it.
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

  /// The standard cost of 128 MiB of memory and some tenths of a second: N = 2^17, r = 8, p = 1.
  public static let standard = ScryptCost(logarithmicCost: 17, blockSize: 8, parallelization: 1)

  /// The minimum cost of a passphrase: 16 MiB of memory, N = 2^14, r = 8, p = 1.
  ///
  /// The scrypt paper recommends it for interactive logins. N × r × p of other costs is compared
  /// with its value of 2^17.
  public static let minimum = ScryptCost(logarithmicCost: 14, blockSize: 8, parallelization: 1)

  /// Whether guessing takes enough work, for a cost that is bearable.
  var isSufficient: Bool { work >= Self.minimum.work }

  private var work: UInt64 {
    UInt64(blockSize) * UInt64(parallelization) << logarithmicCost
  }

  /// Whether a machine can bear the cost: more than zero, and at most 1 GiB of memory and sixteen
  /// passes over it.
  var isBearable: Bool {
    guard let memory, logarithmicCost > 0, blockSize > 0 else { return false }
    // The last condition is a limit of scrypt itself, in section 2 of RFC 7914.
    return memory <= 1 << 30 && (1...16).contains(parallelization)
      && UInt32(logarithmicCost) < 16 * blockSize
  }

  /// The required memory, in bytes; nil if no machine has as much.
  var memory: UInt64? {
    guard logarithmicCost < 48, blockSize < 1 << 10 else { return nil }
    return 128 * UInt64(blockSize) << logarithmicCost
  }
}
