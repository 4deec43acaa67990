package import StorageInternals

/// A key derivation function of OpenSSL 3, which has one interface for all of them.
///
/// `@unchecked`: the algorithm's description and function pointers are constants of the library.
@safe package struct KeyDerivation: @unchecked Sendable {
  /// `OSSL_PARAM`, field by field; Swift lays out such a struct as C does.
  ///
  /// The library reads parameters through mutable pointers but does not write to them; names are literals,
  /// which live for ever.
  @safe package struct Parameter {
    private let key: UnsafePointer<UInt8>?
    private let type: UInt32
    private let data: UnsafeMutableRawPointer?
    private let size: Int
    private let returned = 0

    /// Marks the end of parameters.
    fileprivate init() {
      unsafe (key, type, data, size) = (nil, 0, nil, 0)
    }

    // OSSL_PARAM_UNSIGNED_INTEGER, OSSL_PARAM_UTF8_STRING and OSSL_PARAM_OCTET_STRING of
    // <openssl/core.h>.
    private init(_ name: StaticString, _ type: UInt32, _ data: UnsafeRawBufferPointer) {
      unsafe key = name.utf8Start
      self.type = type
      unsafe self.data = UnsafeMutableRawPointer(mutating: data.baseAddress)
      size = data.count
    }

    /// A number of 32 bits, which must stay where it is until the key is derived.
    package static func number(_ name: StaticString, _ value: UnsafeRawBufferPointer) -> Parameter {
      unsafe Parameter(name, 2, value)
    }

    static func text(_ name: StaticString, _ value: StaticString) -> Parameter {
      unsafe Parameter(
        name, 4, UnsafeRawBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
    }

    /// Bytes that must stay where they are until the key is derived.
    package static func octets(_ name: StaticString, _ bytes: UnsafeRawBufferPointer) -> Parameter {
      unsafe Parameter(name, 5, bytes)
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

  /// Looks a function up, such as `HKDF`.
  ///
  /// - Throws: ``LibraryError/symbolMissing(_:library:)`` when the library does not have it.
  package init(_ name: String, of library: Library) throws(LibraryError) {
    // EVP_KDF *EVP_KDF_fetch(OSSL_LIB_CTX *libctx, const char *algorithm, const char *properties);
    typealias Fetch =
      @convention(c) (OpaquePointer?, UnsafePointer<CChar>, UnsafePointer<CChar>?) -> OpaquePointer?
    let fetch = unsafe try library.function("EVP_KDF_fetch", as: Fetch.self)
    guard let algorithm = unsafe name.withCString({ unsafe fetch(nil, $0, nil) }) else {
      throw .symbolMissing(name, library: library.name)
    }
    unsafe self.algorithm = algorithm
    unsafe contextNew = try library.function("EVP_KDF_CTX_new", as: type(of: contextNew))
    unsafe contextFree = try library.function("EVP_KDF_CTX_free", as: type(of: contextFree))
    unsafe derive = try library.function("EVP_KDF_derive", as: type(of: derive))
  }

  /// Fills a buffer; false when the library refused.
  package func derive(
    _ parameters: [Parameter], into output: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    let context = unsafe contextNew(algorithm)
    defer { unsafe contextFree(context) }
    return unsafe (parameters + [Parameter()]).withUnsafeBytes {
      unsafe derive(context, output.baseAddress, output.count, $0.baseAddress!) == 1
    }
  }
}
