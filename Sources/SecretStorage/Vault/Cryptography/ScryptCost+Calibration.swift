import Concurrency

extension ScryptCost {
  /// The costs measured for the usual duration, by the type of the cipher.
  private static let usual = Lock<[ObjectIdentifier: ScryptCost]>([:], inForkedChild: { [:] })
  private static let usualDuration = Duration.milliseconds(500)

  /// Measures a suitable cost of unlocking on this machine.
  ///
  /// It tries r = 8 and p = 1 with N doubled from ``minimum`` on, and chooses the cost nearest to
  /// the duration. N is at most 2^20, which takes 1 GiB of memory. The measurement takes about
  /// twice the duration. For half a second, the default, a process measures once.
  ///
  /// - Parameters:
  ///   - duration: The time that unlocking should take.
  ///   - cipher: The cipher that computes scrypt.
  /// - Returns: The cost.
  /// - Throws: The error of the cipher at the minimum cost, such as
  ///   ``SecretStoreError/missingLibrary(_:)``.
  public static func calibrated(
    to duration: Duration = .milliseconds(500), cipher: any SecretCipher = OpenSSLCipher()
  ) throws -> ScryptCost {
    if duration == usualDuration { return try usual(cipher) }
    let start = ContinuousClock.now
    return try calibrated(to: duration, cipher: cipher) { start.duration(to: .now) }
  }

  /// Returns the cost of half a second, which it measures once for each type of cipher.
  static func usual(_ cipher: any SecretCipher) throws(SecretStoreError) -> ScryptCost {
    // The lock is held meanwhile: two measurements at once would slow each other down.
    return try usual.withLock { usual throws(SecretStoreError) in
      let type = ObjectIdentifier(type(of: cipher))
      if let known = usual[type] { return known }
      let start = ContinuousClock.now
      let cost = try calibrated(to: usualDuration, cipher: cipher) { start.duration(to: .now) }
      usual[type] = cost
      return cost
    }
  }

  /// Measures with the given clock.
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
    // Doubles the cost while a derivation of twice the time is expected to be nearer to the target.
    while known * 3 < target * 2, let doubled = cost.doubled {
      let next: Duration
      do {
        next = try duration(of: doubled)
      } catch {
        // Not enough memory: the last cost that could be computed is the machine's limit.
        guard case .unavailable = error else { throw error }
        break
      }
      if next - target > target - known { break }
      (cost, known) = (doubled, next)
    }
    return cost
  }

  /// The cost with twice the N; nil if it exceeds the limits of a slot.
  private var doubled: ScryptCost? {
    let cost = ScryptCost(
      logarithmicCost: logarithmicCost + 1, blockSize: blockSize, parallelization: parallelization)
    return cost.isBearable ? cost : nil
  }
}
