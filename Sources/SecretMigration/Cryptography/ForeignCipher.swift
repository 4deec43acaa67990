import SecretStorage
import StorageInternals

/// The primitives of foreign formats, computed by libcrypto; of the ciphers, only the opening half.
struct ForeignCipher: Sendable {
  private static let tagCount = 16

  private let crypto: LibCrypto
  private let algorithms: ForeignAlgorithms

  init() throws(MigrationError) {
    do throws(LibraryError) {
      crypto = try LibCrypto.shared.get()
      algorithms = try ForeignAlgorithms.shared.get()
    } catch {
      throw .missingLibrary("\(error)")
    }
  }

  private static func failure(of function: String) -> MigrationError {
    .unavailable("libcrypto's \(function) reported a failure.")
  }

  /// PBKDF2 with HMAC-SHA-256 (RFC 8018).
  func key(
    of passphrase: Secret, salt: ArraySlice<UInt8>, iterations: Int, count: Int
  ) throws(MigrationError) -> Secret {
    unsafe try Secret(count: count) { output throws(MigrationError) in
      let succeeded = unsafe passphrase.withUnsafeBytes { passphrase in
        unsafe salt.withUnsafeBytes { salt in
          unsafe algorithms.pbkdf2(
            passphrase.assumingMemoryBound(to: CChar.self).baseAddress, Int32(passphrase.count),
            salt.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(salt.count),
            Int32(iterations), crypto.sha256, Int32(count), output.baseAddress) == 1
        }
      }
      guard succeeded else { throw Self.failure(of: "PKCS5_PBKDF2_HMAC") }
    }
  }

  /// HMAC-SHA-256 (RFC 2104), as a secret so that it is compared in constant time.
  func code(
    of bytes: some Collection<UInt8>, under key: Secret
  ) throws(MigrationError) -> Secret {
    let message = Secret(bytes)
    return unsafe try Secret(count: 32) { output throws(MigrationError) in
      let succeeded = unsafe key.withUnsafeBytes { key in
        unsafe message.withUnsafeBytes { message in
          unsafe algorithms.hmac(
            crypto.sha256, key.baseAddress, Int32(key.count),
            message.assumingMemoryBound(to: UInt8.self).baseAddress, message.count,
            output.baseAddress, nil) != nil
        }
      }
      guard succeeded else { throw Self.failure(of: "HMAC") }
    }
  }

  /// Opens AES-GCM with a key of 128 or 256 bits; nil when it is not authentic.
  func open(
    _ ciphertext: ArraySlice<UInt8>, tag: ArraySlice<UInt8>, nonce: ArraySlice<UInt8>, key: Secret,
    authenticating context: [UInt8] = []
  ) throws(MigrationError) -> Secret? {
    var tag = Array(tag)
    let nonce = Array(nonce)
    guard tag.count == Self.tagCount, !nonce.isEmpty else { return nil }
    let cipher = unsafe key.count == 32 ? crypto.aes256GCM : algorithms.aes128GCM
    let count = ciphertext.count
    var isAuthentic = false
    let opened = unsafe try Secret(count: count) { output throws(MigrationError) in
      let failure = unsafe withContext { session -> MigrationError? in
        var written: Int32 = 0
        // EVP_CTRL_AEAD_SET_IVLEN and EVP_CTRL_AEAD_SET_TAG of <openssl/evp.h>.
        guard
          unsafe crypto.decryptInit(session, cipher, nil, nil, nil) == 1
            && crypto.cipherContextControl(session, 0x9, Int32(nonce.count), nil) == 1
            && key.withUnsafeBytes({ key in
              unsafe crypto.decryptInit(
                session, nil, nil, key.assumingMemoryBound(to: UInt8.self).baseAddress, nonce) == 1
            })
            && (context.isEmpty
              || crypto.decryptUpdate(session, nil, &written, context, Int32(context.count)) == 1)
            && ciphertext.withUnsafeBytes({ bytes in
              unsafe bytes.isEmpty
                || crypto.decryptUpdate(
                  session, output.baseAddress, &written,
                  bytes.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(count)) == 1
            })
            && crypto.cipherContextControl(session, 0x11, Int32(tag.count), &tag) == 1
        else { return Self.failure(of: "EVP_DecryptUpdate") }
        // It writes nothing: GCM is a stream.
        isAuthentic = unsafe crypto.decryptFinal(session, output.baseAddress, &written) == 1
        return nil
      }
      if let failure { throw failure }
    }
    return isAuthentic ? opened : nil
  }

  /// Decrypts AES-128-CBC with the padding of PKCS #7; nil when the padding is wrong.
  func decrypt(
    _ ciphertext: ArraySlice<UInt8>, initialization: ArraySlice<UInt8>, key: Secret
  ) throws(MigrationError) -> Secret? {
    let initialization = Array(initialization)
    guard initialization.count == 16, key.count == 16 else { return nil }
    var total = 0
    var isPadded = false
    // The library may write a block beyond the ciphertext's length.
    let decrypted = unsafe try Secret(count: ciphertext.count + 16) {
      output throws(MigrationError) in
      let failure = unsafe withContext { session -> MigrationError? in
        var written: Int32 = 0
        guard
          unsafe key.withUnsafeBytes({ key in
            unsafe crypto.decryptInit(
              session, algorithms.aes128CBC, nil,
              key.assumingMemoryBound(to: UInt8.self).baseAddress, initialization) == 1
          })
            && ciphertext.withUnsafeBytes({ bytes in
              unsafe crypto.decryptUpdate(
                session, output.baseAddress, &written,
                bytes.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(bytes.count)) == 1
            })
        else { return Self.failure(of: "EVP_DecryptUpdate") }
        total = Int(written)
        isPadded = unsafe crypto.decryptFinal(session, output.baseAddress! + total, &written) == 1
        total += Int(written)
        return nil
      }
      if let failure { throw failure }
    }
    guard isPadded else { return nil }
    // The bytes are copied inside of the closure.
    return unsafe decrypted.withUnsafeBytes { unsafe Secret($0.prefix(total)) }
  }

  private func withContext(
    _ body: (OpaquePointer) -> MigrationError?
  ) -> MigrationError? {
    guard let context = unsafe crypto.cipherContextNew() else {
      return Self.failure(of: "EVP_CIPHER_CTX_new")
    }
    defer { unsafe crypto.cipherContextFree(context) }
    return unsafe body(context)
  }
}
