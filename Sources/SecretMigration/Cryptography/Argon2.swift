import SecretStorage
import StorageInternals

/// Argon2id (RFC 9106), computed by a libcrypto that has it or by libargon2, whichever is there.
enum Argon2: Sendable {
  case libcrypto(KeyDerivation)
  case libargon2(LibArgon2)

  /// What deriving a key costs.
  struct Cost: Hashable, Sendable {
    let passes: UInt32
    /// In KiB.
    let memory: UInt32
    let lanes: UInt32
  }

  /// Gives the key of a passphrase and a salt.
  typealias Derivation = (Secret, [UInt8], Cost) throws(MigrationError) -> Secret

  static let shared = LazyValue { () throws(LibraryError) in try found() }

  /// Takes what was found; throws what is missing.
  init(_ found: LazyValue<Argon2, LibraryError> = shared) throws(MigrationError) {
    do {
      self = try found.get()
    } catch {
      throw .missingLibrary("\(error) OpenSSL's libcrypto from version 3.2 on does it as well.")
    }
  }

  private static func found() throws(LibraryError) -> Argon2 {
    do throws(LibraryError) {
      return try libcrypto()
    } catch {
      return .libargon2(try LibArgon2())
    }
  }

  /// OpenSSL's, which has it from version 3.2 on.
  static func libcrypto() throws(LibraryError) -> Argon2 {
    .libcrypto(try KeyDerivation("ARGON2ID", of: try LibCrypto.library()))
  }

  /// Derives a key of 16 bytes.
  func key(
    of passphrase: Secret, salt: [UInt8], cost: Cost
  ) throws(MigrationError) -> Secret {
    unsafe try Secret(count: 16) { output throws(MigrationError) in
      let succeeded = unsafe passphrase.withUnsafeBytes { passphrase in
        unsafe salt.withUnsafeBytes { salt in
          switch self {
          case .libcrypto(let function): unsafe cost.derive(function, passphrase, salt, output)
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

extension Argon2.Cost {
  fileprivate func derive(
    _ function: KeyDerivation, _ passphrase: UnsafeRawBufferPointer,
    _ salt: UnsafeRawBufferPointer, _ output: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    unsafe withUnsafeBytes(of: passes) { passes in
      unsafe withUnsafeBytes(of: memory) { memory in
        unsafe withUnsafeBytes(of: lanes) { lanes in
          unsafe function.derive(
            [
              .octets("pass", passphrase), .octets("salt", salt), .number("iter", passes),
              .number("memcost", memory), .number("lanes", lanes),
            ], into: output)
        }
      }
    }
  }
}
