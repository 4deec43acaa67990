public import FoundationEssentials

/// A key that opens a slot of a vault.
public enum UnlockKey: Sendable {
  /// The device key of this machine.
  case device
  /// A passphrase of 1 byte to 64 KiB, always in the same Unicode normalization form.
  case passphrase(Secret)
  /// A file with 32 bytes to 1 MiB of random data, for example from `head -c 32 /dev/urandom`.
  case keyFile(URL)
  /// A systemd credential of 32 bytes to 1 MiB, read from `$CREDENTIALS_DIRECTORY`.
  case credential(named: String)
  /// A code that ``SecretVault/addRecoveryCode(named:)`` created.
  case recoveryCode(RecoveryCode)
}

extension UnlockKey {
  var kind: SlotKind {
    switch self {
    case .device: .device
    case .passphrase: .passphrase(.standard)
    case .keyFile: .keyFile
    case .credential(let name): .credential(named: name)
    case .recoveryCode: .recoveryCode
    }
  }

  var missingSlotError: SecretStoreError {
    .invalid("The vault has no \(kind == .device ? "device slot" : kind.label)")
  }

  var wrongKeyError: SecretStoreError {
    switch self {
    case .device: .otherDevice("The vault")
    case .passphrase: .wrongPassphrase
    case .keyFile(let url): .wrongKey("The key file at \(url.path)")
    case .credential(let name): .wrongKey("The credential named \(name)")
    case .recoveryCode: .wrongKey("The recovery code")
    }
  }

  /// Loads the key; the key of a device requires the table that it opens.
  func slotKey(
    _ device: DeviceState, for table: KeyTable? = nil
  ) throws(SecretStoreError) -> SlotKey {
    switch self {
    case .device:
      guard let table, let found = try device.secret(for: table) else {
        throw .otherDevice("The vault")
      }
      return .device(found.secret)
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
        throw .invalid("\"\(name)\" is not a valid credential name: use letters and digits")
      }
      guard let credential = try device.credential(named: name) else {
        throw .unavailable(
          "systemd did not provide the credential \(name). Add LoadCredentialEncrypted= for it.")
      }
      return SlotKey(kind: kind, secret: credential)
    case .recoveryCode(let code):
      return SlotKey(kind: kind, secret: code.characters)
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

  /// Returns the key for sealing a new slot: a stretched passphrase, or any other key unchanged.
  ///
  /// Without a given cost, it is calibrated. The user key only affects the salt.
  func stretched(
    cost given: ScryptCost?, for user: Secret?, _ cipher: any SecretCipher,
    checking check: () throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) -> SlotKey {
    if kind.cost == nil { return self }
    let cost = if let given { given } else { try ScryptCost.calibratedDefault(cipher) }
    try cost.check()
    let salt = try cipher.salt(for: user ?? Secret([]), under: secret, sequence: 0)[...]
    let stretched = try cipher.stretch(secret, salt: salt, cost: cost, checking: check)
    return SlotKey(kind: .passphrase(cost), secret: stretched, salt: salt)
  }
}
