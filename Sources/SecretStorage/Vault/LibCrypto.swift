package import StorageInternals

/// OpenSSL's libcrypto, as far as the vault uses it, opened when it is first needed.
///
/// Version 3 is preferred; of version 1.1 the same functions are used, but for HKDF.
///
/// `@unchecked`: function pointers and descriptions of algorithms are constants of the library, which
/// may be used from several threads.
@safe package struct LibCrypto: @unchecked Sendable {
  package static let shared = LazyValue { () throws(LibraryError) in try LibCrypto() }

  package typealias Context = OpaquePointer
  package typealias Bytes = UnsafePointer<UInt8>
  package typealias MutableBytes = UnsafeMutablePointer<UInt8>

  /// The file name under which the library was found.
  let name: String

  // EVP_CIPHER_CTX *EVP_CIPHER_CTX_new(void);
  package let cipherContextNew: @convention(c) () -> Context?
  // void EVP_CIPHER_CTX_free(EVP_CIPHER_CTX *c);
  package let cipherContextFree: @convention(c) (Context?) -> Void
  // int EVP_CIPHER_CTX_ctrl(EVP_CIPHER_CTX *ctx, int type, int arg, void *ptr);
  package let cipherContextControl:
    @convention(c) (Context?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32
  // int EVP_EncryptInit_ex(EVP_CIPHER_CTX *ctx, const EVP_CIPHER *type, ENGINE *impl,
  //   const unsigned char *key, const unsigned char *iv);
  let encryptInit:
    @convention(c) (Context?, OpaquePointer?, OpaquePointer?, Bytes?, Bytes?) -> Int32
  // int EVP_EncryptUpdate(EVP_CIPHER_CTX *ctx, unsigned char *out, int *outl,
  //   const unsigned char *in, int inl);
  let encryptUpdate:
    @convention(c) (Context?, MutableBytes?, UnsafeMutablePointer<Int32>, Bytes?, Int32) -> Int32
  // int EVP_EncryptFinal_ex(EVP_CIPHER_CTX *ctx, unsigned char *out, int *outl);
  let encryptFinal: @convention(c) (Context?, MutableBytes?, UnsafeMutablePointer<Int32>) -> Int32
  // The three of decryption have the prototypes of those of encryption.
  package let decryptInit:
    @convention(c) (Context?, OpaquePointer?, OpaquePointer?, Bytes?, Bytes?) -> Int32
  package let decryptUpdate:
    @convention(c) (Context?, MutableBytes?, UnsafeMutablePointer<Int32>, Bytes?, Int32) -> Int32
  package let decryptFinal:
    @convention(c) (Context?, MutableBytes?, UnsafeMutablePointer<Int32>) -> Int32
  // int EVP_Digest(const void *data, size_t count, unsigned char *md, unsigned int *size,
  //   const EVP_MD *type, ENGINE *impl);
  let digest:
    @convention(c) (
      UnsafeRawPointer?, Int, MutableBytes, UnsafeMutablePointer<UInt32>?, OpaquePointer?,
      OpaquePointer?
    ) -> Int32
  // int EVP_PBE_scrypt(const char *pass, size_t passlen, const unsigned char *salt,
  //   size_t saltlen, uint64_t N, uint64_t r, uint64_t p, uint64_t maxmem, unsigned char *key,
  //   size_t keylen);
  let scrypt:
    @convention(c) (
      UnsafePointer<CChar>?, Int, Bytes?, Int, UInt64, UInt64, UInt64, UInt64, MutableBytes, Int
    ) -> Int32

  /// `EVP_CIPHER *` of AES-256-GCM.
  package let aes256GCM: OpaquePointer
  /// `EVP_MD *` of SHA-256.
  package let sha256: OpaquePointer
  let hkdf: HKDF

  private init() throws(LibraryError) {
    let library = try Self.library()
    func function<Function>(_ name: String) throws(LibraryError) -> Function {
      try library.function(name, as: Function.self)
    }
    name = library.name
    unsafe cipherContextNew = try function("EVP_CIPHER_CTX_new")
    unsafe cipherContextFree = try function("EVP_CIPHER_CTX_free")
    unsafe cipherContextControl = try function("EVP_CIPHER_CTX_ctrl")
    unsafe encryptInit = try function("EVP_EncryptInit_ex")
    unsafe encryptUpdate = try function("EVP_EncryptUpdate")
    unsafe encryptFinal = try function("EVP_EncryptFinal_ex")
    unsafe decryptInit = try function("EVP_DecryptInit_ex")
    unsafe decryptUpdate = try function("EVP_DecryptUpdate")
    unsafe decryptFinal = try function("EVP_DecryptFinal_ex")
    unsafe digest = try function("EVP_Digest")
    unsafe scrypt = try function("EVP_PBE_scrypt")
    // What version 3 fetches once is cheaper at each use than what it looks up each time.
    unsafe aes256GCM = try Self.algorithm("AES-256-GCM", "CIPHER", "EVP_aes_256_gcm", of: library)
    unsafe sha256 = try Self.algorithm("SHA256", "MD", "EVP_sha256", of: library)
    hkdf = unsafe try HKDF(library, sha256: sha256)
    useOnce()
  }

  /// Has the library look up all that it looks up at a first use.
  ///
  /// A child that is forked while another thread does so would wait for the library's locks for
  /// ever.
  private func useOnce() {
    let zeros = [UInt8](repeating: 0, count: 32)
    var output = zeros
    // Whatever comes of it, it is not needed. The buffers outlive the calls.
    unsafe output.withUnsafeMutableBufferPointer { output in
      unsafe zeros.withUnsafeBytes { zeros in
        _ = unsafe hkdf.derive(zeros, salt: zeros, info: zeros, into: output)
      }
      _ = unsafe scrypt(nil, 0, nil, 0, 2, 1, 1, 0, output.baseAddress!, output.count)
    }
  }

  /// Opens the library, of which a process has one.
  package static func library() throws(LibraryError) -> Library {
    try Library(
      anyOf: ["libcrypto.so.3", "libcrypto.so.1.1"],
      packages: [
        "Debian and Ubuntu": "libssl3 or libssl3t64", "Fedora": "openssl-libs",
        "Alpine": "libcrypto3", "Arch": "openssl",
      ])
  }

  /// An algorithm's description, which lives as long as the library.
  package static func algorithm(
    _ name: String, _ kind: String, _ getter: String, of library: Library
  ) throws(LibraryError) -> OpaquePointer {
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
      throw .symbolMissing(name, library: library.name)
    }
    return unsafe found
  }
}
