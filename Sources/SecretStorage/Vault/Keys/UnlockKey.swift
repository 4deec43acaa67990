public import FoundationEssentials

/// A key that opens a slot of a vault.
public enum UnlockKey: Sendable {
  /// The device key of this machine.
  case device
  /// A passphrase of 1 byte to 64 KiB.
  ///
  /// Passphrases are compared byte by byte. Always use the same Unicode normalization form.
  case passphrase(Secret)
  /// A file with 32 bytes to 1 MiB of random data, for example from `head -c 32 /dev/urandom`.
  case keyFile(URL)
  /// A systemd credential of 32 bytes to 1 MiB, read from `$CREDENTIALS_DIRECTORY`.
  case credential(named: String)
  /// A code that ``SecretVault/addRecoveryCode(named:)`` created.
  case recoveryCode(RecoveryCode)
  /// A passphrase and a second factor, both of which the slot needs.
  ///
  /// Neither helps to guess the other: a wrong one of the two cannot be told from the other one.
  case twoFactors(passphrase: Secret, SecondFactor)
}

extension UnlockKey {
  var kind: SlotKind {
    switch self {
    case .device: .device
    case .passphrase: .passphrase(.standard)
    case .keyFile: .keyFile
    case .credential(let name): .credential(named: name)
    case .recoveryCode: .recoveryCode
    case .twoFactors(_, let factor): .twoFactors(.standard, factor.kind)
    }
  }

  /// The error for a vault, with a key table if it exists, that has no slot for the key.
  func missingSlotError(in table: KeyTable?) -> SecretStoreError {
    // The key may be one factor of a slot that needs two.
    let isFactor =
      switch self {
      case .passphrase, .keyFile, .credential, .twoFactors: true
      case .device, .recoveryCode: false
      }
    for slot in table?.slots ?? [] where isFactor {
      guard case .twoFactors(_, let factor) = slot.kind else { continue }
      return .invalid(
        "The slot \"\(slot.name)\" needs a passphrase together with \(factor.description)")
    }
    let object =
      switch kind {
      case .device: "slot for a device"
      case .credential(let name): "credential named \(name)"
      case .twoFactors(_, let factor):
        "slot for a passphrase together with \(factor.description)"
      default: kind.label
      }
    return .invalid("The vault has no \(object)")
  }

  /// The error for a key that opens none of the slots for its kind.
  var wrongKeyError: SecretStoreError {
    switch self {
    case .device: .otherDevice("The vault")
    case .passphrase: .wrongPassphrase
    case .keyFile(let url): .wrongKey("The key file at \(url.path)")
    case .credential(let name): .wrongKey("The credential named \(name)")
    case .recoveryCode: .wrongKey("The recovery code")
    case .twoFactors(_, let factor):
      .wrongKey("The passphrase together with \(factor.description)")
    }
  }

  /// Loads the key; the key of a device depends on the table that it opens.
  func slotKey(
    _ device: DeviceState, for table: KeyTable? = nil
  ) throws(SecretStoreError) -> SlotKey {
    switch self {
    case .device:
      let secret =
        if let table { try device.secret(for: table)?.secret } else { try device.secret() }
      guard let secret else { throw .otherDevice("The vault") }
      return .device(secret)
    case .passphrase(let passphrase):
      if passphrase.count == 0 { throw .invalid("A passphrase must not be empty") }
      if passphrase.count > 1 << 16 {
        throw .invalid(
          "A passphrase can have at most 64 KiB, not \(passphrase.count) bytes: use a key file")
      }
      return .passphrase(passphrase)
    case .keyFile(let url):
      return SlotKey(kind: kind, secret: try device.keyMaterial(kind.label, at: url.path))
    case .credential(let name):
      guard DeviceState.isCredentialName(name) else {
        throw .invalid(
          """
          \(String(reflecting: name)) is not a valid credential name: a name has 1 to 255 printable \
          ASCII characters other than slash and colon
          """)
      }
      guard let credential = try device.credential(named: name) else {
        throw .unavailable(
          """
          systemd did not provide the credential \(name). Add LoadCredential= or \
          LoadCredentialEncrypted= to the service's unit file.
          """)
      }
      return SlotKey(kind: kind, secret: credential)
    case .twoFactors(let passphrase, let factor):
      let passphrase = try Self.passphrase(passphrase).slotKey(device).secret
      return SlotKey(kind: kind, secret: try factor.material(after: passphrase, device))
    case .recoveryCode(let code): return SlotKey(kind: kind, secret: code.characters)
    }
  }
}

/// The secret that opens slots of one kind, loaded from an ``UnlockKey``.
struct SlotKey: Sendable {
  /// The kind of slots that the key opens; the cost of a passphrase is valid once it is stretched.
  let kind: SlotKind
  let secret: Secret
  /// The salt with which a passphrase was stretched; empty for any other key.
  var salt: ArraySlice<UInt8> = []

  static func device(_ secret: Secret) -> SlotKey { SlotKey(kind: .device, secret: secret) }

  static func passphrase(_ secret: Secret) -> SlotKey {
    SlotKey(kind: .passphrase(.standard), secret: secret)
  }

  /// Returns the key for sealing a new slot: a stretched passphrase, two stretched factors, or any
  /// other key unchanged.
  ///
  /// Call this without the vault's lock, so that other writers do not wait. If `given` is nil, the
  /// cost is calibrated. The user key, if it exists yet, only affects the salt. `check` cancels by
  /// throwing. Throws `invalid` for a cost that is not allowed.
  func stretched(
    cost given: PassphraseCost?, for user: Secret?, _ cipher: any SecretCipher,
    checking check: () throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) -> SlotKey {
    if kind.cost == nil { return self }
    let cost: PassphraseCost =
      if let given { given } else { .scrypt(try ScryptCost.calibratedDefault(cipher)) }
    try cost.check()
    let salt = try cipher.salt(for: user ?? Secret([]), under: secret, sequence: 0)[...]
    let stretched = try kind.with(cost).stretch(secret, salt: salt, cipher, checking: check)
    return SlotKey(kind: kind.with(cost), secret: stretched, salt: salt)
  }
}
