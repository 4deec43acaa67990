import StorageInternals

/// The Argon2id of OpenSSL's libcrypto, which has it from version 3.2 on.
///
/// `@unchecked`: the algorithm's description and function pointers are constants of the library.
@safe struct LibCryptoArgon2: @unchecked Sendable {
  /// `OSSL_PARAM`, field by field; Swift lays out such a struct as C does.
  @safe private struct Parameter {
    var key: UnsafePointer<UInt8>?
    var type: UInt32 = 0
    var data: UnsafeMutableRawPointer?
    var size = 0
    var returned = 0
  }
  // OSSL_PARAM_UNSIGNED_INTEGER and OSSL_PARAM_OCTET_STRING of <openssl/core.h>.
  private static let number: UInt32 = 2
  private static let octets: UInt32 = 5

  private let algorithm: OpaquePointer
  // EVP_KDF_CTX *EVP_KDF_CTX_new(EVP_KDF *kdf);
  private let contextNew: @convention(c) (OpaquePointer) -> OpaquePointer?
  // void EVP_KDF_CTX_free(EVP_KDF_CTX *ctx);
  private let contextFree: @convention(c) (OpaquePointer?) -> Void
  // int EVP_KDF_derive(EVP_KDF_CTX *ctx, unsigned char *key, size_t keylen,
  //   const OSSL_PARAM params[]);
  private let derive:
    @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt8>?, Int, UnsafeRawPointer) -> Int32

  init() throws(LibraryError) {
    let library = try Library(anyOf: ["libcrypto.so.3"], packages: [:])
    // EVP_KDF *EVP_KDF_fetch(OSSL_LIB_CTX *libctx, const char *algorithm, const char *properties);
    typealias Fetch =
      @convention(c) (OpaquePointer?, UnsafePointer<CChar>, UnsafePointer<CChar>?) -> OpaquePointer?
    let fetch = unsafe try library.function("EVP_KDF_fetch", as: Fetch.self)
    guard let algorithm = unsafe "ARGON2ID".withCString({ unsafe fetch(nil, $0, nil) }) else {
      throw .symbolMissing("ARGON2ID", library: library.name)
    }
    unsafe self.algorithm = algorithm
    unsafe contextNew = try library.function("EVP_KDF_CTX_new", as: type(of: contextNew))
    unsafe contextFree = try library.function("EVP_KDF_CTX_free", as: type(of: contextFree))
    unsafe derive = try library.function("EVP_KDF_derive", as: type(of: derive))
  }

  /// Fills a buffer; false when the library refused.
  func derive(
    _ passphrase: UnsafeRawBufferPointer, _ salt: UnsafeRawBufferPointer, _ cost: Argon2.Cost,
    _ output: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    // The library reads the parameters through mutable pointers but does not write to them; the
    // names are literals, which live for ever.
    func octets(_ name: StaticString, _ bytes: UnsafeRawBufferPointer) -> Parameter {
      unsafe Parameter(
        key: name.utf8Start, type: Self.octets,
        data: UnsafeMutableRawPointer(mutating: bytes.baseAddress), size: bytes.count)
    }
    var numbers = [cost.passes, cost.memory, cost.lanes]
    let size = MemoryLayout<UInt32>.size
    return unsafe numbers.withUnsafeMutableBytes { numbers in
      func number(_ name: StaticString, _ index: Int) -> Parameter {
        unsafe Parameter(
          key: name.utf8Start, type: Self.number, data: numbers.baseAddress! + index * size,
          size: size)
      }
      let parameters = [
        unsafe octets("pass", passphrase), unsafe octets("salt", salt),
        number("iter", 0), number("memcost", 1), number("lanes", 2), Parameter(),
      ]
      let context = unsafe contextNew(algorithm)
      defer { unsafe contextFree(context) }
      return unsafe parameters.withUnsafeBytes {
        unsafe derive(context, output.baseAddress, output.count, $0.baseAddress!) == 1
      }
    }
  }
}
