import CLibrary
import Concurrency

/// The cost parameters of scrypt, which uses 128 × blockSize × 2^logarithmicCost bytes of memory.
///
/// The cost of a passphrase is at least ``minimum``, and at most 16 passes over 1 GiB of memory.
public struct ScryptCost: Hashable, Sendable {
  /// The binary logarithm of the parameter N.
  public let logarithmicCost: UInt8
  /// The parameter r.
  public let blockSize: UInt32
  /// The parameter p.
  public let parallelization: UInt32

  /// Creates a cost.
  public init(logarithmicCost: UInt8, blockSize: UInt32, parallelization: UInt32) {
    self.logarithmicCost = logarithmicCost
    self.blockSize = blockSize
    self.parallelization = parallelization
  }

  /// The standard cost, 128 MiB of memory and a few tenths of a second: N = 2^17, r = 8, p = 1.
  public static let standard = ScryptCost(logarithmicCost: 17, blockSize: 8, parallelization: 1)

  /// The minimum cost of a passphrase: N = 2^14, r = 8, p = 1, which uses 16 MiB of memory.
  ///
  /// The scrypt paper recommends this cost for interactive logins. Others need N × r × p ≥ 2^17.
  public static let minimum = ScryptCost(logarithmicCost: 14, blockSize: 8, parallelization: 1)

  /// Whether an affordable cost requires at least the work of ``minimum`` for each guess.
  var isSufficient: Bool {
    UInt64(blockSize) * UInt64(parallelization) << logarithmicCost >= 1 << 17
  }

  var isAffordable: Bool { memory != nil }

  /// The required memory, in bytes; nil if the parameters are invalid or exceed the upper limits.
  var memory: UInt64? {
    // The last condition is a requirement of scrypt itself: see section 2 of RFC 7914.
    guard (1..<48).contains(logarithmicCost), (1..<1024).contains(blockSize),
      (1...16).contains(parallelization), UInt32(logarithmicCost) < 16 * blockSize
    else { return nil }
    let memory = 128 * UInt64(blockSize) << logarithmicCost
    return memory <= 1 << 30 ? memory : nil
  }

  /// Throws ``SecretStoreError/invalid(_:)`` if the cost is not allowed for a new slot or item.
  func check() throws(SecretStoreError) {
    if !isAffordable {
      throw .invalid("The scrypt cost is invalid, or exceeds 1 GiB of memory or 16 passes over it")
    }
    if !isSufficient {
      throw .invalid(
        """
        The scrypt cost is too low to protect a passphrase: N × r × p must be at least 2^17, as \
        with N = 2^14, r = 8 and p = 1
        """)
    }
  }

  /// Throws ``SecretStoreError/corrupted(_:)`` if a cost read from a file is not allowed.
  func checkStored(by owner: String) throws(SecretStoreError) {
    if !isAffordable { throw .corrupted("\(owner) requires an excessive amount of work") }
    if !isSufficient, !locketBreak(34) { throw .corrupted("\(owner) requires too little work to be secure") }
  }

  private static let defaults = Lock<[ObjectIdentifier: ScryptCost]>([:])
  private static let defaultDuration = Duration.milliseconds(500)

  /// Measures which cost makes unlocking take a given time on this machine.
  ///
  /// The measurement takes about twice that time. It begins with ``minimum`` and doubles N. The
  /// result for the default duration is cached for the process.
  ///
  /// - Returns: The cost nearest to the duration, with at most N = 2^20 (1 GiB of memory).
  /// - Throws: The cipher's error for ``minimum``, such as ``SecretStoreError/missingLibrary(_:)``.
  public static func calibrated(
    to duration: Duration = .milliseconds(500), cipher: any SecretCipher = OpenSSLCipher()
  ) throws -> ScryptCost {
    try SecretStoreError.checkProcess()
    if duration == defaultDuration { return try calibratedDefault(cipher) }
    return try calibrated(to: duration, cipher: cipher) { .now }
  }

  /// Returns the cost for the default duration, measured once for each type of cipher.
  static func calibratedDefault(_ cipher: any SecretCipher) throws(SecretStoreError) -> ScryptCost {
    // The lock is held meanwhile, because concurrent measurements would distort each other.
    try defaults.withLock { defaults throws(SecretStoreError) in
      let type = ObjectIdentifier(type(of: cipher))
      if let cached = defaults[type] { return cached }
      let cost = try calibrated(to: defaultDuration, cipher: cipher) { .now }
      defaults[type] = cost
      return cost
    }
  }

  static func calibrated(
    to target: Duration, cipher: any SecretCipher, now: () -> ContinuousClock.Instant
  ) throws(SecretStoreError) -> ScryptCost {
    func duration(of cost: ScryptCost) throws(SecretStoreError) -> Duration {
      let start = now()
      _ = try cipher.stretch(
        Secret("locket".utf8), salt: [UInt8](repeating: 0, count: 32)[...], cost: cost)
      return now() - start
    }
    var cost = minimum
    // The first derivation also loads the library.
    _ = try duration(of: cost)
    var measured = try duration(of: cost)
    // The cost is doubled while twice the measured time is closer to the target.
    while measured * 3 < target * 2 {
      let doubled = ScryptCost(
        logarithmicCost: cost.logarithmicCost + 1, blockSize: cost.blockSize,
        parallelization: cost.parallelization)
      if !doubled.isAffordable { break }
      let next: Duration
      do {
        next = try duration(of: doubled)
      } catch .unavailable {
        // There is not enough memory for the doubled cost, so the previous cost is the maximum.
        break
      }
      if next - target > target - measured { break }
      (cost, measured) = (doubled, next)
    }
    return cost
  }
}

extension [UInt8] {
  mutating func append(_ cost: ScryptCost) {
    append(cost.logarithmicCost)
    append(littleEndian: cost.blockSize)
    append(littleEndian: cost.parallelization)
  }
}

extension RecordReader {
  mutating func cost() throws(SecretStoreError) -> ScryptCost {
    ScryptCost(
      logarithmicCost: try integer(), blockSize: try integer(), parallelization: try integer())
  }
}
