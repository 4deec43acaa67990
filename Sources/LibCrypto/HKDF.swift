import StorageInternals

/// HKDF-SHA-256 (RFC 5869), computed with functions that both supported versions of libcrypto have.
///
/// `@unchecked`: the library never changes the objects and functions that the pointers refer to.
@safe struct HKDF: @unchecked Sendable {
  private let sha256: OpaquePointer
  // EVP_PKEY_CTX *EVP_PKEY_CTX_new_id(int id, ENGINE *e);
  private let contextNew: @convention(c) (Int32, OpaquePointer?) -> OpaquePointer?
  // void EVP_PKEY_CTX_free(EVP_PKEY_CTX *ctx);
  private let contextFree: @convention(c) (OpaquePointer?) -> Void
  // int EVP_PKEY_derive_init(EVP_PKEY_CTX *ctx);
  private let begin: @convention(c) (OpaquePointer?) -> Int32
  // int EVP_PKEY_CTX_ctrl(EVP_PKEY_CTX *ctx, int keytype, int optype, int cmd, int p1, void *p2);
  private let control:
    @convention(c) (OpaquePointer?, Int32, Int32, Int32, Int32, UnsafeMutableRawPointer?) -> Int32
  // int EVP_PKEY_derive(EVP_PKEY_CTX *ctx, unsigned char *key, size_t *keylen);
  private let derive:
    @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>) ->
      Int32

  init(_ library: DynamicLibrary, sha256: OpaquePointer) throws(Unavailable) {
    unsafe self.sha256 = sha256
    unsafe contextNew = try library.function("EVP_PKEY_CTX_new_id", as: type(of: contextNew))
    unsafe contextFree = try library.function("EVP_PKEY_CTX_free", as: type(of: contextFree))
    unsafe begin = try library.function("EVP_PKEY_derive_init", as: type(of: begin))
    unsafe control = try library.function("EVP_PKEY_CTX_ctrl", as: type(of: control))
    unsafe derive = try library.function("EVP_PKEY_derive", as: type(of: derive))
  }

  /// Derives a key that fills a buffer; returns false if the library fails.
  func derive(
    _ key: UnsafeRawBufferPointer, salt: UnsafeRawBufferPointer, info: UnsafeRawBufferPointer,
    into output: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    // The constants are NID_hkdf, and EVP_PKEY_CTRL_HKDF_MD, _SALT, _KEY and _INFO in
    // <openssl/kdf.h>.
    let context = unsafe contextNew(1036, nil)
    defer { unsafe contextFree(context) }
    guard unsafe begin(context) == 1,
      unsafe control(context, -1, -1, 0x1003, 0, UnsafeMutableRawPointer(sha256)) == 1
    else { return false }
    for unsafe(command, bytes) in unsafe [(Int32(0x1004), salt), (0x1005, key), (0x1006, info)] {
      // The library copies the bytes and does not modify them. It rejects a null pointer.
      var placeholder: UInt8 = 0
      let isSet = unsafe withUnsafeMutableBytes(of: &placeholder) { placeholder in
        guard let count = Int32(exactly: bytes.count) else { return false }
        let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
        return unsafe control(
          context, -1, -1, command, count, start ?? placeholder.baseAddress) == 1
      }
      if !isSet { return false }
    }
    var count = output.count
    return unsafe derive(context, output.baseAddress, &count) == 1
  }
}
