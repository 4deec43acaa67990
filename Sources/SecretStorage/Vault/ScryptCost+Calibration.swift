import StorageInternals

extension ScryptCost {
  /// What was measured for the usual duration, by the type of the cipher.
  private static let usual = Lock<[ObjectIdentifier: ScryptCost]>([:], inForkedChild: { [:] })
  private static let usualDuration = Duration.milliseconds(500)

  /// Measures what an unlocking may cost on this machine.
  ///
  /// It tries r = 8, p = 1 and an N that is doubled from ``minimum`` on, and chooses what comes
  /// nearest to the duration; N is at most 2^20, which takes 1 GiB of memory. The measuring takes
  /// about twice the duration. For half a second, the default, a process measures once.
  ///
  /// - Parameters:
  ///   - duration: How long an unlocking should take.
  ///   - cipher: What computes scrypt.
  /// - Returns: The cost.
  /// - Throws: What kept the cipher from computing the least that a passphrase may cost, such as
  ///   ``SecretStoreError/missingLibrary(_:)``.
  public static func calibrated(
    to duration: Duration = .milliseconds(500), cipher: any SecretCipher = OpenSSLCipher()
  ) throws(SecretStoreError) -> ScryptCost {
    let start = ContinuousClock.now
    let now = { start.duration(to: .now) }
    guard duration == usualDuration else {
      return try calibrated(to: duration, cipher: cipher, now: now)
    }
    // The lock is held meanwhile: two that measure at once would slow one another down.
    return try usual.withLock { usual throws(SecretStoreError) in
      let type = ObjectIdentifier(type(of: cipher))
      if let known = usual[type] { return known }
      let cost = try calibrated(to: duration, cipher: cipher, now: now)
      usual[type] = cost
      return cost
    }
  }

  /// Measures with a clock of one's own.
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
    // The first time also loads the library.
    _ = try duration(of: cost)
    var known = try duration(of: cost)
    // As long as what takes twice as long is expected to be nearer.
    while known * 3 < target * 2, let doubled = cost.doubled {
      let next: Duration
      do {
        next = try duration(of: doubled)
      } catch {
        // Not enough memory: then what could be computed is what the machine can do.
        guard case .unavailable = error else { throw error }
        break
      }
      if next - target > target - known { break }
      (cost, known) = (doubled, next)
    }
    return cost
  }

  /// The cost with twice the N; nil when a slot may not have that.
  private var doubled: ScryptCost? {
    let cost = ScryptCost(
      logarithmicCost: logarithmicCost + 1, blockSize: blockSize, parallelization: parallelization)
    return cost.isBearable ? cost : nil
  }
}
