package import StorageInternals

/// Argon2id (RFC 9106), which libcrypto has since version 3.2.
///
/// `@unchecked`: the algorithm's description and function pointers are constants of the library.
@safe package struct Argon2id: @unchecked Sendable {
  /// `OSSL_PARAM`, field by field; Swift lays out such a struct as C does.
  ///
  /// The library reads parameters through mutable pointers but does not write to them. Names are
  /// literals, which are never deallocated.
  @unsafe private struct Parameter {
    let key: UnsafePointer<UInt8>?
    let type: UInt32
    let data: UnsafeMutableRawPointer?
    let size: Int
    let returned = 0

    /// The end marker of a list of parameters.
    static var end: Parameter { unsafe Parameter(key: nil, type: 0, data: nil, size: 0) }

    /// Returns a 32-bit number, whose memory must stay valid until the key is derived.
    static func number(_ name: StaticString, _ value: UnsafePointer<UInt32>) -> Parameter {
      // OSSL_PARAM_UNSIGNED_INTEGER of <openssl/core.h>.
      unsafe Parameter(
        key: name.utf8Start, type: 2, data: UnsafeMutableRawPointer(mutating: value), size: 4)
    }

    /// Returns bytes, whose memory must stay valid until the key is derived.
    static func octets(_ name: StaticString, _ bytes: UnsafeRawBufferPointer) -> Parameter {
      // OSSL_PARAM_OCTET_STRING of <openssl/core.h>.
      unsafe Parameter(
        key: name.utf8Start, type: 5, data: UnsafeMutableRawPointer(mutating: bytes.baseAddress),
        size: bytes.count)
    }
  }

  private let algorithm: OpaquePointer
  // EVP_KDF_CTX *EVP_KDF_CTX_new(EVP_KDF *kdf);
  private let contextNew: @convention(c) (OpaquePointer) -> OpaquePointer?
  // void EVP_KDF_CTX_free(EVP_KDF_CTX *ctx);
  private let contextFree: @convention(c) (OpaquePointer?) -> Void
  // int EVP_KDF_derive(EVP_KDF_CTX *ctx, unsigned char *key, size_t keylen,
  //   const OSSL_PARAM params[]);
  private let derive:
    @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt8>?, Int, UnsafeRawPointer) -> Int32

  /// Loads libcrypto; throws if its version has no Argon2id.
  package init() throws(DynamicLibraryError) {
    let library = try CryptoLibrary.library()
    guard let found = unsafe try CryptoLibrary.fetch("ARGON2ID", "EVP_KDF_fetch", of: library)
    else { throw .symbolMissing("ARGON2ID", library: library.name) }
    unsafe algorithm = found
    unsafe contextNew = try library.function("EVP_KDF_CTX_new", as: type(of: contextNew))
    unsafe contextFree = try library.function("EVP_KDF_CTX_free", as: type(of: contextFree))
    unsafe derive = try library.function("EVP_KDF_derive", as: type(of: derive))
  }

  /// Fills a buffer with a key; returns false if the library fails.
  ///
  /// The memory is in KiB.
  package func derive(
    _ passphrase: UnsafeRawBufferPointer, _ salt: UnsafeRawBufferPointer, passes: UInt32,
    memory: UInt32, lanes: UInt32, into output: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    let context = unsafe contextNew(algorithm)
    defer { unsafe contextFree(context) }
    let numbers = [passes, memory, lanes]
    return unsafe numbers.withUnsafeBufferPointer { numbers in
      let start = numbers.baseAddress!
      return unsafe [
        .octets("pass", passphrase), .octets("salt", salt), .number("iter", start),
        .number("memcost", start + 1), .number("lanes", start + 2), Parameter.end,
      ].withUnsafeBytes {
        unsafe derive(context, output.baseAddress, output.count, $0.baseAddress!) == 1
      }
    }
  }
}
