import Concurrency
import LibCrypto
import SecretStorage
import StorageInternals

/// Argon2id (RFC 9106), implemented by libcrypto if possible, otherwise by libargon2.
enum Argon2: Sendable {
  case libcrypto(Argon2id)
  case libargon2(LibArgon2)

  /// The cost of a key derivation.
  struct Cost: Hashable, Sendable {
    let passes: UInt32
    /// The memory, in KiB.
    let memory: UInt32
    let lanes: UInt32
  }

  /// A function that derives a key from a passphrase and a salt.
  typealias Derivation = (Secret, [UInt8], Cost) throws(MigrationError) -> Secret

  static let shared = LazyValue { () throws(Unavailable) in try available() }

  /// Selects the available library.
  init(_ library: LazyValue<Argon2, Unavailable> = shared) throws(MigrationError) {
    do {
      self = try library.get()
    } catch {
      throw .missingLibrary("\(error) Alternatively, install OpenSSL 3.2 or later.")
    }
  }

  private static func available() throws(Unavailable) -> Argon2 {
    do throws(Unavailable) {
      return .libcrypto(try Argon2id())
    } catch {
      return .libargon2(try LibArgon2())
    }
  }

  /// Derives a key of 16 bytes.
  func key(
    of passphrase: Secret, salt: [UInt8], cost: Cost
  ) throws(MigrationError) -> Secret {
    unsafe try Secret(count: 16) { output throws(MigrationError) in
      let succeeded = unsafe passphrase.withUnsafeBytes { passphrase in
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
      guard succeeded else {
        throw .unavailable(
          "Argon2id reported a failure. It needs \(cost.memory >> 10) MiB of free memory.")
      }
    }
  }
}

/// libargon2, the reference implementation of Argon2.
///
/// `@unchecked`: the function pointer is a constant.
@safe struct LibArgon2: @unchecked Sendable {
  // int argon2id_hash_raw(const uint32_t t_cost, const uint32_t m_cost, const uint32_t parallelism,
  //   const void *pwd, const size_t pwdlen, const void *salt, const size_t saltlen, void *hash,
  //   const size_t hashlen);
  private let hash:
    @convention(c) (
      UInt32, UInt32, UInt32, UnsafeRawPointer?, Int, UnsafeRawPointer?, Int,
      UnsafeMutableRawPointer?, Int
    ) -> Int32

  init() throws(Unavailable) {
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
