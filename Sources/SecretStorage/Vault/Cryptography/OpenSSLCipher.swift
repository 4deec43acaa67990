import Concurrency
import Synchronization

/// A cipher that uses OpenSSL's libcrypto.
///
/// On first use, the cipher loads `libcrypto.so.3` or, if that is missing, `libcrypto.so.1.1`.
/// Without both, the call throws ``SecretStoreError/missingLibrary(_:)``, and the next one retries.
public final class OpenSSLCipher: SecretCipher {
  /// The size of an authentication tag, in bytes.
  package static let tagSize = 16
  /// The nonce, which can be constant because each key seals only one message.
  private static let nonce = [UInt8](repeating: 0, count: 12)

  /// Unused library contexts, each of which still contains the key of its last use.
  ///
  /// Creating a context takes longer than encrypting a short message.
  private let unused = AddressPool()
  /// The number of calls to `eraseKeys()`.
  private let eraseCount = Atomic(0)

  /// Creates a cipher without loading the library.
  public init() {}

  deinit { eraseKeys() }

  /// Overwrites the keys in the library's unused contexts and frees the contexts.
  public func eraseKeys() {
    // A forked child must not use the library, whose state another thread may have been changing.
    if Fork.isChild { return }
    eraseCount.add(1, ordering: .sequentiallyConsistent)
    // No contexts exist before the library is loaded.
    if let library = CryptoLibrary.shared.createdValue { freeUnusedContexts(of: library) }
  }

  private func freeUnusedContexts(of library: CryptoLibrary) {
    while let address = unused.take() {
      unsafe library.cipherContextFree(OpaquePointer(bitPattern: address))
    }
  }

  /// Whether the library succeeded, and the output size; nil if the tag or the padding is wrong.
  private typealias Outcome = (succeeded: Bool, count: Int?)

  /// Calls a closure with an unused context, or a new one if there is none, and keeps the context
  /// for later uses if the library succeeded.
  private func withContext(
    of library: CryptoLibrary, _ body: (OpaquePointer) -> Outcome
  ) -> Outcome {
    let earlierCount = eraseCount.load(ordering: .sequentiallyConsistent)
    guard
      let context = unsafe unused.take().map({ unsafe OpaquePointer(bitPattern: $0)! })
        ?? library.cipherContextNew()
    else { return (false, nil) }
    let result = unsafe body(context)
    // After a failure, the context may still contain an earlier key, which `eraseKeys()` must not
    // miss.
    if result.succeeded {
      unused.put(UInt(bitPattern: context))
    } else {
      unsafe library.cipherContextFree(context)
    }
    // If `eraseKeys()` was called during the operation, this context is freed too.
    if eraseCount.load(ordering: .sequentiallyConsistent) != earlierCount {
      freeUnusedContexts(of: library)
    }
    return result
  }

  /// Computes the SHA-256 digest of bytes.
  public func digest(_ bytes: ArraySlice<UInt8>) throws(SecretStoreError) -> [UInt8] {
    try CryptoLibrary.loaded.digest(of: bytes)
  }

  /// Derives a key with HKDF-SHA-256.
  public func deriveKey(
    from key: Secret, salt: ArraySlice<UInt8>, purpose: String
  ) throws(SecretStoreError) -> Secret {
    try CryptoLibrary.loaded.hkdf(key, salt: salt, info: Array(purpose.utf8)[...])
  }

