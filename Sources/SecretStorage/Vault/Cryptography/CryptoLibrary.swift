import Concurrency
import StorageInternals

/// The functions of OpenSSL's libcrypto that Locket uses, loaded on first use.
///
/// `@unchecked`: any thread may use what the pointers refer to, and the library never changes it.
@safe package struct CryptoLibrary: @unchecked Sendable {
  static let shared = LazyValue { () throws(Unavailable) in try CryptoLibrary() }

  typealias Context = OpaquePointer
  typealias Bytes = UnsafePointer<UInt8>
  typealias MutableBytes = UnsafeMutablePointer<UInt8>

  /// The file name of the loaded library.
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
  // unsigned char *HMAC(const EVP_MD *evp_md, const void *key, int key_len,
  //   const unsigned char *data, size_t data_len, unsigned char *md, unsigned int *md_len);
  let hmac:
    @convention(c) (
      OpaquePointer?, UnsafeRawPointer?, Int32, UnsafeRawPointer?, Int, MutableBytes?,
      UnsafeMutablePointer<UInt32>?
    ) -> MutableBytes?
  // int EVP_PBE_scrypt(const char *pass, size_t passlen, const unsigned char *salt,
  //   size_t saltlen, uint64_t N, uint64_t r, uint64_t p, uint64_t maxmem, unsigned char *key,
  //   size_t keylen);
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

  /// `EVP_CIPHER *`.
  let aes256GCM, aes128CBC: OpaquePointer
  /// `EVP_MD *`.
  let sha256: OpaquePointer

  private init() throws(Unavailable) {
    let library = try DynamicLibrary(
      anyOf: ["libcrypto.so.3", "libcrypto.so.1.1"],
      packages: [
        "Debian and Ubuntu": "libssl3 or libssl3t64", "Fedora": "openssl-libs",
        "Alpine": "libcrypto3", "Arch": "openssl",
      ])
    // Threads that still use the library would crash if it freed its state when the process exits.
    // This has no effect if other code in the process has already used the library.
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
    unsafe hmac = try library.function("HMAC")
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
    // Only version 3 has this function:
    // EVP_CIPHER *EVP_CIPHER_fetch(OSSL_LIB_CTX *, const char *algorithm, const char *properties);
    typealias Fetch =
      @convention(c) (OpaquePointer?, UnsafePointer<CChar>, UnsafePointer<CChar>?) -> OpaquePointer?
    if unsafe library.symbol("EVP_\(kind)_fetch") != nil {
      let fetch = unsafe try library.function("EVP_\(kind)_fetch", as: Fetch.self)
      if let fetched = unsafe name.withCString({ unsafe fetch(nil, $0, nil) }) {
        return unsafe fetched
      }
    }
    // const EVP_CIPHER *EVP_aes_256_gcm(void);
    typealias Get = @convention(c) () -> OpaquePointer?
    guard let found = unsafe try library.function(getter, as: Get.self)() else {
      throw .missing(name, in: library)
    }
    return unsafe found
  }
}

extension CryptoLibrary {
  /// The library; throws `missingLibrary`, or `forked` in a forked child.
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
}

extension SecretStoreError {
  static func failedCall(_ function: String) -> SecretStoreError {
    .unavailable("The libcrypto function \(function) failed.")
  }
}
