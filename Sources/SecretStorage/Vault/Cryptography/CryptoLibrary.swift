import Concurrency
import StorageInternals

/// The functions of OpenSSL's libcrypto that Locket uses, loaded on first use.
///
/// `@unchecked`: any thread may use the objects of the pointers, which the library never changes.
@safe package final class CryptoLibrary: @unchecked Sendable {
  static let shared = LazyValue { () throws(Unavailable) in try CryptoLibrary() }

  typealias Context = OpaquePointer
  typealias Bytes = UnsafePointer<UInt8>
  typealias MutableBytes = UnsafeMutablePointer<UInt8>

  let name: String

  // EVP_CIPHER_CTX *EVP_CIPHER_CTX_new(void);
  let cipherContextNew: @convention(c) () -> Context?
  // void EVP_CIPHER_CTX_free(EVP_CIPHER_CTX *c);
  let cipherContextFree: @convention(c) (Context?) -> Void
  // int EVP_CIPHER_CTX_ctrl(EVP_CIPHER_CTX *ctx, int type, int arg, void *ptr);
  let cipherContextControl:
    @convention(c) (Context?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32
  // int EVP_CipherInit_ex(EVP_CIPHER_CTX *ctx, const EVP_CIPHER *type, ENGINE *impl,
  //   const unsigned char *key, const unsigned char *iv, int enc);
  let cipherInit:
    @convention(c) (Context?, OpaquePointer?, OpaquePointer?, Bytes?, Bytes?, Int32) -> Int32
  // int EVP_CipherUpdate(EVP_CIPHER_CTX *ctx, unsigned char *out, int *outl,
  //   const unsigned char *in, int inl);
  let cipherUpdate:
    @convention(c) (Context?, MutableBytes?, UnsafeMutablePointer<Int32>, Bytes?, Int32) -> Int32
  // int EVP_CipherFinal_ex(EVP_CIPHER_CTX *ctx, unsigned char *outm, int *outl);
  let cipherFinal: @convention(c) (Context?, MutableBytes?, UnsafeMutablePointer<Int32>) -> Int32
  // int EVP_Digest(const void *data, size_t count, unsigned char *md, unsigned int *size,
  //   const EVP_MD *type, ENGINE *impl);
  let digest:
    @convention(c) (
      UnsafeRawPointer?, Int, MutableBytes?, UnsafeMutablePointer<UInt32>?, OpaquePointer?,
      OpaquePointer?
    ) -> Int32
  // HMAC_CTX *HMAC_CTX_new(void);
  let macContextNew: @convention(c) () -> Context?
  // void HMAC_CTX_free(HMAC_CTX *ctx);
  let macContextFree: @convention(c) (Context?) -> Void
  // int HMAC_Init_ex(HMAC_CTX *ctx, const void *key, int len, const EVP_MD *md, ENGINE *impl);
  let macInit:
    @convention(c) (Context?, UnsafeRawPointer?, Int32, OpaquePointer?, OpaquePointer?) -> Int32
  // int HMAC_Update(HMAC_CTX *ctx, const unsigned char *data, size_t len);
  let macUpdate: @convention(c) (Context?, UnsafeRawPointer?, Int) -> Int32
  // int HMAC_Final(HMAC_CTX *ctx, unsigned char *md, unsigned int *len);
  let macFinal: @convention(c) (Context?, MutableBytes?, UnsafeMutablePointer<UInt32>?) -> Int32
  // int EVP_PBE_scrypt(const char *pass, size_t passlen, const unsigned char *salt, size_t saltlen,
  //   uint64_t N, uint64_t r, uint64_t p, uint64_t maxmem, unsigned char *key, size_t keylen);
  let scrypt:
    @convention(c) (
      UnsafeRawPointer?, Int, UnsafeRawPointer?, Int, UInt64, UInt64, UInt64, UInt64,
      MutableBytes?, Int
    ) -> Int32
  // int PKCS5_PBKDF2_HMAC(const char *pass, int passlen, const unsigned char *salt, int saltlen,
  //   int iter, const EVP_MD *digest, int keylen, unsigned char *out);
  let pbkdf2:
    @convention(c) (
      UnsafeRawPointer?, Int32, UnsafeRawPointer?, Int32, Int32, OpaquePointer?, Int32,
      MutableBytes?
    ) -> Int32

  /// The ciphers, of type `EVP_CIPHER *`.
  let aes256GCM, aes128CBC: OpaquePointer
  /// The digest algorithm, of type `EVP_MD *`.
  let sha256: OpaquePointer

  private init() throws(Unavailable) {
    let library = try DynamicLibrary(
      anyOf: ["libcrypto.so.3", "libcrypto.so.1.1"],
      packages: [
        "Debian and Ubuntu": "libssl3 or libssl3t64", "Fedora": "openssl-libs",
        "Alpine": "libcrypto3", "Arch": "openssl",
      ])
    // Threads that still use the library would crash if it freed its state when the process exits.
    // The option has no effect if other code in the process has already used the library.
    // int OPENSSL_init_crypto(uint64_t opts, const OPENSSL_INIT_SETTINGS *settings);
    typealias Initialize = @convention(c) (UInt64, OpaquePointer?) -> Int32
    let withoutExitHandler: UInt64 = 0x0008_0000  // OPENSSL_INIT_NO_ATEXIT
    _ = unsafe try library.function("OPENSSL_init_crypto", as: Initialize.self)(
      withoutExitHandler, nil)
    name = library.name
    unsafe cipherContextNew = try library.function("EVP_CIPHER_CTX_new")
    unsafe cipherContextFree = try library.function("EVP_CIPHER_CTX_free")
    unsafe cipherContextControl = try library.function("EVP_CIPHER_CTX_ctrl")
    unsafe cipherInit = try library.function("EVP_CipherInit_ex")
    unsafe cipherUpdate = try library.function("EVP_CipherUpdate")
    unsafe cipherFinal = try library.function("EVP_CipherFinal_ex")
    unsafe digest = try library.function("EVP_Digest")
    unsafe macContextNew = try library.function("HMAC_CTX_new")
    unsafe macContextFree = try library.function("HMAC_CTX_free")
    unsafe macInit = try library.function("HMAC_Init_ex")
    unsafe macUpdate = try library.function("HMAC_Update")
    unsafe macFinal = try library.function("HMAC_Final")
    unsafe scrypt = try library.function("EVP_PBE_scrypt")
    unsafe pbkdf2 = try library.function("PKCS5_PBKDF2_HMAC")
    unsafe aes256GCM = try Self.algorithm("AES-256-GCM", "CIPHER", "EVP_aes_256_gcm", of: library)
    unsafe aes128CBC = try Self.algorithm("AES-128-CBC", "CIPHER", "EVP_aes_128_cbc", of: library)
    unsafe sha256 = try Self.algorithm("SHA256", "MD", "EVP_sha256", of: library)
  }

  /// Returns the object for an algorithm, which is never freed, so that it is looked up only once.
  private static func algorithm(
    _ name: String, _ kind: String, _ getter: String, of library: DynamicLibrary
  ) throws(Unavailable) -> OpaquePointer {
    // Only version 3 of the library has this function:
    // EVP_CIPHER *EVP_CIPHER_fetch(OSSL_LIB_CTX *, const char *algorithm, const char *properties);
    typealias Fetch =
      @convention(c) (OpaquePointer?, UnsafePointer<CChar>, UnsafePointer<CChar>?) -> OpaquePointer?
    if let fetch = unsafe try? library.function("EVP_\(kind)_fetch", as: Fetch.self),
      let fetched = unsafe name.withCString({ unsafe fetch(nil, $0, nil) })
    {
      return unsafe fetched
    }
    // const EVP_CIPHER *EVP_aes_256_gcm(void);
    typealias Get = @convention(c) () -> OpaquePointer?
    guard let found = unsafe try library.function(getter, as: Get.self)() else {
      throw .missing(name, in: library)
    }
    return unsafe found
  }

  /// The library, loaded on first use; throws `missingLibrary`, or `forked` in a forked child.
  package static var loaded: CryptoLibrary {
    get throws(SecretStoreError) {
      try SecretStoreError.checkProcess()
      do {
        return try shared.get()
      } catch {
        throw .missingLibrary("\(error)")
      }
    }
  }

  private static let digestSize = 32

  /// Computes the SHA-256 digest of bytes (FIPS 180-4).
  package func digest(of bytes: ArraySlice<UInt8>) throws(SecretStoreError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Self.digestSize)
    let succeeded = unsafe bytes.withUnsafeBytes { bytes in
      unsafe self.digest(bytes.baseAddress, bytes.count, &digest, nil, sha256, nil) == 1
    }
    guard succeeded else { throw .failedCall("EVP_Digest") }
    return digest
  }

  /// Computes HMAC-SHA-256 (RFC 2104).
  package func authenticationCode(
    of message: ArraySlice<UInt8>, under key: Secret
  ) throws(SecretStoreError) -> Secret {
    try unsafe compute("HMAC_Final", Self.digestSize, key, message) { key, message, output in
      unsafe withMACContext { unsafe authenticate(message, under: key, into: output, $0) }
    }
  }

  /// Derives a 32-byte key with HKDF-SHA-256 (RFC 5869).
  package func hkdf(
    _ key: Secret, salt: ArraySlice<UInt8>, info: ArraySlice<UInt8>
  ) throws(SecretStoreError) -> Secret {
    // The library's functions for HKDF, and for HMAC in one call, look the algorithms up each time,
    // which takes most of their time. A missing salt is replaced with zeros, as the RFC requires.
    let salt = salt.isEmpty ? [UInt8](repeating: 0, count: Self.digestSize)[...] : salt
    return try unsafe compute("HMAC_Final", Self.digestSize, key, salt) { key, salt, output in
      unsafe withMACContext { context in
        // The output contains the extracted key until the expanded key replaces it.
        unsafe authenticate(key, under: salt, into: output, context)
          && (info + [1]).withUnsafeBytes { info in
            unsafe authenticate(info, under: UnsafeRawBufferPointer(output), into: output, context)
          }
      }
    }
  }

  /// Calls a closure with a new context, which is overwritten and freed afterwards.
  private func withMACContext(_ body: (Context) -> Bool) -> Bool {
    guard let context = unsafe macContextNew() else { return false }
    defer { unsafe macContextFree(context) }
    return unsafe body(context)
  }

  /// Computes HMAC-SHA-256, and returns whether that succeeded; the output may contain the key.
  private func authenticate(
    _ message: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer,
    into output: UnsafeMutableBufferPointer<UInt8>, _ context: Context
  ) -> Bool {
    guard let count = Int32(exactly: key.count) else { return false }
    // Without an address, the function would use the key of the context.
    let key = unsafe key.baseAddress ?? UnsafeRawPointer(output.baseAddress!)
    return unsafe macInit(context, key, count, sha256, nil) == 1
      && macUpdate(context, message.baseAddress, message.count) == 1
      && macFinal(context, output.baseAddress, nil) == 1
  }

  /// Derives a key of `count` bytes with PBKDF2-HMAC-SHA-256 (RFC 8018).
  package func pbkdf2(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, iterations: Int, count: Int
  ) throws(SecretStoreError) -> Secret {
    try unsafe compute("PKCS5_PBKDF2_HMAC", count, passphrase, salt) { passphrase, salt, output in
      unsafe pbkdf2(
        passphrase.baseAddress, Int32(passphrase.count), salt.baseAddress, Int32(salt.count),
        Int32(iterations), sha256, Int32(output.count), output.baseAddress) == 1
    }
  }

  /// Creates a secret of `count` bytes with a closure, which returns false if a function fails.
  func compute(
    _ function: String, _ count: Int, _ secret: Secret, _ bytes: ArraySlice<UInt8>,
    _ body: (
      UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeMutableBufferPointer<UInt8>
    ) -> Bool
  ) throws(SecretStoreError) -> Secret {
    try unsafe Secret(count: count) { output throws(SecretStoreError) in
      let succeeded = unsafe secret.withUnsafeBytes { secret in
        unsafe bytes.withUnsafeBytes { unsafe body(secret, $0, output) }
      }
      guard succeeded else { throw .failedCall(function) }
    }
  }
}

extension SecretStoreError {
  static func failedCall(_ function: String) -> SecretStoreError {
    .unavailable("The libcrypto function \(function) failed.")
  }
}
