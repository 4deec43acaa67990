import StorageInternals

/// The vault's primitives, computed by OpenSSL's libcrypto.
///
/// The library is looked for at the first use: `libcrypto.so.3`, then `libcrypto.so.1.1`. Where
/// neither can be loaded, the next use looks again.
public final class OpenSSLCipher: SecretCipher {
  private static let tagCount = 16
  private static let nonce = [UInt8](repeating: 0, count: 12)

  private static let unauthentic = SecretStoreError.corrupted("A sealed message is not authentic")

  private static func failure(of function: String) -> SecretStoreError {
    .unavailable("libcrypto's \(function) reported a failure.")
  }

  /// Contexts that are not in use; making one costs more than a small message.
  ///
  /// Each has the key that it was used with last.
  private struct Contexts {
    var spare: [UInt] = []
    /// How often keys were forgotten.
    var age = 0
  }

  private let contexts = Lock(Contexts(), inForkedChild: { Contexts() })

  /// Makes a cipher; the library is not opened yet.
  public init() {}

  deinit {
    forgetKeys()
  }

  /// Frees the library's contexts, which overwrites the keys in them.
  public func forgetKeys() {
    let spare = contexts.withLock { contexts in
      contexts.age += 1
      defer { contexts.spare = [] }
      return contexts.spare
    }
    // The contexts are the library's, so that without it there are none.
    guard let crypto = LibCrypto.shared.known else { return }
    for context in spare {
      unsafe crypto.cipherContextFree(OpaquePointer(bitPattern: context))
    }
  }

  private func library() throws(SecretStoreError) -> LibCrypto {
    do {
      return try LibCrypto.shared.get()
    } catch {
      throw .missingLibrary("\(error)")
    }
  }

