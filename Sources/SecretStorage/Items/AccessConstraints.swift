/// What the flags of an item's access control demand, once they are known to make sense.
struct AccessConstraints: Sendable {
  /// Each demand is met by any of its proofs; whether one demand or all must be met says `needsAll`.
  private let demands: [AuthenticationProofs]
  private let needsAll: Bool
  /// Whether biometry counts only with the fingerprints and faces that were enrolled at saving.
  let bindsEnrolledSet: Bool
  /// Whether the secret is sealed once more, under a password of the app.
  let needsApplicationPassword: Bool

  /// - Throws: ``SecretStoreError/invalid(_:)`` for a mix without meaning, or
  ///   ``SecretStoreError/unsupported(_:)`` for flags of a newer version.
  init(_ flags: AccessFlags) throws(SecretStoreError) {
    let known: AccessFlags = [
      .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .applicationPassword,
      .privateKeyUsage, .or, .and,
    ]
    guard known.isSuperset(of: flags) else {
      throw .unsupported("an access flag that only a newer version of Locket knows")
    }
    if flags.contains(.privateKeyUsage) {
      throw .invalid("The access flag privateKeyUsage is for private keys, and this is a password")
    }
    if flags.isSuperset(of: [.biometryAny, .biometryCurrentSet]) {
      throw .invalid("The access flags biometryAny and biometryCurrentSet exclude each other")
    }
    let single: [(AccessFlags, AuthenticationProofs)] = [
      (.biometryAny, .biometry), (.biometryCurrentSet, .biometry), (.devicePasscode, .passcode),
    ]
    var demands = single.filter { flags.contains($0.0) }.map(\.1)
    if flags.contains(.userPresence) {
      if !demands.isEmpty {
        throw .invalid(
          "The access flag userPresence already accepts biometry and the passcode: leave those out")
      }
      demands = [.any]
    }
    let withPassword = demands.count + (flags.contains(.applicationPassword) ? 1 : 0)
    switch (flags.contains(.or), flags.contains(.and)) {
    case (true, true):
      throw .invalid("The access flags `or` and `and` exclude each other")
    case (true, false) where demands.count < 2:
      // The application password is never one of several ways: without it, nothing can be decrypted.
      throw .invalid(
        """
        The access flag `or` needs two others to choose between, and applicationPassword is no choice: \
        it is needed in any case
        """)
    case (false, true) where withPassword < 2:
      throw .invalid("The access flag `and` needs two others to join")
    default:
      break
    }
    self.demands = demands
    needsAll = flags.contains(.and)
    bindsEnrolledSet = flags.contains(.biometryCurrentSet)
    needsApplicationPassword = flags.contains(.applicationPassword)
  }

  /// What a person has to prove yet, any one of which brings them further; nil when nothing is left.
  func missing(from authorization: Authorization) -> AuthenticationProofs? {
    let unmet = demands.filter { $0.isDisjoint(with: authorization.proofs) }
    if unmet.isEmpty { return nil }
    if needsAll { return unmet.first }
    return unmet.count < demands.count ? nil : unmet.reduce([]) { $0.union($1) }
  }

  /// Whether somebody who can prove as much can meet the constraints.
  func canBeMet(by capabilities: AuthenticationProofs) -> Bool {
    let possible = demands.filter { !$0.isDisjoint(with: capabilities) }
    return needsAll ? possible.count == demands.count : demands.isEmpty || !possible.isEmpty
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
