/// A generation of a vault's keys: all keys that are in use between two rotations.
struct KnownGeneration: Hashable, Sendable {
  let vaultID: [UInt8]
  /// A digest of the generation's link key, which reveals nothing else about that key.
  let fingerprint: [UInt8]

  static let fingerprintCount = 16
}
