import Concurrency
import LibCrypto
import SecretStorage
import StorageInternals

/// The session in which secrets travel between this process and the daemon.
///
/// The encrypted form keeps secrets out of logs of the bus. It authenticates neither side.
struct TransportSession {
  static let encryptedAlgorithm = "dh-ietf1024-sha256-aes128-cbc-pkcs7"

  /// The session's object on the bus.
  let path: String
  /// The AES-128 key; nil if secrets are sent as they are.
  let key: Secret?

  private static let cipher = AESCipher()

  /// Returns the parameters and the value of D-Bus's structure for a secret.
  func encrypt(_ secret: Secret) throws(BusFailure) -> (parameters: [UInt8], value: [UInt8])? {
    guard let key else { return nil }
    do {
      let vector = try KernelRandom.bytes(16)
      let library = try CryptoLibrary.shared.get()
      return (
        vector,
        try Self.cipher.encryptCBC(secret, initializationVector: vector, under: key, by: library)
      )
    } catch {
      throw .malformed("a secret that libcrypto cannot encrypt (\(error))")
    }
  }

  /// Reverses `encrypt`.
  func decrypt(
    _ value: UnsafeRawBufferPointer, parameters: [UInt8]
  ) throws(BusFailure) -> Secret {
    guard let key else { return unsafe Secret(value) }
    guard parameters.count == 16 else { throw .malformed("a secret without its parameters") }
    do {
      let library = try CryptoLibrary.shared.get()
      let decrypted = try unsafe Self.cipher.decryptCBC(
        Array(value)[...], initializationVector: parameters, under: key, by: library)
      guard let decrypted else { throw BusFailure.malformed("a secret with wrong padding") }
      return unsafe decrypted.bytes.withUnsafeBytes { unsafe Secret($0.prefix(decrypted.count)) }
    } catch let failure as BusFailure {
      throw failure
    } catch {
      throw .malformed("a secret that libcrypto cannot decrypt (\(error))")
    }
  }
}

/// The key agreement of an encrypted session.
struct SessionKeyAgreement {
  private let exponent: Secret
  /// The number that the daemon gets, of 128 bytes.
  let publicKey: [UInt8]

  /// - Throws: An error if libcrypto is missing or fails.
  init() throws {
    exponent = try unsafe Secret(count: 128) { try unsafe KernelRandom.fill($0) }
    let power = try ModularExponentiation.shared.get()
      .power(of: [2], to: exponent, modulo: Self.prime)
    publicKey = unsafe power.withUnsafeBytes { unsafe Array($0) }
  }

  /// Returns the session's key.
  ///
  /// The shared number is padded to the size of the prime, as other implementations do.
  func key(with other: [UInt8]) throws -> Secret {
    // Some daemons omit leading zeros, and others send one more.
    let number = Array(other.drop { $0 == 0 })
    guard (1...Self.prime.count).contains(number.count) else {
      throw BusFailure.malformed("a public key of \(other.count) bytes")
    }
    let shared = try ModularExponentiation.shared.get()
      .power(of: number, to: exponent, modulo: Self.prime)
    // A shorter output of HKDF is the beginning of a longer one.
    let derived = try CryptoLibrary.shared.get()
      .hkdf(shared, salt: Array(repeating: 0, count: 32)[...], info: [])
    return unsafe derived.withUnsafeBytes { unsafe Secret($0.prefix(16)) }
  }

  /// The prime of the Second Oakley Group, RFC 2409 section 6.2.
  private static let prime: [UInt8] = {
    let text = """
      FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD\
      EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED\
      EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE65381FFFFFFFFFFFFFFFF
      """
    let digits = text.utf8.map { UInt8($0 > 57 ? $0 - 55 : $0 - 48) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }()
}
