package import Concurrency
package import StorageInternals

/// Argon2id (RFC 9106), implemented by libcrypto if possible, otherwise by libargon2.
package enum Argon2: Sendable {
  case libcrypto(Argon2id)
  case libargon2(LibArgon2)

  /// The cost of a key derivation.
  package struct Cost: Hashable, Sendable {
    package let passes: UInt32
    /// The memory, in KiB.
    package let memory: UInt32
    package let lanes: UInt32

    package init(passes: UInt32, memory: UInt32, lanes: UInt32) {
      self.passes = passes
      self.memory = memory
      self.lanes = lanes
    }
  }

  package static let shared = LazyValue { () throws(DynamicLibraryError) in try available() }

  private static func available() throws(DynamicLibraryError) -> Argon2 {
    do throws(DynamicLibraryError) {
      return .libcrypto(try Argon2id())
    } catch {
      return .libargon2(try LibArgon2())
    }
  }

  /// Returns the error message for a missing library.
  package static func advice(on error: DynamicLibraryError) -> String {
    "\(error) Alternatively, install OpenSSL 3.2 or later."
  }

  /// Derives a key of `count` bytes; nil if the library fails, for example for lack of memory.
  package func deriveKey<Key: SecretBytes>(
    from passphrase: Key, salt: ArraySlice<UInt8>, cost: Cost, count: Int
  ) -> Key? {
    var succeeded = false
    let key = unsafe Key(count: count) { output in
      succeeded = unsafe passphrase.withUnsafeBytes { passphrase in
        unsafe salt.withUnsafeBytes { salt in
          switch self {
          case .libcrypto(let function):
            unsafe function.derive(
              passphrase, salt, passes: cost.passes, memory: cost.memory, lanes: cost.lanes,
              into: output)
          case .libargon2(let library): unsafe library.derive(passphrase, salt, cost, output)
          }
        }
      }
    }
    return succeeded ? key : nil
  }
}

/// libargon2, the reference implementation of Argon2.
///
/// `@unchecked`: the function pointer is a constant.
@safe package struct LibArgon2: @unchecked Sendable {
  // int argon2id_hash_raw(const uint32_t t_cost, const uint32_t m_cost, const uint32_t parallelism,
  //   const void *pwd, const size_t pwdlen, const void *salt, const size_t saltlen, void *hash,
  //   const size_t hashlen);
  private let hash:
    @convention(c) (
      UInt32, UInt32, UInt32, UnsafeRawPointer?, Int, UnsafeRawPointer?, Int,
      UnsafeMutableRawPointer?, Int
    ) -> Int32

  /// Loads the library.
  package init() throws(DynamicLibraryError) {
    let library = try DynamicLibrary(
      anyOf: ["libargon2.so.1"],
      packages: [
        "Debian and Ubuntu": "libargon2-1", "Fedora": "libargon2", "Alpine": "argon2-libs",
        "Arch": "argon2",
      ])
    unsafe hash = try library.function("argon2id_hash_raw", as: type(of: hash))
  }

  /// Fills a buffer with the key; returns false if the library reports an error.
  func derive(
    _ passphrase: UnsafeRawBufferPointer, _ salt: UnsafeRawBufferPointer, _ cost: Argon2.Cost,
    _ output: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    // ARGON2_OK is 0.
    unsafe hash(
      cost.passes, cost.memory, cost.lanes, passphrase.baseAddress, passphrase.count,
      salt.baseAddress, salt.count, output.baseAddress, output.count) == 0
  }
}
