import SecretStorage
import StorageInternals

/// What foreign formats need of libcrypto and the vault does not.
///
/// `@unchecked`: function pointers and descriptions of algorithms are constants of the library, which
/// may be used from several threads.
@safe struct ForeignAlgorithms: @unchecked Sendable {
  static let shared = LazyValue { () throws(LibraryError) in try ForeignAlgorithms() }

  // int PKCS5_PBKDF2_HMAC(const char *pass, int passlen, const unsigned char *salt, int saltlen,
  //   int iter, const EVP_MD *digest, int keylen, unsigned char *out);
  let pbkdf2:
    @convention(c) (
      UnsafePointer<CChar>?, Int32, LibCrypto.Bytes?, Int32, Int32, OpaquePointer?, Int32,
      LibCrypto.MutableBytes?
    ) -> Int32
  // unsigned char *HMAC(const EVP_MD *evp_md, const void *key, int key_len,
  //   const unsigned char *data, size_t data_len, unsigned char *md, unsigned int *md_len);
  let hmac:
    @convention(c) (
      OpaquePointer?, UnsafeRawPointer?, Int32, LibCrypto.Bytes?, Int, LibCrypto.MutableBytes?,
      UnsafeMutablePointer<UInt32>?
    ) -> LibCrypto.MutableBytes?

  /// `EVP_CIPHER *` of AES-128-GCM and AES-128-CBC.
  let aes128GCM: OpaquePointer
  let aes128CBC: OpaquePointer

  private init() throws(LibraryError) {
    let library = try LibCrypto.library()
    unsafe pbkdf2 = try library.function("PKCS5_PBKDF2_HMAC", as: type(of: pbkdf2))
    unsafe hmac = try library.function("HMAC", as: type(of: hmac))
    unsafe aes128GCM = try LibCrypto.algorithm(
      "AES-128-GCM", "CIPHER", "EVP_aes_128_gcm", of: library)
    unsafe aes128CBC = try LibCrypto.algorithm(
      "AES-128-CBC", "CIPHER", "EVP_aes_128_cbc", of: library)
  }
}
