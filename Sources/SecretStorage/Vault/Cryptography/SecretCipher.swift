import Concurrency
import Dispatch
import StorageInternals

/// The cryptographic primitives of a vault.
///
/// Where ``OpenSSLCipher`` cannot be used, an app can provide another cipher, which computes the
/// same functions.
public protocol SecretCipher: Sendable {
  /// Computes the SHA-256 digest of bytes (FIPS 180-4).
  func digest(_ bytes: ArraySlice<UInt8>) throws(SecretStoreError) -> [UInt8]

  /// Derives a 32-byte key with HKDF-SHA-256 (RFC 5869), whose context information is the purpose
  /// in UTF-8.
  func deriveKey(
    from key: Secret, salt: ArraySlice<UInt8>, purpose: String
  ) throws(SecretStoreError) -> Secret

  /// Derives a 32-byte key from a passphrase with scrypt (RFC 7914).
  func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
  ) throws(SecretStoreError) -> Secret

  /// Encrypts a message with AES-256-GCM (NIST SP 800-38D) and a nonce of twelve zero bytes, which
  /// can be constant because the vault uses each key for only one message.
  ///
  /// - Returns: The ciphertext, which is as long as the plaintext, followed by the 16-byte tag.
  func seal(
    _ plaintext: Secret, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> [UInt8]

  /// Decrypts the result of ``seal(_:with:authenticating:)``; throws
  /// ``SecretStoreError/corrupted(_:)`` if bytes, key and context do not match.
  func open(
    _ sealed: ArraySlice<UInt8>, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> Secret

  /// Overwrites cached key material; called when a vault locks, after erasing its keys.
  func eraseKeys()
}

extension SecretCipher {
  /// Returns a random 32-byte salt for one message under one key.
  ///
  /// It also depends on the message and the sequence, in case the kernel's generator repeats
  /// itself, as in clones of a virtual machine; tests pass such random bytes.
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

  /// Derives a key from a passphrase, and throws early if the task is cancelled or a check throws.
  ///
  /// The check is called several times a second. The derivation then continues on its own thread,
  /// and its result is discarded. If no thread can be created, this call derives the key.
  func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost,
    checking check: () throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) -> Secret {
    // The thread takes the passphrase, because it may end later than this call.
    let input = Lock<Secret?>(passphrase)
    let outcome = Lock<Result<Secret, SecretStoreError>?>(nil)
    let end = DispatchSemaphore(value: 0)
    let code = DetachedThread.start {
      // Binds the symbol now. Lazy binding after the derivation would save registers with the key.
      wipeReturnedFrames()
      do {
        let result = input.withLock { $0.take() }.map { passphrase in
          Result { () throws(SecretStoreError) in try stretch(passphrase, salt: salt, cost: cost) }
        }
        // Other threads may reuse the stack, on which the cipher may have left key material.
        wipeReturnedFrames()
        outcome.withLock { $0 = result }
      }
      // From here on, only the caller refers to the key and the passphrase.
      end.signal()
    }
    if code != 0 { return try stretch(passphrase, salt: salt, cost: cost) }
    while end.wait(timeout: .now() + .milliseconds(250)) == .timedOut {
      if Cancellation.isRequestedForTask { throw .cancelled }
      try check()
    }
    guard let result = outcome.withLock({ $0.take() }) else {
      fatalError("A key derivation ended without a result.")
    }
    return try result.get()
  }
}
