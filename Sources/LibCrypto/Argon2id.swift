package import StorageInternals

/// Argon2id (RFC 9106), which libcrypto provides since version 3.2.
///
/// `@unchecked`: the library never changes the objects and functions that the pointers refer to.
@safe package struct Argon2id: @unchecked Sendable {
  /// A struct with the fields and the memory layout of the C type `OSSL_PARAM`.
  ///
  /// The library does not write through `data`, although the pointer is mutable. Names are string
  /// literals, which are never deallocated.
  @unsafe private struct Parameter {
    let key: UnsafePointer<UInt8>?
    let type: UInt32
    let data: UnsafeMutableRawPointer?
    let size: Int
    let returned = 0

    /// The terminator of a parameter array.
    static var end: Parameter { unsafe Parameter(key: nil, type: 0, data: nil, size: 0) }

    /// Creates a parameter for a 32-bit integer; the pointer must be valid during the derivation.
    static func integer(_ name: StaticString, _ value: UnsafePointer<UInt32>) -> Parameter {
      // The type is OSSL_PARAM_UNSIGNED_INTEGER in <openssl/core.h>.
      unsafe Parameter(
        key: name.utf8Start, type: 2, data: UnsafeMutableRawPointer(mutating: value), size: 4)
    }

    /// Creates a parameter for bytes; the buffer must be valid during the derivation.
    static func octets(_ name: StaticString, _ bytes: UnsafeRawBufferPointer) -> Parameter {
      // The type is OSSL_PARAM_OCTET_STRING in <openssl/core.h>.
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

  /// Loads libcrypto; throws if its version does not provide Argon2id.
  package init() throws(Unavailable) {
    let library = try CryptoLibrary.library()
    guard let found = unsafe try CryptoLibrary.fetch("ARGON2ID", "EVP_KDF_fetch", of: library)
    else { throw .missing("ARGON2ID", in: library) }
    unsafe algorithm = found
    unsafe contextNew = try library.function("EVP_KDF_CTX_new", as: type(of: contextNew))
    unsafe contextFree = try library.function("EVP_KDF_CTX_free", as: type(of: contextFree))
    unsafe derive = try library.function("EVP_KDF_derive", as: type(of: derive))
  }

  /// Derives a key that fills a buffer, with `memory` KiB; returns false if the library fails.
  package func derive(
    _ passphrase: UnsafeRawBufferPointer, _ salt: UnsafeRawBufferPointer, passes: UInt32,
    memory: UInt32, lanes: UInt32, into output: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    let context = unsafe contextNew(algorithm)
    defer { unsafe contextFree(context) }
    let integers = [passes, memory, lanes]
    return unsafe integers.withUnsafeBufferPointer { integers in
      let start = integers.baseAddress!
      return unsafe [
        .octets("pass", passphrase), .octets("salt", salt), .integer("iter", start),
        .integer("memcost", start + 1), .integer("lanes", start + 2), Parameter.end,
      ].withUnsafeBytes {
        unsafe derive(context, output.baseAddress, output.count, $0.baseAddress!) == 1
      }
    }
  }
}
