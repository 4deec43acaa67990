import Concurrency
package import StorageInternals

/// AES in GCM and CBC mode, with a pool of library contexts.
///
/// Contexts are reused because creating one takes longer than encrypting a short message. An unused
/// context still contains the key of its last use.
package final class AESCipher: Sendable {
  private struct Pool {
    /// The addresses of the unused contexts.
    var contexts: [UInt] = []
    /// The number of calls to `eraseKeys()`.
    var generation = 0
  }

  /// The size of a GCM tag, in bytes.
  package static let tagSize = 16

  private let pool = Lock(Pool())

  /// Creates a cipher without loading the library.
  package init() {}

  deinit {
    eraseKeys()
  }

  /// Frees the unused contexts, which overwrites the keys in them.
  package func eraseKeys() {
    // A forked child cannot use the pool.
    if Fork.isChild { return }
    let contexts = pool.withLock { pool in
      defer { pool = Pool(generation: pool.generation + 1) }
      return pool.contexts
    }
    // No contexts exist before the library is loaded.
    guard let library = CryptoLibrary.shared.createdValue else { return }
    for context in contexts { unsafe library.cipherContextFree(OpaquePointer(bitPattern: context)) }
  }

  /// Encrypts a message with AES-256-GCM.
  ///
  /// - Returns: The ciphertext, followed by the tag.
  package func seal(
    _ plaintext: Secret, under key: Secret, nonce: [UInt8], authenticating context: [UInt8],
    by library: CryptoLibrary
  ) throws(Unavailable) -> [UInt8] {
    try unsafe plaintext.withUnsafeBytes { plaintext throws(Unavailable) in
      let count = plaintext.count
      var succeeded = false
      let sealed = unsafe [UInt8](unsafeUninitializedCapacity: count + Self.tagSize) {
        output, initializedCount in
        succeeded = unsafe withSession(of: library) { session in
          // 0x10 is EVP_CTRL_AEAD_GET_TAG in <openssl/evp.h>.
          unsafe session.beginGCM(key, nonce, context, encrypting: true)
            && session.update(plaintext, into: output.baseAddress) != nil
            && session.finish(into: output.baseAddress) != nil
            && session.control(0x10, Self.tagSize, output.baseAddress! + count)
        }
        initializedCount = count + Self.tagSize
      }
      guard succeeded else { throw .failed("EVP_EncryptUpdate") }
      return sealed
    }
  }

  /// Decrypts an AES-256-GCM ciphertext, which its tag follows; nil if it is not authentic.
  package func open(
    _ sealed: ArraySlice<UInt8>, under key: Secret, nonce: [UInt8], authenticating context: [UInt8],
    by library: CryptoLibrary
  ) throws(Unavailable) -> Secret? {
    guard sealed.count >= Self.tagSize, !nonce.isEmpty else { return nil }
    let ciphertext = sealed.dropLast(Self.tagSize)
    var tag = Array(sealed.suffix(Self.tagSize))
    let (count, bytes) = try unsafe decrypt(ciphertext, by: library) { session in
      // 0x11 is EVP_CTRL_AEAD_SET_TAG in <openssl/evp.h>. The library does not modify the tag.
      guard unsafe session.beginGCM(key, nonce, context, encrypting: false) else { return false }
      return unsafe session.control(0x11, Self.tagSize, &tag)
    }
    return count == nil ? nil : bytes
  }

  /// Decrypts an AES-128-CBC message with PKCS #7 padding.
  ///
  /// - Returns: A buffer that begins with the plaintext, and the plaintext's size in bytes; nil if
  ///   the padding is invalid.
  package func decryptCBC(
    _ ciphertext: ArraySlice<UInt8>, initializationVector: [UInt8], under key: Secret,
    by library: CryptoLibrary
  ) throws(Unavailable) -> (count: Int, bytes: Secret)? {
    let (count, bytes) = try unsafe decrypt(ciphertext, by: library, reserving: 16) { session in
      unsafe session.begin(library.aes128CBC, key, initializationVector, encrypting: false)
    }
    return count.map { ($0, bytes) }
  }

  /// Decrypts a message with a session that a closure begins; the count is nil if the tag or the
  /// padding is wrong.
  ///
  /// The library may write `extraCapacity` bytes more than the ciphertext has.
  private func decrypt(
    _ ciphertext: ArraySlice<UInt8>, by library: CryptoLibrary, reserving extraCapacity: Int = 0,
    _ begin: (Session) -> Bool
  ) throws(Unavailable) -> (count: Int?, bytes: Secret) {
    var count: Int?
    let capacity = ciphertext.count + extraCapacity
    let bytes = try unsafe Secret(count: capacity) { output throws(Unavailable) in
      let succeeded = unsafe withSession(of: library) { session in
        guard unsafe begin(session),
          let written = unsafe ciphertext.withUnsafeBytes({ bytes in
            unsafe session.update(bytes, into: output.baseAddress)
          })
        else { return false }
        // With GCM, this only checks the tag, because there is no final block to write.
        count = unsafe session.finish(into: output.baseAddress! + written).map { written + $0 }
        return true
      }
      guard succeeded else { throw .failed("EVP_DecryptUpdate") }
    }
    return (count, bytes)
  }

  /// Calls a closure with a context from the pool, or a new one if the pool is empty.
  private func withSession(of library: CryptoLibrary, _ body: (Session) -> Bool) -> Bool {
    let (unused, generation) = pool.withLock { ($0.contexts.popLast(), $0.generation) }
    guard
      let context = unsafe unused.map({ unsafe OpaquePointer(bitPattern: $0)! })
        ?? library.cipherContextNew()
    else { return false }
    defer {
      let address = UInt(bitPattern: context)
      let isReturned = pool.withLock { pool in
        // If `eraseKeys()` was called during the operation, this context must be freed too.
        if pool.generation == generation { pool.contexts.append(address) }
        return pool.generation == generation
      }
      if !isReturned { unsafe library.cipherContextFree(context) }
    }
    return unsafe body(Session(library: library, context: context))
  }
}

