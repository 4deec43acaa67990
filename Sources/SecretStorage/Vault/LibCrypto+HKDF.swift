import StorageInternals

extension LibCrypto {
  /// HKDF with SHA-256, which version 3 offers as a key derivation function and 1.1 as a key.
  @safe enum HKDF: Sendable {
    case function(KeyDerivation)
    case key(KeyAgreement)

    init(_ library: Library, sha256: OpaquePointer) throws(LibraryError) {
      if unsafe library.symbol("EVP_KDF_fetch") != nil {
        self = .function(try KeyDerivation("HKDF", of: library))
      } else {
        self = .key(unsafe try KeyAgreement(library, sha256: sha256))
      }
    }

    /// Fills a buffer of 32 bytes; false when the library refused.
    func derive(
      _ key: UnsafeRawBufferPointer, salt: UnsafeRawBufferPointer, info: UnsafeRawBufferPointer,
      into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
      switch self {
      case .function(let function):
        unsafe function.derive(
          [
            .text("digest", "SHA256"), .octets("key", key), .octets("salt", salt),
            .octets("info", info),
          ], into: output)
      case .key(let agreement): unsafe agreement.derive(key, salt, info, output)
      }
    }
  }

  /// The interface of OpenSSL 1.1, which version 3 still has.
  ///
  /// `@unchecked`: the digest's description is a constant of the library.
  @safe struct KeyAgreement: @unchecked Sendable {
    private let sha256: OpaquePointer
    // EVP_PKEY_CTX *EVP_PKEY_CTX_new_id(int id, ENGINE *e);
    private let contextNew: @convention(c) (Int32, OpaquePointer?) -> OpaquePointer?
    // void EVP_PKEY_CTX_free(EVP_PKEY_CTX *ctx);
    private let contextFree: @convention(c) (OpaquePointer?) -> Void
    // int EVP_PKEY_derive_init(EVP_PKEY_CTX *ctx);
    private let start: @convention(c) (OpaquePointer?) -> Int32
    // int EVP_PKEY_CTX_ctrl(EVP_PKEY_CTX *ctx, int keytype, int optype, int cmd, int p1, void *p2);
    private let control:
      @convention(c) (OpaquePointer?, Int32, Int32, Int32, Int32, UnsafeMutableRawPointer?) -> Int32
    // int EVP_PKEY_derive(EVP_PKEY_CTX *ctx, unsigned char *key, size_t *keylen);
    private let finish:
      @convention(c) (OpaquePointer?, MutableBytes?, UnsafeMutablePointer<Int>) -> Int32

    init(_ library: Library, sha256: OpaquePointer) throws(LibraryError) {
      unsafe self.sha256 = sha256
      unsafe contextNew = try library.function("EVP_PKEY_CTX_new_id", as: type(of: contextNew))
      unsafe contextFree = try library.function("EVP_PKEY_CTX_free", as: type(of: contextFree))
      unsafe start = try library.function("EVP_PKEY_derive_init", as: type(of: start))
      unsafe control = try library.function("EVP_PKEY_CTX_ctrl", as: type(of: control))
      unsafe finish = try library.function("EVP_PKEY_derive", as: type(of: finish))
    }

    fileprivate func derive(
      _ key: UnsafeRawBufferPointer, _ salt: UnsafeRawBufferPointer, _ info: UnsafeRawBufferPointer,
      _ output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
      // NID_hkdf, and EVP_PKEY_CTRL_HKDF_MD, _SALT, _KEY and _INFO of <openssl/kdf.h>.
      let context = unsafe contextNew(1036, nil)
      defer { unsafe contextFree(context) }
      guard unsafe start(context) == 1,
        unsafe control(context, -1, -1, 0x1003, 0, UnsafeMutableRawPointer(sha256)) == 1
      else { return false }
      for unsafe(command, bytes) in unsafe [(0x1004, salt), (0x1005, key), (0x1006, info)] {
        let data = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
        guard unsafe control(context, -1, -1, Int32(command), Int32(bytes.count), data) == 1 else {
          return false
        }
      }
      var length = output.count
      return unsafe finish(context, output.baseAddress, &length) == 1
    }
  }
}
