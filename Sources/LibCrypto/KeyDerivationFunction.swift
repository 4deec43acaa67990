package import StorageInternals

/// A key derivation function of libcrypto, whose version 3 introduced the interface.
///
/// `@unchecked`: the library never changes the objects and functions that the pointers refer to.
@safe struct KeyDerivationFunction: @unchecked Sendable {
  /// A struct with the fields and the memory layout of the C type `OSSL_PARAM`.
  ///
  /// The library does not write through `data`, although the pointer is mutable. Names are string
  /// literals, which are never deallocated.
  @unsafe struct Parameter {
    private let key: UnsafePointer<UInt8>?
    private let type: UInt32
    private let data: UnsafeMutableRawPointer?
    private let size: Int
    private let returned = 0

    /// The terminator of a parameter array.
    fileprivate static var end: Parameter {
      unsafe Parameter(key: nil, type: 0, data: nil, size: 0)
    }

    /// Creates a parameter for a 32-bit integer; the pointer must be valid during the derivation.
    static func integer(_ name: StaticString, _ value: UnsafePointer<UInt32>) -> Parameter {
      // The type is OSSL_PARAM_UNSIGNED_INTEGER in <openssl/core.h>.
      unsafe Parameter(
        key: name.utf8Start, type: 2, data: UnsafeMutableRawPointer(mutating: value), size: 4)
    }

    /// Creates a parameter for the name of an algorithm.
    static func string(_ name: StaticString, _ value: StaticString) -> Parameter {
      // The type is OSSL_PARAM_UTF8_STRING.
      unsafe Parameter(
        key: name.utf8Start, type: 4, data: UnsafeMutableRawPointer(mutating: value.utf8Start),
        size: value.utf8CodeUnitCount)
    }

    /// Creates a parameter for bytes; the buffer must be valid during the derivation.
    static func octets(_ name: StaticString, _ bytes: UnsafeRawBufferPointer) -> Parameter {
      // The type is OSSL_PARAM_OCTET_STRING.
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

  /// Fetches a function by its name; throws if the library does not provide it.
  init(_ name: String, of library: DynamicLibrary) throws(DynamicLibraryError) {
    guard let found = unsafe try CryptoLibrary.fetch(name, "EVP_KDF_fetch", of: library)
    else { throw .symbolMissing(name, library: library.name) }
    unsafe algorithm = found
    unsafe contextNew = try library.function("EVP_KDF_CTX_new", as: type(of: contextNew))
    unsafe contextFree = try library.function("EVP_KDF_CTX_free", as: type(of: contextFree))
    unsafe derive = try library.function("EVP_KDF_derive", as: type(of: derive))
  }

  /// Derives a key that fills a buffer; returns false if the library fails.
  func derive(
    _ parameters: [Parameter], into output: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    let context = unsafe contextNew(algorithm)
    defer { unsafe contextFree(context) }
    return unsafe (parameters + [.end]).withUnsafeBytes {
      unsafe derive(context, output.baseAddress, output.count, $0.baseAddress!) == 1
    }
  }
}

/// Argon2id (RFC 9106), which libcrypto provides since version 3.2.
package struct Argon2id: Sendable {
  private let function: KeyDerivationFunction

  /// Loads libcrypto; throws if its version does not provide Argon2id.
  package init() throws(DynamicLibraryError) {
    function = try KeyDerivationFunction("ARGON2ID", of: CryptoLibrary.library())
  }

  /// Derives a key that fills a buffer, with `memory` KiB; returns false if the library fails.
  package func derive(
    _ passphrase: UnsafeRawBufferPointer, _ salt: UnsafeRawBufferPointer, passes: UInt32,
    memory: UInt32, lanes: UInt32, into output: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    let integers = [passes, memory, lanes]
    return unsafe integers.withUnsafeBufferPointer { integers in
      let start = integers.baseAddress!
      return unsafe function.derive(
        [
          .octets("pass", passphrase), .octets("salt", salt), .integer("iter", start),
          .integer("memcost", start + 1), .integer("lanes", start + 2),
        ], into: output)
    }
  }
}
