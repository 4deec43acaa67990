/// The requirements of valid access flags.
struct AccessConstraints: Sendable {
  private static let known: AccessFlags = [
    .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .applicationPassword,
    .privateKeyUsage, .or, .and,
  ]

  /// The accepted proofs; empty when none is needed.
  private let ways: AuthenticationProofs
  /// Whether all of the ways are needed, instead of one of them.
  private let needsAll: Bool
  /// Whether biometry counts only with the fingerprints and faces enrolled at saving.
  let bindsEnrolledSet: Bool
  /// Whether the secret is sealed a second time, under a password of the app.
  let needsApplicationPassword: Bool

  /// - Throws: ``SecretStoreError/invalid(_:)`` for a mix without meaning, or
  ///   ``SecretStoreError/unsupported(_:)`` for flags of a newer version.
  init(_ flags: AccessFlags) throws(SecretStoreError) {
    guard Self.known.isSuperset(of: flags) else {
      throw .unsupported("an access flag that only a newer version of Locket knows")
    }
    if flags.contains(.privateKeyUsage) {
      throw .invalid("The access flag privateKeyUsage is for private keys, and this is a password")
    }
    if flags.isSuperset(of: [.biometryAny, .biometryCurrentSet]) {
      throw .invalid("The access flags biometryAny and biometryCurrentSet exclude each other")
    }
    bindsEnrolledSet = flags.contains(.biometryCurrentSet)
    needsApplicationPassword = flags.contains(.applicationPassword)
    let asksPresence = flags.contains(.userPresence)
    let asksBiometry = bindsEnrolledSet || flags.contains(.biometryAny)
    let asksPasscode = flags.contains(.devicePasscode)
    if asksPresence, asksBiometry || asksPasscode {
      throw .invalid(
        "The access flag userPresence already accepts biometry and the passcode: leave those out")
    }
    let proofs = (asksPresence ? 1 : 0) + (asksBiometry ? 1 : 0) + (asksPasscode ? 1 : 0)
    try Self.checkJoining(flags, proofs: proofs)
    if asksPresence {
      ways = .any
      needsAll = false
    } else {
      ways = (asksBiometry ? AuthenticationProofs.biometry : [])
        .union(asksPasscode ? .passcode : [])
      needsAll = flags.contains(.and)
    }
  }

  private static func checkJoining(
    _ flags: AccessFlags, proofs: Int
  ) throws(SecretStoreError) {
    switch (flags.contains(.or), flags.contains(.and)) {
    case (true, true):
      throw .invalid("The access flags `or` and `and` exclude each other")
    case (true, false) where proofs < 2:
      // The application password is never an alternative: without it, the item cannot be decrypted.
      throw .invalid(
        """
        The access flag `or` needs two others to choose between, and applicationPassword is no choice: \
        it is needed in any case
        """)
    case (false, true) where proofs + (flags.contains(.applicationPassword) ? 1 : 0) < 2:
      throw .invalid("The access flag `and` needs two others to join")
    default:
      break
    }
  }

  /// Returns the proofs to ask for next, any one of which helps; nil when none is missing.
  func missing(from proofs: AuthenticationProofs) -> AuthenticationProofs? {
    guard needsAll else { return ways.isEmpty || !ways.isDisjoint(with: proofs) ? nil : ways }
    let unproved = ways.subtracting(proofs)
    if unproved.isEmpty { return nil }
    return unproved.contains(.biometry) ? .biometry : unproved
  }
}