  /// Computes the SHA-256 digest of bytes.
  ///
  /// - Throws: ``SecretStoreError/missingLibrary(_:)``.
  public func digest(_ bytes: ArraySlice<UInt8>) throws(SecretStoreError) -> [UInt8] {
    let crypto = try library()
    var succeeded = false
    let digest = unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      succeeded = unsafe bytes.withUnsafeBytes { bytes in
        unsafe crypto.digest(
          bytes.baseAddress, bytes.count, buffer.baseAddress!, nil, crypto.sha256, nil) == 1
      }
      count = 32
    }
    guard succeeded else { throw Self.failure(of: "EVP_Digest") }
    return digest
  }

  /// Derives a key by HKDF with SHA-256.
  ///
  /// - Throws: ``SecretStoreError/missingLibrary(_:)``.
  public func deriveKey(
    from key: Secret, salt: ArraySlice<UInt8>, purpose: String
  ) throws(SecretStoreError) -> Secret {
    let crypto = try library()
    var purpose = purpose
    return unsafe try Secret(count: 32) { output throws(SecretStoreError) in
      let succeeded = unsafe key.withUnsafeBytes { key in
        unsafe salt.withUnsafeBytes { salt in
          purpose.withUTF8 { info in
            unsafe crypto.hkdf.derive(
              key, salt: salt, info: UnsafeRawBufferPointer(info), into: output)
          }
        }
      }
      guard succeeded else { throw Self.failure(of: "HKDF") }
    }
  }

  /// Derives a key from a passphrase by scrypt.
  ///
  /// - Throws: ``SecretStoreError/missingLibrary(_:)``, or ``SecretStoreError/unavailable(_:)`` when
  ///   there is not enough memory for the cost.
  public func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: ScryptCost
  ) throws(SecretStoreError) -> Secret {
    let crypto = try library()
    guard let memory = cost.memory else { throw Self.failure(of: "EVP_PBE_scrypt") }
    return unsafe try Secret(count: 32) { output throws(SecretStoreError) in
      let succeeded = unsafe passphrase.withUnsafeBytes { passphrase in
        unsafe salt.withUnsafeBytes { salt in
          // Some working memory comes on top of the formula's; twice is ample.
          unsafe crypto.scrypt(
            passphrase.assumingMemoryBound(to: CChar.self).baseAddress, passphrase.count,
            salt.assumingMemoryBound(to: UInt8.self).baseAddress, salt.count,
            1 << UInt64(cost.logarithmicCost), UInt64(cost.blockSize),
            UInt64(cost.parallelization), 2 * memory + 1 << 20, output.baseAddress!, output.count)
            == 1
        }
      }
      guard succeeded else { throw Self.failure(of: "EVP_PBE_scrypt") }
    }
  }

  /// Encrypts by AES-256-GCM.
  ///
  /// - Throws: ``SecretStoreError/missingLibrary(_:)``.
  public func seal(
    _ plaintext: Secret, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> [UInt8] {
    let crypto = try library()
    let count = plaintext.count
    try Self.checkCounts(count, context)
    var succeeded = false
    let sealed = unsafe [UInt8](unsafeUninitializedCapacity: count + Self.tagCount) { out, filled in
      succeeded = unsafe withContext(of: crypto) { cipher in
        unsafe plaintext.withUnsafeBytes { plaintext in
          var written: Int32 = 0
          // EVP_CTRL_AEAD_GET_TAG is 0x10.
          return unsafe start(crypto.encryptInit, cipher, crypto, key)
            && add(context, crypto.encryptUpdate, cipher)
            && crypto.encryptUpdate(
              cipher, out.baseAddress!, &written,
              plaintext.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(count)) == 1
            && crypto.encryptFinal(cipher, out.baseAddress! + count, &written) == 1
            && crypto.cipherContextControl(
              cipher, 0x10, Int32(Self.tagCount), out.baseAddress! + count) == 1
        }
      }
      filled = count + Self.tagCount
    }
    guard succeeded else { throw Self.failure(of: "EVP_EncryptUpdate") }
    return sealed
  }

  /// Decrypts what was sealed.
  ///
  /// - Throws: ``SecretStoreError/corrupted(_:)``, or ``SecretStoreError/missingLibrary(_:)``.
  public func open(
    _ sealed: ArraySlice<UInt8>, with key: Secret, authenticating context: [UInt8]
  ) throws(SecretStoreError) -> Secret {
    let crypto = try library()
    let count = sealed.count - Self.tagCount
    guard count >= 0 else { throw Self.unauthentic }
    try Self.checkCounts(count, context)
    return unsafe try Secret(count: count) { output throws(SecretStoreError) in
      let succeeded = unsafe withContext(of: crypto) { cipher in
        unsafe sealed.withUnsafeBytes { sealed in
          let bytes = unsafe sealed.assumingMemoryBound(to: UInt8.self).baseAddress!
          var written: Int32 = 0
          // EVP_CTRL_AEAD_SET_TAG is 0x11; it reads the tag through a mutable pointer.
          return unsafe start(crypto.decryptInit, cipher, crypto, key)
            && add(context, crypto.decryptUpdate, cipher)
            && crypto.decryptUpdate(cipher, output.baseAddress!, &written, bytes, Int32(count)) == 1
            && crypto.cipherContextControl(
              cipher, 0x11, Int32(Self.tagCount), UnsafeMutablePointer(mutating: bytes + count))
              == 1
            && crypto.decryptFinal(cipher, output.baseAddress! + count, &written) == 1
        }
      }
      // An empty message fails in no other way than by its tag, as any other does.
      guard succeeded else { throw Self.unauthentic }
    }
  }

  /// Refuses messages whose counts the library's functions cannot take.
  private static func checkCounts(_ count: Int, _ context: [UInt8]) throws(SecretStoreError) {
    if Int32(exactly: max(count, context.count)) == nil {
      throw .invalid("A message of 2 GiB or more cannot be sealed or opened")
    }
  }

  private typealias Start =
    @convention(c) (
      OpaquePointer?, OpaquePointer?, OpaquePointer?, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?
    ) -> Int32
  private typealias Update =
    @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>,
      UnsafePointer<UInt8>?, Int32
    ) -> Int32

  private func start(
    _ initialize: Start, _ context: OpaquePointer, _ crypto: LibCrypto, _ key: Secret
  ) -> Bool {
    // Giving the cipher again would reset more of the context than a new message needs, but a
    // context that was never used has none.
    unsafe key.withUnsafeBytes { key in
      unsafe initialize(
        context, crypto.aes256GCM, nil, key.assumingMemoryBound(to: UInt8.self).baseAddress,
        Self.nonce) == 1
    }
  }

  private func add(_ context: [UInt8], _ update: Update, _ cipher: OpaquePointer) -> Bool {
    if context.isEmpty { return true }
    var written: Int32 = 0
    return unsafe update(cipher, nil, &written, context, Int32(context.count)) == 1
  }

  /// Lends a context that nobody else uses meanwhile.
  private func withContext(of crypto: LibCrypto, _ body: (OpaquePointer) -> Bool) -> Bool {
    let (spare, age) = contexts.withLock { ($0.spare.popLast(), $0.age) }
    guard
      let context = unsafe spare.map({ unsafe OpaquePointer(bitPattern: $0)! })
        ?? crypto.cipherContextNew()
    else { return false }
    defer {
      let address = UInt(bitPattern: context)
      let isKept = contexts.withLock { contexts in
        // The key in it was to be forgotten meanwhile.
        guard contexts.age == age else { return false }
        contexts.spare.append(address)
        return true
      }
      if !isKept { unsafe crypto.cipherContextFree(context) }
    }
    return unsafe body(context)
  }
}