  /// Derives a key from a passphrase with scrypt.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` if there is not enough memory for the cost.
  public func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
  ) throws(SecretStoreError) -> Secret {
    let library = try CryptoLibrary.loaded
    // scrypt needs slightly more memory than `cost.memory`, so the limit is about twice as high.
    let memory = 2 * (cost.memory ?? 0) + 1 << 20
    let key = try unsafe library.compute("EVP_PBE_scrypt", 32, passphrase, salt) {
      passphrase, salt, output in
      unsafe library.scrypt(
        passphrase.baseAddress, passphrase.count, salt.baseAddress, salt.count,
        1 << UInt64(cost.logarithmicCost), UInt64(cost.blockSize), UInt64(cost.parallelization),
        memory, output.baseAddress, output.count) == 1
    }
    // This call overwrites key material in vector registers before they are saved to memory.
    _ = try library.digest(of: salt)
    return key
  }

  /// Encrypts a message with AES-256-GCM.
  public func seal(
    _ plaintext: Secret, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> [UInt8] {
    let library = try CryptoLibrary.loaded
    var tag = [UInt8](repeating: 0, count: Self.tagSize)
    var written: Int?
    var sealed = unsafe [UInt8](unsafeUninitializedCapacity: plaintext.count + Self.tagSize) {
      output, initializedCount in
      written = unsafe plaintext.withUnsafeBytes { plaintext in
        unsafe process(
          plaintext, into: output.baseAddress!, under: key, nonce: Self.nonce,
          authenticating: context, tag: &tag, isEncrypting: true, by: library
        ).count
      }
      initializedCount = written ?? 0
    }
    guard written != nil else { throw .failedCall("EVP_EncryptUpdate") }
    sealed += tag
    return sealed
  }

  /// Decrypts a sealed message, and throws if it is not authentic.
  public func open(
    _ sealed: ArraySlice<UInt8>, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> Secret {
    guard sealed.count >= Self.tagSize,
      let opened = try decrypt(
        sealed.dropLast(Self.tagSize), tag: sealed.suffix(Self.tagSize), under: key,
        nonce: Self.nonce, authenticating: context, by: CryptoLibrary.loaded)
    else { throw .corrupted("A sealed message is not authentic") }
    return opened
  }

  /// Decrypts a message with AES-256-GCM or, without a tag, with AES-128-CBC and PKCS #7 padding.
  ///
  /// - Returns: The plaintext; nil if the tag or the padding is wrong.
  package func decrypt(
    _ ciphertext: ArraySlice<UInt8>, tag: ArraySlice<UInt8> = [], under key: Secret,
    nonce: [UInt8], authenticating context: [UInt8] = [], by library: CryptoLibrary
  ) throws(SecretStoreError) -> Secret? {
    var tag = Array(tag)
    var count: Int?
    // With CBC, the library may write one block more than the ciphertext has.
    let capacity = ciphertext.count + (tag.isEmpty ? 16 : 0)
    let bytes = try unsafe Secret(count: capacity) { output throws(SecretStoreError) in
      let result = unsafe ciphertext.withUnsafeBytes { ciphertext in
        unsafe process(
          ciphertext, into: output.baseAddress!, under: key, nonce: nonce, authenticating: context,
          tag: &tag, isEncrypting: false, by: library)
      }
      guard result.succeeded else { throw .failedCall("EVP_DecryptUpdate") }
      count = result.count
    }
    guard let count else { return nil }
    return count == capacity ? bytes : bytes.slice(..<count)
  }

  /// Encrypts or decrypts a message.
  private func process(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<UInt8>, under key: Secret,
    nonce: [UInt8], authenticating context: [UInt8], tag: inout [UInt8], isEncrypting: Bool,
    by library: CryptoLibrary
  ) -> Outcome {
    unsafe withContext(of: library) { session in
      let isGCM = !tag.isEmpty
      let direction: Int32 = isEncrypting ? 1 : 0
      var count: Int32 = 0
      func update(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<UInt8>?
      ) -> Bool {
        count = 0
        if input.count == 0 { return true }
        guard let size = Int32(exactly: input.count) else { return false }
        return unsafe library.cipherUpdate(
          session, output, &count, input.assumingMemoryBound(to: UInt8.self).baseAddress, size) == 1
      }
      // The algorithm is set for every message, because a new context has none. In <openssl/evp.h>,
      // 0x9 is EVP_CTRL_AEAD_SET_IVLEN, 0x11 EVP_CTRL_AEAD_SET_TAG and 0x10 EVP_CTRL_AEAD_GET_TAG.
      let algorithm = unsafe isGCM ? library.aes256GCM : library.aes128CBC
      guard unsafe library.cipherInit(session, algorithm, nil, nil, nil, direction) == 1,
        unsafe !isGCM || library.cipherContextControl(session, 0x9, Int32(nonce.count), nil) == 1,
        unsafe key.withUnsafeBytes({ key in
          let bytes = unsafe key.assumingMemoryBound(to: UInt8.self).baseAddress
          return unsafe key.count == (isGCM ? 32 : 16)
            && library.cipherInit(session, nil, nil, bytes, nonce, direction) == 1
        }),
        unsafe context.withUnsafeBytes({ unsafe update($0, into: nil) }),
        unsafe !isGCM || isEncrypting
          || library.cipherContextControl(session, 0x11, Int32(Self.tagSize), &tag) == 1,
        unsafe update(input, into: output)
      else { return (false, nil) }
      var rest: Int32 = 0
      guard unsafe library.cipherFinal(session, output + Int(count), &rest) == 1 else {
        return (true, nil)
      }
      if isGCM, isEncrypting,
        unsafe library.cipherContextControl(session, 0x10, Int32(Self.tagSize), &tag) != 1
      {
        return (false, nil)
      }
      return (true, Int(count + rest))
    }
  }
}
