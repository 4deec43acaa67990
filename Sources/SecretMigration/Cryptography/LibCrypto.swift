import SecretStorage
import StorageInternals

/// OpenSSL's libcrypto, as far as foreign formats need it, opened when it is first needed.
///
/// `@unchecked`: function pointers and descriptions of algorithms are constants of the library, which
/// may be used from several threads.
@safe struct LibCrypto: @unchecked Sendable {
  static let shared = Result { () throws(LibraryError) in try LibCrypto() }

  typealias Bytes = UnsafePointer<UInt8>
  typealias MutableBytes = UnsafeMutablePointer<UInt8>
  // const EVP_CIPHER *EVP_aes_256_gcm(void); and its like.
  private typealias Getter = @convention(c) () -> OpaquePointer?

  // EVP_CIPHER_CTX *EVP_CIPHER_CTX_new(void);
  let contextNew: @convention(c) () -> OpaquePointer?
  // void EVP_CIPHER_CTX_free(EVP_CIPHER_CTX *c);
  let contextFree: @convention(c) (OpaquePointer?) -> Void
  // int EVP_CIPHER_CTX_ctrl(EVP_CIPHER_CTX *ctx, int type, int arg, void *ptr);
  let contextControl:
    @convention(c) (OpaquePointer?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32
  // int EVP_DecryptInit_ex(EVP_CIPHER_CTX *ctx, const EVP_CIPHER *type, ENGINE *impl,
  //   const unsigned char *key, const unsigned char *iv);
  let decryptInit:
    @convention(c) (OpaquePointer?, OpaquePointer?, OpaquePointer?, Bytes?, Bytes?) -> Int32
  // int EVP_DecryptUpdate(EVP_CIPHER_CTX *ctx, unsigned char *out, int *outl,
  //   const unsigned char *in, int inl);
  let decryptUpdate:
    @convention(c) (OpaquePointer?, MutableBytes?, UnsafeMutablePointer<Int32>, Bytes?, Int32)
      -> Int32
  // int EVP_DecryptFinal_ex(EVP_CIPHER_CTX *ctx, unsigned char *outm, int *outl);
  let decryptFinal:
    @convention(c) (OpaquePointer?, MutableBytes?, UnsafeMutablePointer<Int32>) -> Int32
  // int PKCS5_PBKDF2_HMAC(const char *pass, int passlen, const unsigned char *salt, int saltlen,
  //   int iter, const EVP_MD *digest, int keylen, unsigned char *out);
  let pbkdf2:
    @convention(c) (
      UnsafePointer<CChar>?, Int32, Bytes?, Int32, Int32, OpaquePointer?, Int32, MutableBytes?
    ) -> Int32
  // unsigned char *HMAC(const EVP_MD *evp_md, const void *key, int key_len,
  //   const unsigned char *data, size_t data_len, unsigned char *md, unsigned int *md_len);
  let hmac:
    @convention(c) (
      OpaquePointer?, UnsafeRawPointer?, Int32, Bytes?, Int, MutableBytes?,
      UnsafeMutablePointer<UInt32>?
    ) -> MutableBytes?

  /// `EVP_CIPHER *` of AES-128-GCM, AES-256-GCM and AES-128-CBC, and `EVP_MD *` of SHA-256.
  let aes128GCM: OpaquePointer
  let aes256GCM: OpaquePointer
  let aes128CBC: OpaquePointer
  let sha256: OpaquePointer

  private init() throws(LibraryError) {
    let library = try Library(
      anyOf: ["libcrypto.so.3", "libcrypto.so.1.1"],
      packages: [
        "Debian and Ubuntu": "libssl3 or libssl3t64", "Fedora": "openssl-libs",
        "Alpine": "libcrypto3", "Arch": "openssl",
      ])
    func function<Function>(_ name: String) throws(LibraryError) -> Function {
      try library.function(name, as: Function.self)
    }
    func algorithm(_ name: String) throws(LibraryError) -> OpaquePointer {
      guard let found = unsafe try library.function(name, as: Getter.self)() else {
        throw .symbolMissing(name, library: library.name)
      }
      return unsafe found
    }
    unsafe contextNew = try function("EVP_CIPHER_CTX_new")
    unsafe contextFree = try function("EVP_CIPHER_CTX_free")
    unsafe contextControl = try function("EVP_CIPHER_CTX_ctrl")
    unsafe decryptInit = try function("EVP_DecryptInit_ex")
    unsafe decryptUpdate = try function("EVP_DecryptUpdate")
    unsafe decryptFinal = try function("EVP_DecryptFinal_ex")
    unsafe pbkdf2 = try function("PKCS5_PBKDF2_HMAC")
    unsafe hmac = try function("HMAC")
    unsafe aes128GCM = try algorithm("EVP_aes_128_gcm")
    unsafe aes256GCM = try algorithm("EVP_aes_256_gcm")
    unsafe aes128CBC = try algorithm("EVP_aes_128_cbc")
    unsafe sha256 = try algorithm("EVP_sha256")
  }
}
