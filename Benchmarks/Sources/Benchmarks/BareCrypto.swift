import Glibc

/// AES-256-GCM of libcrypto, as in a C program that keeps its context and cipher.
final class BareCrypto: Sendable {
  private typealias Initialize =
    @convention(c) (
      OpaquePointer?, OpaquePointer?, OpaquePointer?, UnsafePointer<UInt8>?, UnsafePointer<UInt8>?
    ) -> Int32
  private typealias Update =
    @convention(c) (
      OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>?,
      UnsafePointer<UInt8>?, Int32
    ) -> Int32
  private typealias Final =
    @convention(c) (OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>?)
    -> Int32
  private typealias Control =
    @convention(c) (OpaquePointer?, Int32, Int32, UnsafeMutableRawPointer?) -> Int32

  // Used by one thread at a time: the measuring one.
  private nonisolated(unsafe) let context: OpaquePointer
  private nonisolated(unsafe) let cipher: OpaquePointer
  private let initialize: Initialize
  private let update: Update
  private let final: Final
  private let control: Control
  private let key = [UInt8](repeating: 7, count: 32)
  private let nonce = [UInt8](repeating: 0, count: 12)

  init() {
    guard let library = dlopen("libcrypto.so.3", RTLD_NOW) ?? dlopen("libcrypto.so.1.1", RTLD_NOW)
    else { fatalError("There is no libcrypto to compare with.") }
    let makeContext: @convention(c) () -> OpaquePointer = function("EVP_CIPHER_CTX_new", library)
    let makeCipher: @convention(c) () -> OpaquePointer = function("EVP_aes_256_gcm", library)
    context = makeContext()
    cipher = makeCipher()
    initialize = function("EVP_DecryptInit_ex", library)
    update = function("EVP_DecryptUpdate", library)
    final = function("EVP_DecryptFinal_ex", library)
    control = function("EVP_CIPHER_CTX_ctrl", library)
    _ = initialize(context, cipher, nil, key, nonce)
  }

  /// Decrypts the bytes under a newly set key; failing authentication is as much work.
  func open(_ sealed: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) {
    _ = initialize(context, nil, nil, key, nonce)
    finishOpening(sealed, into: &output)
  }

  /// Decrypts the bytes under the last key.
  func openUnderSameKey(_ sealed: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) {
    _ = initialize(context, nil, nil, nil, nonce)
    finishOpening(sealed, into: &output)
  }

  private func finishOpening(_ sealed: UnsafeBufferPointer<UInt8>, into output: inout [UInt8]) {
    var count: Int32 = 0
    let text = sealed.count - 16
    _ = update(context, &output, &count, sealed.baseAddress, Int32(text))
    _ = control(context, 0x11, 16, UnsafeMutableRawPointer(mutating: sealed.baseAddress! + text))
    _ = final(context, &output, &count)
  }
}

/// Returns a function that a library must have, as a C function of the inferred type.
func function<Function>(_ name: String, _ library: UnsafeMutableRawPointer) -> Function {
  guard let address = dlsym(library, name) else { fatalError("A library has no \(name).") }
  return unsafeBitCast(address, to: Function.self)
}
