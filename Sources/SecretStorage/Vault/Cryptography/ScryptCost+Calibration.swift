import Concurrency

extension ScryptCost {
  /// The measured costs for the default duration, by the type of the cipher.
  private static let defaults = Lock<[ObjectIdentifier: ScryptCost]>([:], inForkedChild: { [:] })
  private static let defaultDuration = Duration.milliseconds(500)

  /// Measures which cost makes unlocking take a given time on this machine.
  ///
  /// The measurement takes about twice the duration. It doubles N, starting at ``minimum``, and
  /// keeps r = 8 and p = 1. For the default duration, the result is cached for the process.
  ///
  /// - Parameters:
  ///   - duration: The time that unlocking should take.
  ///   - cipher: The cipher that computes scrypt.
  /// - Returns: The cost nearest to the duration, with at most N = 2^20 (1 GiB of memory).
  /// - Throws: The cipher's error for ``minimum``, such as ``SecretStoreError/missingLibrary(_:)``.
  public static func calibrated(
    to duration: Duration = .milliseconds(500), cipher: any SecretCipher = OpenSSLCipher()
  ) throws -> ScryptCost {
    if duration == defaultDuration { return try calibratedDefault(cipher) }
    let start = ContinuousClock.now
    return try calibrated(to: duration, cipher: cipher) { start.duration(to: .now) }
  }

  /// Returns the cost for the default duration, measured once for each type of cipher.
  static func calibratedDefault(
    _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> ScryptCost {
    // The lock is held during the measurement, because concurrent ones would distort each other.
    return try defaults.withLock { defaults throws(SecretStoreError) in
      let type = ObjectIdentifier(type(of: cipher))
      if let known = defaults[type] { return known }
      let start = ContinuousClock.now
      let cost = try calibrated(to: defaultDuration, cipher: cipher) { start.duration(to: .now) }
      defaults[type] = cost
      return cost
    }
  }

  static func calibrated(
    to target: Duration, cipher: any SecretCipher, now: () -> Duration
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
    var known = try duration(of: cost)
    // Doubles the cost while twice the measured time is closer to the target.
    while known * 3 < target * 2, let doubled = cost.doubled {
      let next: Duration
      do {
        next = try duration(of: doubled)
      } catch {
        // There is not enough memory for the doubled cost, so the previous one is the maximum.
        guard case .unavailable = error else { throw error }
        break
      }
      if next - target > target - known { break }
      (cost, known) = (doubled, next)
    }
    return cost
  }

  /// The cost with N doubled; nil if it is not affordable.
  private var doubled: ScryptCost? {
    let cost = ScryptCost(
      logarithmicCost: logarithmicCost + 1, blockSize: blockSize, parallelization: parallelization)
    return cost.isAffordable ? cost : nil
  }
}