/// The encryption or decryption of one message with a library context.
@unsafe private struct Session {
  let library: CryptoLibrary
  let context: OpaquePointer

  func begin(
    _ algorithm: OpaquePointer?, _ key: Secret, _ nonce: [UInt8], encrypting: Bool
  ) -> Bool {
    unsafe key.withUnsafeBytes { key in
      unsafe library.cipherInit(
        context, algorithm, nil, key.assumingMemoryBound(to: UInt8.self).baseAddress, nonce,
        encrypting ? 1 : 0) == 1
    }
  }

  func beginGCM(
    _ key: Secret, _ nonce: [UInt8], _ authenticated: [UInt8], encrypting: Bool
  ) -> Bool {
    guard unsafe key.withUnsafeBytes({ $0.count == 32 }) else { return false }
    // The algorithm is set for every message, because a new context has none. 0x9 is
    // EVP_CTRL_AEAD_SET_IVLEN in <openssl/evp.h>.
    return unsafe library.cipherInit(
      context, library.aes256GCM, nil, nil, nil, encrypting ? 1 : 0)
      == 1 && control(0x9, nonce.count, nil) && begin(nil, key, nonce, encrypting: encrypting)
      && authenticated.withUnsafeBytes { unsafe update($0, into: nil) != nil }
  }

  func control(_ command: Int32, _ count: Int, _ data: UnsafeMutableRawPointer?) -> Bool {
    unsafe library.cipherContextControl(context, command, Int32(count), data) == 1
  }

  /// Returns the number of bytes written, or nil on failure.
  func update(_ input: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<UInt8>?) -> Int? {
    if unsafe input.isEmpty { return 0 }
    var written: Int32 = 0
    guard let count = Int32(exactly: input.count),
      unsafe library.cipherUpdate(
        context, output, &written, input.assumingMemoryBound(to: UInt8.self).baseAddress, count)
        == 1
    else { return nil }
    return Int(written)
  }

  /// Returns the number of bytes written, or nil if the tag or the padding is wrong.
  func finish(into output: UnsafeMutablePointer<UInt8>?) -> Int? {
    var written: Int32 = 0
    return unsafe library.cipherFinal(context, output, &written) == 1 ? Int(written) : nil
  }
}
