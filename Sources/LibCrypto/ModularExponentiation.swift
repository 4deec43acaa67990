package import Concurrency
package import StorageInternals

/// Modular exponentiation by libcrypto, for a Diffie–Hellman key agreement.
///
/// `@unchecked`: the function pointers are constants, and each call has its own numbers.
@safe package struct ModularExponentiation: @unchecked Sendable {
  package static let shared = LazyValue { () throws(DynamicLibraryError) in
    try ModularExponentiation()
  }

  /// `BIGNUM *`.
  private typealias Number = OpaquePointer

  // BIGNUM *BN_new(void);
  private let new: @convention(c) () -> Number?
  // BIGNUM *BN_bin2bn(const unsigned char *s, int len, BIGNUM *ret);
  private let read: @convention(c) (UnsafeRawPointer?, Int32, Number?) -> Number?
  // int BN_bn2binpad(const BIGNUM *a, unsigned char *to, int tolen);
  private let write: @convention(c) (Number, UnsafeMutableRawPointer?, Int32) -> Int32
  // void BN_clear_free(BIGNUM *a);
  private let release: @convention(c) (Number?) -> Void
  // BN_CTX *BN_CTX_new(void);
  private let newContext: @convention(c) () -> OpaquePointer?
  // void BN_CTX_free(BN_CTX *c);
  private let releaseContext: @convention(c) (OpaquePointer?) -> Void
  // int BN_mod_exp_mont_consttime(BIGNUM *rr, const BIGNUM *a, const BIGNUM *p, const BIGNUM *m,
  //   BN_CTX *ctx, BN_MONT_CTX *in_mont);
  private let power:
    @convention(c) (Number, Number, Number, Number, OpaquePointer?, OpaquePointer?) -> Int32

  private init() throws(DynamicLibraryError) {
    // Loads the library without its exit handler.
    _ = try CryptoLibrary.shared.get()
    let library = try CryptoLibrary.library()
    unsafe new = try library.function("BN_new", as: type(of: new))
    unsafe read = try library.function("BN_bin2bn", as: type(of: read))
    unsafe write = try library.function("BN_bn2binpad", as: type(of: write))
    unsafe release = try library.function("BN_clear_free", as: type(of: release))
    unsafe newContext = try library.function("BN_CTX_new", as: type(of: newContext))
    unsafe releaseContext = try library.function("BN_CTX_free", as: type(of: releaseContext))
    unsafe power = try library.function("BN_mod_exp_mont_consttime", as: type(of: power))
  }

  /// Computes `base` to the power of `exponent`, modulo an odd number of at most 1 KiB.
  ///
  /// All numbers are big-endian. The result has as many bytes as the modulus.
  package func power<Key: SecretBytes>(
    of base: [UInt8], to exponent: Key, modulo modulus: [UInt8]
  ) throws(CryptoFailure) -> Key {
    try unsafe Key(count: modulus.count) { output throws(CryptoFailure) in
      let numbers = unsafe [
        base.withUnsafeBytes { unsafe read($0.baseAddress, Int32($0.count), nil) },
        exponent.withUnsafeBytes { unsafe read($0.baseAddress, Int32($0.count), nil) },
        modulus.withUnsafeBytes { unsafe read($0.baseAddress, Int32($0.count), nil) }, new(),
      ]
      let context = unsafe newContext()
      defer {
        unsafe numbers.forEach { unsafe release($0) }
        unsafe releaseContext(context)
      }
      guard let base = unsafe numbers[0], let exponent = unsafe numbers[1],
        let modulus = unsafe numbers[2], let result = unsafe numbers[3],
        unsafe power(result, base, exponent, modulus, context, nil) == 1,
        unsafe write(result, output.baseAddress, Int32(output.count)) == Int32(output.count)
      else { throw CryptoFailure(function: "BN_mod_exp_mont_consttime") }
    }
  }
}
