/// The condition under which an item can be read, and the proofs that reading it needs.
public struct AccessControl: Hashable, Sendable {
  /// The condition under which the item can be read.
  public var accessibility: Accessibility
  /// The proofs that the user must give to read the item.
  public var flags: AccessFlags

  /// Creates an access control.
  public init(_ accessibility: Accessibility = .whenUnlocked, flags: AccessFlags = []) {
    self.accessibility = accessibility
    self.flags = flags
  }
}

/// The condition under which an item can be read.
///
/// The vault enforces it with a separate key for each accessibility: while that key is not in
/// memory, the item cannot be decrypted. The cases named `…ThisDeviceOnly` also need the device key
/// of this machine, so their items cannot be read from a copy of the vault on another machine.
public enum Accessibility: UInt8, Hashable, Sendable, CaseIterable {
  /// While the store is unlocked.
  case whenUnlocked = 1
  /// From the store's first unlocking until the process ends, even if the store is locked again.
  case afterFirstUnlock = 2
  /// Always, even before the store is unlocked for the first time.
  case always = 3
  /// While the store is unlocked, on this machine, and only if the store has a passphrase.
  ///
  /// Removing the last passphrase also removes these items.
  case whenPasscodeSetThisDeviceOnly = 4
  /// While the store is unlocked, on this machine.
  case whenUnlockedThisDeviceOnly = 5
  /// From the first time that the store is unlocked until the process ends, on this machine.
  case afterFirstUnlockThisDeviceOnly = 6
  /// Always, on this machine.
  case alwaysThisDeviceOnly = 7

  // The `kSecAttrAccessible` of the cases in Apple's keychains, in their order, for migrations.
  private static let keychainValues = ["ak", "ck", "dk", "akpu", "aku", "cku", "dku"]

  package var keychainValue: String { Self.keychainValues[Int(rawValue) - 1] }

  package init?(keychainValue: String) {
    guard let index = Self.keychainValues.firstIndex(of: keychainValue) else { return nil }
    self.init(rawValue: UInt8(index + 1))
  }
}

/// The proofs that the user must give to read an item.
///
/// Without ``and``, one of several proofs is sufficient, except that ``applicationPassword`` is
/// always needed. Saving an item throws ``SecretStoreError/invalid(_:)`` for an invalid combination
/// of flags, and ``SecretStoreError/unsupported(_:)`` for a proof that cannot be checked. Only
/// ``applicationPassword`` adds encryption; the store checks the other proofs before it reads.
public struct AccessFlags: OptionSet, Hashable, Sendable {
  /// The bits of the set, which are stored and never change their meaning.
  public let rawValue: UInt32

  /// Creates a set of flags from its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Any proof: presence, a passcode, a fingerprint or a face.
  public static let userPresence = AccessFlags(rawValue: 1 << 0)
  /// Any enrolled fingerprint or face.
  public static let biometryAny = AccessFlags(rawValue: 1 << 1)
  /// A fingerprint or face, provided that none was enrolled or removed since the item was saved.
  public static let biometryCurrentSet = AccessFlags(rawValue: 1 << 2)
  /// The passphrase of the store or the login password.
  public static let devicePasscode = AccessFlags(rawValue: 1 << 3)
  /// A password that the app supplies, with which the secret is encrypted a second time.
  public static let applicationPassword = AccessFlags(rawValue: 1 << 4)
  /// The use of a private key, which is invalid for a password.
  public static let privateKeyUsage = AccessFlags(rawValue: 1 << 5)
  /// One of the proofs is sufficient; this is the default.
  public static let or = AccessFlags(rawValue: 1 << 6)
  /// All of the proofs are needed.
  public static let and = AccessFlags(rawValue: 1 << 7)
}

struct AccessConstraints: Sendable {
  private static let supported = AccessFlags(rawValue: 0b1111_1111)

  private let accepted: AuthenticationProofs
  private let needsAll: Bool
  /// Whether a change to the enrolled fingerprints or faces invalidates biometry.
  let bindsEnrolledSet: Bool
  let needsApplicationPassword: Bool

  /// Throws `invalid` for an invalid combination, or `unsupported` for flags of a newer version.
  init(_ flags: AccessFlags) throws(SecretStoreError) {
    guard Self.supported.isSuperset(of: flags) else {
      throw .unsupported("an access flag of a newer version of Locket")
    }
    if flags.contains(.privateKeyUsage) {
      throw .invalid("The access flag privateKeyUsage is for private keys, not for passwords")
    }
    if flags.isSuperset(of: [.biometryAny, .biometryCurrentSet]) {
      throw .invalid("The access flags biometryAny and biometryCurrentSet are mutually exclusive")
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
    // The application password is never an alternative: without it, the item cannot be decrypted.
    let count = proofs + (flags.contains(.and) && needsApplicationPassword ? 1 : 0)
    if flags.isSuperset(of: [.or, .and]) || !flags.isDisjoint(with: [.or, .and]) && count < 2 {
      throw .invalid(
        """
        The access flags `or` and `and` are mutually exclusive, and need at least two other flags; \
        with `or`, applicationPassword does not count, because it is always needed
        """)
    }
    let biometry: AuthenticationProofs = needsBiometry ? .biometry : []
    accepted = needsPresence ? .any : biometry.union(needsPasscode ? .passcode : [])
    needsAll = !needsPresence && flags.contains(.and)
  }

  /// Returns the proofs of which one is needed next; nil if no proof is missing.
  func missing(from proofs: AuthenticationProofs) -> AuthenticationProofs? {
    let remaining = accepted.subtracting(proofs)
    // Unless all are needed, each of the accepted proofs is sufficient.
    if remaining.isEmpty || !needsAll && remaining != accepted { return nil }
    return needsAll && remaining.contains(.biometry) ? .biometry : remaining
  }
}
