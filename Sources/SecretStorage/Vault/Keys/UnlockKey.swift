public import FoundationEssentials

/// A key for one of the key slots of a vault.
public enum UnlockKey: Sendable {
  /// The device key of this machine.
  case device
  /// A passphrase of 1 byte to 64 KiB, compared by its bytes: use one Unicode normalisation form.
  case passphrase(Secret)
  /// A file of 32 bytes to 1 MiB of unguessable content, such as from `head -c 32 /dev/urandom`.
  case keyFile(URL)
  /// A file of 32 bytes to 1 MiB that systemd puts into `$CREDENTIALS_DIRECTORY` under this name.
  case credential(named: String)
  /// A code that ``SecretVault/addRecoveryCode(named:)`` created and a person wrote down.
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

  /// The error for a vault that has no slot of the key's kind.
  var absence: SecretStoreError {
    let words =
      switch kind {
      case .device: "slot for a device"
      case .credential(let name): "credential named \(name)"
      default: kind.label
      }
    return .invalid("The vault has no \(words)")
  }

  /// The error for a key that opens none of the slots of its kind.
  var refusal: SecretStoreError {
    switch self {
    case .device: .otherDevice("The vault")
    case .passphrase: .wrongPassphrase
    case .keyFile(let url): .wrongKey("The key file at \(url.path)")
    case .credential(let name): .wrongKey("The credential named \(name)")
    case .recoveryCode: .wrongKey("The recovery code")
    }
  }

  /// Loads the key; for the device, the key that opens the given table.
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
      return .passphrase(try passphrase.checkedAsPassphrase())
    case .keyFile(let url):
      return SlotKey(kind: kind, secret: try device.keyMaterial(kind.label, at: url.path))
    case .credential(let name):
      guard DeviceState.isCredentialName(name) else {
        throw .invalid(
          """
          \(String(reflecting: name)) cannot be the name of a credential: that has 1 to 255 printable \
          ASCII characters without slash and colon
          """)
      }
      guard let credential = try device.credential(named: name) else {
        throw .unavailable(
          """
          systemd gave this process no credential \(name). Start the service with LoadCredential= or \
          LoadCredentialEncrypted= in its unit.
          """)
      }
      return SlotKey(kind: kind, secret: credential)
    case .recoveryCode(let code):
      return SlotKey(kind: kind, secret: code.characters)
    }
  }
}

extension Secret {
  /// - Throws: ``SecretStoreError/invalid(_:)`` for an empty or too long passphrase.
  fileprivate func checkedAsPassphrase() throws(SecretStoreError) -> Secret {
    if count == 0 { throw .invalid("A passphrase must not be empty") }
    if count > 1 << 16 {
      throw .invalid(
        "A passphrase has at most 64 KiB, and this one has \(count) bytes: use a key file for that")
    }
    return self
  }
}

/// A loaded key for slots of a kind.
struct SlotKey: Sendable {
  /// The kind; the cost of a passphrase counts only after it is stretched.
  let kind: SlotKind
  let secret: Secret
  /// The salt that a passphrase was stretched with; empty for any other key.
  var salt: ArraySlice<UInt8> = []

  static func device(_ secret: Secret) -> SlotKey { SlotKey(kind: .device, secret: secret) }

  static func passphrase(_ secret: Secret) -> SlotKey {
    SlotKey(kind: .passphrase(.standard), secret: secret)
  }

  /// Returns the key for sealing a new slot: a passphrase stretched, any other key unchanged.
  ///
  /// This comes before the vault's lock is taken, so that other writers do not wait for it. A nil
  /// cost means the calibrated one. `user` is the user key that the slot will probably seal. The
  /// check cancels the key derivation by throwing.
  ///
  /// - Throws: ``SecretStoreError/invalid(_:)`` for a cost outside the allowed range.
  func stretched(
    cost given: ScryptCost?, for user: Secret?, _ cipher: any SecretCipher,
    checking check: () throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) -> SlotKey {
    if kind.cost == nil { return self }
    let cost = if let given { given } else { try ScryptCost.usual(cipher) }
    try cost.check()
    let salt = try cipher.salt(for: user ?? Secret([]), under: secret, sequence: 0)[...]
    let stretched = try cipher.stretch(secret, salt: salt, cost: cost, checking: check)
    return SlotKey(kind: .passphrase(cost), secret: stretched, salt: salt)
  }
}

extension ScryptCost {
  /// Throws ``SecretStoreError/invalid(_:)`` for a cost that opening would reject.
  func check() throws(SecretStoreError) {
    if !isBearable { throw .invalid("A slot of that cost could not be opened again") }
    if !isSufficient {
      throw .invalid(
        """
        A password of that cost would be guessed too easily: N × r × p must be 2^17 or more, as it \
        is with N = 2^14, r = 8 and p = 1
        """)
    }
  }

  /// Throws ``SecretStoreError/corrupted(_:)`` for a cost that an object in the file must not have.
  func checkStored(by owner: String) throws(SecretStoreError) {
    guard isBearable else { throw .corrupted("\(owner) asks for an excessive amount of work") }
    guard isSufficient else { throw .corrupted("\(owner) asks for too little work to be safe") }
  }
}

extension [UInt8] {
  mutating func append(_ cost: ScryptCost) {
    append(cost.logarithmicCost)
    append(littleEndian: cost.blockSize)
    append(littleEndian: cost.parallelization)
  }
}

extension RecordReader {
  mutating func cost() throws(MalformedRecord) -> ScryptCost {
    ScryptCost(
      logarithmicCost: try integer(), blockSize: try integer(), parallelization: try integer())
  }
}
