import Concurrency

/// AES in the modes GCM and CBC, with a pool of the library's contexts.
///
/// Creating a context costs more than a small message. Each keeps the key of its last use.
package final class AESCipher: Sendable {
  private struct Pool {
    /// The addresses of the unused contexts.
    var spare: [UInt] = []
    /// The number of calls of `forgetKeys()`.
    var age = 0
  }

  /// The length of a tag of GCM, in bytes.
  package static let tagCount = 16

  private let pool = Lock(Pool(), inForkedChild: { Pool() })

  /// Creates a cipher without loading the library.
  package init() {}

  deinit {
    forgetKeys()
  }

  /// Frees the library's contexts, which overwrites the keys in them.
  package func forgetKeys() {
    let spare = pool.withLock { pool in
      defer { pool = Pool(age: pool.age + 1) }
      return pool.spare
    }
    // Without the library, there are no contexts.
    guard let library = CryptoLibrary.shared.known else { return }
    for context in spare { unsafe library.cipherContextFree(OpaquePointer(bitPattern: context)) }
  }

  /// Encrypts by AES-GCM with a key of 128 or 256 bits; returns the ciphertext and the tag.
  package func seal<Key: SecretBytes>(
    _ plaintext: Key, under key: Key, nonce: [UInt8], authenticating context: [UInt8],
    by library: CryptoLibrary
  ) throws(CryptoFailure) -> [UInt8] {
    try unsafe plaintext.withUnsafeBytes { plaintext throws(CryptoFailure) in
      let count = plaintext.count
      var succeeded = false
      let sealed = unsafe [UInt8](unsafeUninitializedCapacity: count + Self.tagCount) {
        output, filled in
        succeeded = unsafe withSession(of: library) { session in
          // EVP_CTRL_AEAD_GET_TAG of <openssl/evp.h>.
          unsafe session.beginGCM(key, nonce, context, encrypting: true)
            && session.update(plaintext, into: output.baseAddress) != nil
            && session.finish(into: output.baseAddress) != nil
            && session.control(0x10, Self.tagCount, output.baseAddress! + count)
        }
        filled = count + Self.tagCount
      }
      guard succeeded else { throw CryptoFailure(function: "EVP_EncryptUpdate") }
      return sealed
    }
  }

  /// Decrypts AES-GCM with a key of 128 or 256 bits; returns nil if it is not authentic.
  package func open<Key: SecretBytes>(
    _ ciphertext: ArraySlice<UInt8>, tag: ArraySlice<UInt8>, under key: Key, nonce: [UInt8],
    authenticating context: [UInt8], by library: CryptoLibrary
  ) throws(CryptoFailure) -> Key? {
    guard tag.count == Self.tagCount, !nonce.isEmpty else { return nil }
    var tag = Array(tag)
    var isAuthentic = false
    let opened = try unsafe Key(count: ciphertext.count) { output throws(CryptoFailure) in
      let succeeded = unsafe withSession(of: library) { session in
        // EVP_CTRL_AEAD_SET_TAG of <openssl/evp.h>, which does not write to the tag.
        guard unsafe session.beginGCM(key, nonce, context, encrypting: false),
          unsafe ciphertext.withUnsafeBytes({ bytes in
            unsafe session.update(bytes, into: output.baseAddress) != nil
          }),
          unsafe session.control(0x11, Self.tagCount, &tag)
        else { return false }
        // This writes no bytes, because GCM is a stream mode.
        isAuthentic = unsafe session.finish(into: output.baseAddress) != nil
        return true
      }
      guard succeeded else { throw CryptoFailure(function: "EVP_DecryptUpdate") }
    }
    return isAuthentic ? opened : nil
  }

  /// Decrypts AES-128-CBC with PKCS #7 padding.
  ///
  /// - Returns: The plaintext's length, and a longer secret that begins with it; nil if the padding
  ///   is wrong.
  package func decryptCBC<Key: SecretBytes>(
    _ ciphertext: ArraySlice<UInt8>, initialization: [UInt8], under key: Key,
    by library: CryptoLibrary
  ) throws(CryptoFailure) -> (count: Int, bytes: Key)? {
    var count: Int?
    // The library may write a block beyond the ciphertext's length.
    let bytes = try unsafe Key(count: ciphertext.count + 16) { output throws(CryptoFailure) in
      let succeeded = unsafe withSession(of: library) { session in
        guard unsafe session.begin(library.aes128CBC, key, initialization, encrypting: false),
          let written = unsafe ciphertext.withUnsafeBytes({ bytes in
            unsafe session.update(bytes, into: output.baseAddress)
          })
        else { return false }
        count = unsafe session.finish(into: output.baseAddress! + written).map { written + $0 }
        return true
      }
      guard succeeded else { throw CryptoFailure(function: "EVP_DecryptUpdate") }
    }
    return count.map { ($0, bytes) }
  }

  /// Calls a closure with a context that no other thread uses meanwhile.
  private func withSession(of library: CryptoLibrary, _ body: (Session) -> Bool) -> Bool {
    let (spare, age) = pool.withLock { ($0.spare.popLast(), $0.age) }
    guard
      let context = unsafe spare.map({ unsafe OpaquePointer(bitPattern: $0)! })
        ?? library.cipherContextNew()
    else { return false }
    defer {
      let address = UInt(bitPattern: context)
      let isKept = pool.withLock { pool in
        // `forgetKeys()` ran meanwhile, so this context is freed with its key.
        if pool.age == age { pool.spare.append(address) }
        return pool.age == age
      }
      if !isKept { unsafe library.cipherContextFree(context) }
    }
    return unsafe body(Session(library: library, context: context))
  }
}

