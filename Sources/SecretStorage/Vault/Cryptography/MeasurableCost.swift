import Concurrency

/// A cost of a key derivation that is measured by doubling it.
protocol MeasurableCost: Hashable, Sendable {
  /// The lowest cost that is allowed.
  static var minimum: Self { get }
  /// The cost with twice the memory; nil if it is not affordable.
  var doubled: Self? { get }
  /// Derives a key from a passphrase.
  func stretch(
    _ passphrase: Secret, salt: ArraySlice<UInt8>, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Secret
}

private struct MeasuredType: Hashable, Sendable {
  let cost, cipher: ObjectIdentifier
}

/// The measured costs for the default duration, by the types of the cost and of the cipher.
private let defaults = Lock<[MeasuredType: any MeasurableCost]>([:], inForkedChild: { [:] })
private let defaultDuration = Duration.milliseconds(500)

extension MeasurableCost {
  /// Returns the cost nearest to a duration; that for the default duration is cached.
  static func measured(
    for duration: Duration, _ cipher: any SecretCipher
  ) throws(SecretStoreError) -> Self {
    if duration == defaultDuration { return try calibratedDefault(cipher) }
    let start = ContinuousClock.now
    return try calibrated(to: duration, cipher: cipher) { start.duration(to: .now) }
  }

  /// Returns the cost for the default duration, measured once for each type of cipher.
  static func calibratedDefault(_ cipher: any SecretCipher) throws(SecretStoreError) -> Self {
    // The lock is held during the measurement, because concurrent ones would distort each other.
    return try defaults.withLock { defaults throws(SecretStoreError) in
      let type = MeasuredType(
        cost: ObjectIdentifier(Self.self), cipher: ObjectIdentifier(type(of: cipher)))
      if let cached = defaults[type] as? Self { return cached }
      let start = ContinuousClock.now
      let cost = try calibrated(to: defaultDuration, cipher: cipher) { start.duration(to: .now) }
      defaults[type] = cost
      return cost
    }
  }

  static func calibrated(
    to target: Duration, cipher: any SecretCipher, now: () -> Duration
  ) throws(SecretStoreError) -> Self {
    func duration(of cost: Self) throws(SecretStoreError) -> Duration {
      if TaskCancellation.isRequested { throw .cancelled }
      let start = now()
      _ = try cost.stretch(
        Secret("locket".utf8), salt: [UInt8](repeating: 0, count: 32)[...], cipher)
      return now() - start
    }
    var cost = minimum
    // The first derivation also loads the library.
    _ = try duration(of: cost)
    var measured = try duration(of: cost)
    // Doubles the cost while twice the measured time is closer to the target.
    while measured * 3 < target * 2, let doubled = cost.doubled {
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
