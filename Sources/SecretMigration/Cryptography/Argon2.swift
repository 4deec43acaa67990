import Concurrency
import LibCrypto
import SecretStorage
import StorageInternals

extension Argon2 {
  /// A function that derives a key from a passphrase and a salt.
  typealias Derivation = (Secret, [UInt8], Cost) throws(MigrationError) -> Secret

  /// Selects the available library.
  init(_ library: LazyValue<Argon2, DynamicLibraryError> = shared) throws(MigrationError) {
    do {
      self = try library.get()
    } catch {
      throw .missingLibrary(Self.advice(on: error))
    }
  }

  /// Derives a key of 16 bytes.
  func key(
    of passphrase: Secret, salt: [UInt8], cost: Cost
  ) throws(MigrationError) -> Secret {
    guard let key = deriveKey(from: passphrase, salt: salt[...], cost: cost, count: 16) else {
      throw .libraryFailed(
        "Argon2id reported a failure. It needs \(cost.memory >> 10) MiB of free memory.")
    }
    return key
  }
}
