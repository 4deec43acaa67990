import Concurrency
import LibCrypto

/// The cost parameters of Argon2id (RFC 9106), which libcrypto 3.2 or libargon2 provides.
///
/// The cost of a passphrase must be between ``minimum`` and 1 GiB of memory with 16 passes over it.
public struct Argon2idCost: Hashable, Sendable {
  /// The number of passes over the memory, the parameter t.
  public let passes: UInt32
  /// The memory in KiB, the parameter m.
  public let memory: UInt32
  /// The number of lanes that can be computed at the same time, the parameter p.
  public let lanes: UInt32

  /// Creates a cost; the memory is in KiB.
  public init(passes: UInt32, memory: UInt32, lanes: UInt32 = 1) {
    self.passes = passes
    self.memory = memory
    self.lanes = lanes
  }

  /// The minimum cost of a passphrase: 2 passes over 19 MiB, and 1 lane.
  ///
  /// OWASP's Password Storage Cheat Sheet recommends it. Other costs need at least 19 MiB, and
  /// memory × passes of at least 38 MiB.
  public static let minimum = Argon2idCost(passes: 2, memory: 19 << 10)

  /// Measures which cost makes unlocking take a given time on this machine.
  ///
  /// The measurement takes about twice the duration. It doubles the memory, starting at
  /// ``minimum``, and keeps 2 passes and 1 lane. For the default duration, the result is cached
  /// for the process.
  ///
  /// - Parameters:
  ///   - duration: The time that unlocking should take.
  ///   - cipher: The cipher that computes Argon2id.
  /// - Returns: The cost nearest to the duration, with at most 608 MiB of memory.
  /// - Throws: The cipher's error for ``minimum``, such as ``SecretStoreError/missingLibrary(_:)``;
  ///   or ``SecretStoreError/cancelled`` if the task is cancelled.
  public static func calibrated(
    to duration: Duration = .milliseconds(500), cipher: any SecretCipher = OpenSSLCipher()
  ) throws -> Argon2idCost {
    try measured(for: duration, cipher)
  }
}

extension Argon2idCost: MeasurableCost {
  private static let limits = (passes: UInt32(16), memory: UInt32(1 << 20), lanes: UInt32(16))

  /// Whether an affordable cost requires at least the work of ``minimum`` for each guess.
  var isSufficient: Bool {
    memory >= Self.minimum.memory && work >= Self.minimum.work
  }

  /// Whether the parameters are valid, and require at most 1 GiB of memory and 16 passes over it.
  var isAffordable: Bool {
    (1...Self.limits.passes).contains(passes) && (1...Self.limits.lanes).contains(lanes)
      && (8 * lanes...Self.limits.memory).contains(memory)
  }

  /// The memory in bytes, times the number of passes.
  var work: UInt64 { UInt64(memory) << 10 * UInt64(passes) }

  var doubled: Argon2idCost? {
    guard memory <= Self.limits.memory / 2 else { return nil }
    return Argon2idCost(passes: passes, memory: memory * 2, lanes: lanes)
  }

  func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Secret {
    try cipher.stretch(passphrase, salt: salt, cost: self)
  }

  /// Whether a library for Argon2id can be loaded.
  static var isAvailable: Bool {
    do {
      _ = try Argon2.shared.get()
      return true
    } catch {
      // Unlocking reports the error.
      return false
    }
  }
}

extension SecretCipher {
  /// Derives a 32-byte key with Argon2id of libcrypto, if it has it, or else of libargon2.
  ///
  /// - Throws: ``SecretStoreError/missingLibrary(_:)`` if both are missing, or
  ///   ``SecretStoreError/unavailable(_:)`` if there is not enough memory for the cost.
  public func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, cost: Argon2idCost
  ) throws(SecretStoreError) -> Secret {
    let library: Argon2
    do {
      library = try Argon2.shared.get()
    } catch {
      throw .missingLibrary(Argon2.advice(on: error))
    }
    let key = library.deriveKey(
      from: passphrase, salt: salt,
      cost: Argon2.Cost(passes: cost.passes, memory: cost.memory, lanes: cost.lanes), count: 32)
    guard let key else {
      throw .unavailable(
        "Argon2id reported a failure. It needs \(cost.memory >> 10) MiB of free memory.")
    }
    return key
  }
}