/// The use of a context for one message.
@unsafe private struct Session {
  let library: CryptoLibrary
  let context: OpaquePointer

  func begin(
    _ algorithm: OpaquePointer?, _ key: some SecretBytes, _ nonce: [UInt8], encrypting: Bool
  ) -> Bool {
    unsafe key.withUnsafeBytes { key in
      unsafe library.cipherInit(
        context, algorithm, nil, key.assumingMemoryBound(to: UInt8.self).baseAddress, nonce,
        encrypting ? 1 : 0) == 1
    }
  }

  func beginGCM(
    _ key: some SecretBytes, _ nonce: [UInt8], _ authenticated: [UInt8], encrypting: Bool
  ) -> Bool {
    let is256 = unsafe key.withUnsafeBytes { $0.count == 32 }
    // EVP_CTRL_AEAD_SET_IVLEN of <openssl/evp.h>. Setting the algorithm resets more of the context
    // than a new message needs, but a context that was never used has none.
    return unsafe library.cipherInit(
      context, is256 ? library.aes256GCM : library.aes128GCM, nil, nil, nil, encrypting ? 1 : 0)
      == 1
      && control(0x9, nonce.count, nil) && begin(nil, key, nonce, encrypting: encrypting)
      && authenticated.withUnsafeBytes { unsafe update($0, into: nil) != nil }
  }

  func control(_ command: Int32, _ count: Int, _ data: UnsafeMutableRawPointer?) -> Bool {
    unsafe library.cipherContextControl(context, command, Int32(count), data) == 1
  }

  /// Returns the number of written bytes; nil on a failure.
  func update(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutablePointer<UInt8>?
  ) -> Int? {
    if unsafe input.isEmpty { return 0 }
    var written: Int32 = 0
    guard let count = Int32(exactly: input.count),
      unsafe library.cipherUpdate(
        context, output, &written, input.assumingMemoryBound(to: UInt8.self).baseAddress, count)
        == 1
    else { return nil }
    return Int(written)
  }

  /// Returns the number of written bytes; nil if tag or padding is wrong.
  func finish(into output: UnsafeMutablePointer<UInt8>?) -> Int? {
    var written: Int32 = 0
    return unsafe library.cipherFinal(context, output, &written) == 1 ? Int(written) : nil
  }
}
