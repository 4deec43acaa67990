/// The condition under which an item can be read, and the proofs that a person must give for it.
public struct AccessControl: Hashable, Sendable {
  /// The condition under which the item can be read.
  public var accessibility: Accessibility
  /// The proofs that a person must give to read the item.
  public var flags: AccessFlags

  /// Combines an accessibility with constraints.
  public init(_ accessibility: Accessibility = .whenUnlocked, flags: AccessFlags = []) {
    self.accessibility = accessibility
    self.flags = flags
  }
}

/// The condition under which an item can be read.
///
/// The vault enforces it with one key per class: without the key in memory, the item cannot be
/// decrypted. The classes that end in `ThisDeviceOnly` also need this machine's device key, so a
/// copied vault cannot be opened elsewhere for them.
public enum Accessibility: UInt8, Hashable, Sendable, CaseIterable {
  /// While the store is unlocked.
  case whenUnlocked = 1
  /// From the first unlocking until the process ends, even if the store is locked again.
  case afterFirstUnlock = 2
  /// Always, even before the first unlocking.
  case always = 3
  /// While the store is unlocked, on this machine, and only as long as the store has a passphrase.
  ///
  /// Such items are removed with the last passphrase.
  case whenPasscodeSetThisDeviceOnly = 4
  /// While the store is unlocked, on this machine.
  case whenUnlockedThisDeviceOnly = 5
  /// From the first unlocking until the process ends, on this machine.
  case afterFirstUnlockThisDeviceOnly = 6
  /// Always, on this machine.
  case alwaysThisDeviceOnly = 7
}

/// The proofs that a person must give to read an item.
///
/// Several proofs are alternatives, unless ``and`` joins them; ``applicationPassword`` is always
/// needed. Saving an item throws ``SecretStoreError/invalid(_:)`` for an invalid mix of flags, and
/// ``SecretStoreError/unsupported(_:)`` for a proof that cannot be checked. Only
/// ``applicationPassword`` encrypts the secret; the store checks the others before it reads.
public struct AccessFlags: OptionSet, Hashable, Sendable {
  /// The flags as bits, which are stored and never change their meaning.
  public let rawValue: UInt32

  /// Makes a set of flags from its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Any proof: the person's presence, a passcode, a fingerprint or a face.
  public static let userPresence = AccessFlags(rawValue: 1 << 0)
  /// Any enrolled fingerprint or face.
  public static let biometryAny = AccessFlags(rawValue: 1 << 1)
  /// A fingerprint or face, as long as none has been enrolled or removed since the item was saved.
  public static let biometryCurrentSet = AccessFlags(rawValue: 1 << 2)
  /// The passphrase of the store or the password of the login.
  public static let devicePasscode = AccessFlags(rawValue: 1 << 3)
  /// A password that the app supplies, under which the secret is sealed a second time.
  public static let applicationPassword = AccessFlags(rawValue: 1 << 4)
  /// The use of a private key; a password with this flag is refused.
  public static let privateKeyUsage = AccessFlags(rawValue: 1 << 5)
  /// One of the proofs is enough; the default.
  public static let or = AccessFlags(rawValue: 1 << 6)
  /// All of the other flags are needed.
  public static let and = AccessFlags(rawValue: 1 << 7)
}

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

extension AuthenticationProofs: CustomStringConvertible {
  /// The ways in words.
  public var description: String {
    let names: [(AuthenticationProofs, String)] = [
      (.passcode, "a passcode"), (.biometry, "a fingerprint or face"), (.presence, "presence"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: " or ")
  }
}
