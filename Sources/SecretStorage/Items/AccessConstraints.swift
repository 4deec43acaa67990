/// The requirements that valid access flags express.
struct AccessConstraints: Sendable {
  private static let known: AccessFlags = [
    .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .applicationPassword,
    .privateKeyUsage, .or, .and,
  ]

  /// The accepted proofs; empty if none is needed.
  private let accepted: AuthenticationProofs
  /// Whether all of the accepted proofs are needed, instead of one of them.
  private let needsAll: Bool
  /// Whether a change of the enrolled fingerprints or faces invalidates biometry.
  let bindsEnrolledSet: Bool
  /// Whether the secret is encrypted a second time, with a password of the app.
  let needsApplicationPassword: Bool

  /// - Throws: ``SecretStoreError/invalid(_:)`` for an invalid combination, or
  ///   ``SecretStoreError/unsupported(_:)`` for flags of a newer version.
  init(_ flags: AccessFlags) throws(SecretStoreError) {
    guard Self.known.isSuperset(of: flags) else {
      throw .unsupported("an access flag of a newer version of Locket")
    }
    if flags.contains(.privateKeyUsage) {
      throw .invalid("The access flag privateKeyUsage is for private keys, not for passwords")
    }
    if flags.isSuperset(of: [.biometryAny, .biometryCurrentSet]) {
      throw .invalid("The access flags biometryAny and biometryCurrentSet exclude each other")
    }
    bindsEnrolledSet = flags.contains(.biometryCurrentSet)
    needsApplicationPassword = flags.contains(.applicationPassword)
    let needsPresence = flags.contains(.userPresence)
    let needsBiometry = bindsEnrolledSet || flags.contains(.biometryAny)
    let needsPasscode = flags.contains(.devicePasscode)
    if needsPresence, needsBiometry || needsPasscode {
      throw .invalid(
        "The access flag userPresence already accepts biometry and a passcode; remove those flags")
    }
    let proofs = (needsPresence ? 1 : 0) + (needsBiometry ? 1 : 0) + (needsPasscode ? 1 : 0)
    try Self.checkJoining(flags, proofs: proofs)
    if needsPresence {
      accepted = .any
      needsAll = false
    } else {
      accepted = (needsBiometry ? AuthenticationProofs.biometry : [])
        .union(needsPasscode ? .passcode : [])
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
        The access flag `or` needs at least two alternatives; applicationPassword is not an alternative, \
        because it is always needed
        """)
    case (false, true) where proofs + (flags.contains(.applicationPassword) ? 1 : 0) < 2:
      throw .invalid("The access flag `and` needs at least two other flags")
    default:
      break
    }
  }

  /// Returns the proofs of which one is needed next; nil if no proof is missing.
  func missing(from proofs: AuthenticationProofs) -> AuthenticationProofs? {
    guard needsAll else {
      return accepted.isEmpty || !accepted.isDisjoint(with: proofs) ? nil : accepted
    }
    let remaining = accepted.subtracting(proofs)
    if remaining.isEmpty { return nil }
    return remaining.contains(.biometry) ? .biometry : remaining
  }
}
