/// What the flags of an item's access control demand, once they are known to make sense.
struct AccessConstraints: Sendable {
  private static let known: AccessFlags = [
    .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .applicationPassword,
    .privateKeyUsage, .or, .and,
  ]

  /// The ways to prove who one is that count; empty when nothing has to be proved.
  private let ways: AuthenticationProofs
  /// Whether all of the ways are needed, and not any one of them.
  private let needsAll: Bool
  /// Whether biometry counts only with the fingerprints and faces that were enrolled at saving.
  let bindsEnrolledSet: Bool
  /// Whether the secret is sealed once more, under a password of the app.
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
      // The application password is never one of several ways: without it, nothing can be decrypted.
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

  /// What has to be proved yet, any one of which brings a person further; nil when nothing is left.
  func missing(from proofs: AuthenticationProofs) -> AuthenticationProofs? {
    guard needsAll else { return ways.isEmpty || !ways.isDisjoint(with: proofs) ? nil : ways }
    let unproved = ways.subtracting(proofs)
    if unproved.isEmpty { return nil }
    return unproved.contains(.biometry) ? .biometry : unproved
  }
}

extension AuthenticationProofs: CustomStringConvertible {
  /// The ways in words.
  public var description: String {
    let names: [(AuthenticationProofs, String)] = [
      (.passcode, "a passcode"), (.biometry, "a fingerprint or face"), (.presence, "presence"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: " or ")
  }
}
