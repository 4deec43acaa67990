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
  /// The scrypt paper recommends it for interactive logins. Other costs need N × r × p ≥ 2^17.
  public static let minimum = ScryptCost(logarithmicCost: 14, blockSize: 8, parallelization: 1)

  /// Whether the cost is affordable, and requires at least the work of ``minimum`` for each guess.
  var isAllowed: Bool {
    memory != nil && UInt64(blockSize) * UInt64(parallelization) << logarithmicCost >= 1 << 17
  }

  /// The required memory, in bytes; nil if the parameters are invalid, or require more than 1 GiB
  /// of memory or 16 passes over it.
  var memory: UInt64? {
    // The last condition is a requirement of scrypt itself: see section 2 of RFC 7914.
    guard (1..<48).contains(logarithmicCost), (1..<1024).contains(blockSize),
      (1...16).contains(parallelization), UInt32(logarithmicCost) < 16 * blockSize
    else { return nil }
    let memory = 128 * UInt64(blockSize) << logarithmicCost
    return memory <= 1 << 30 ? memory : nil
  }

  func check() throws(SecretStoreError) {
    if isAllowed { return }
    throw .invalid("The scrypt cost needs N × r × p ≥ 2^17, and at most 1 GiB and 16 passes")
  }

  /// Throws ``SecretStoreError/corrupted(_:)`` if a cost read from a file is not allowed.
  func checkStored(by owner: String) throws(SecretStoreError) {
    if !isAllowed { throw .corrupted("\(owner) requires too little or too much work") }
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
  mutating func cost() throws(MalformedRecord) -> ScryptCost {
    ScryptCost(
      logarithmicCost: try integer(), blockSize: try integer(), parallelization: try integer())
  }
}

extension ScryptCost {
  /// The measured costs for the default duration, by the type of the cipher.
  private static let defaults = Lock<[ObjectIdentifier: ScryptCost]>([:])
  private static let defaultDuration = Duration.milliseconds(500)

  /// Measures which cost makes unlocking take a given time on this machine.
  ///
  /// The measurement takes about twice that time. It doubles N from that of ``minimum``, with r = 8
  /// and p = 1. The result for the default duration is cached for the process.
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
    // The lock is held during the measurement, because concurrent ones would distort each other.
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
    // Doubles the cost while twice the measured time is closer to the target.
    while measured * 3 < target * 2 {
      let doubled = ScryptCost(
        logarithmicCost: cost.logarithmicCost + 1, blockSize: cost.blockSize,
        parallelization: cost.parallelization)
      if !doubled.isAllowed { break }
      let next: Duration
      do {
        next = try duration(of: doubled)
      } catch {
        // There is not enough memory for the doubled cost, so the previous one is the maximum.
        guard case .unavailable = error else { throw error }
        break
      }
      if next - target > target - measured { break }
      (cost, measured) = (doubled, next)
    }
    return cost
  }
}
