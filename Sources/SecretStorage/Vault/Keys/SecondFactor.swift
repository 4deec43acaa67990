public import FoundationEssentials

extension UnlockKey {
  /// What a slot with two factors needs in addition to the passphrase.
  public enum SecondFactor: Sendable {
    /// A file, as in ``UnlockKey/keyFile(_:)``.
    case keyFile(URL)
    /// A systemd credential, as in ``UnlockKey/credential(named:)``.
    case credential(named: String)
  }
}

extension SecretVault.Slot {
  /// The kind of the second factor of a slot.
  public enum SecondFactor: Hashable, Sendable {
    /// A key file.
    case keyFile
    /// A systemd credential of a service.
    case credential(named: String)
  }
}

extension UnlockKey.SecondFactor {
  var kind: SecretVault.Slot.SecondFactor {
    switch self {
    case .keyFile: .keyFile
    case .credential(let name): .credential(named: name)
    }
  }

  /// The factor as a key of its own.
  private var key: UnlockKey {
    switch self {
    case .keyFile(let url): .keyFile(url)
    case .credential(let name): .credential(named: name)
    }
  }

  /// The factor in messages.
  var description: String {
    switch self {
    case .keyFile(let url): "the key file at \(url.path)"
    case .credential(let name): "the credential named \(name)"
    }
  }

  /// Reads the factor; throws the errors of reading it as a key of its own.
  func load(_ device: DeviceState) throws(SecretStoreError) -> Secret {
    try key.slotKey(device).secret
  }

  /// Returns both factors, unambiguously because the passphrase's size precedes it.
  func material(
    after passphrase: Secret, _ device: DeviceState
  ) throws(SecretStoreError) -> Secret {
    var size: [UInt8] = []
    size.append(littleEndian: UInt64(passphrase.count))
    return Secret(size).followed(by: passphrase).followed(by: try load(device))
  }
}

extension SecretVault.Slot.SecondFactor {
  /// The kind of a slot that the factor alone would open, whose code is the factor's in the file.
  private var slotKind: SlotKind {
    switch self {
    case .keyFile: .keyFile
    case .credential(let name): .credential(named: name)
    }
  }

  /// The factor in messages.
  var description: String {
    switch self {
    case .keyFile: "a key file"
    case .credential(let name): "the credential \(name)"
    }
  }

  /// Encodes the factor, followed by the derivation and its cost.
  func encode(into bytes: inout [UInt8], _ cost: PassphraseCost) {
    slotKind.encode(into: &bytes)
    bytes.append(cost.code)
    cost.encode(into: &bytes)
  }
}

extension SlotKind {
  /// The code of slots with two factors.
  static let twoFactorsCode: UInt8 = 6

  /// Decodes a slot with two factors; nil if one of its parts is of a newer version.
  init?(twoFactors reader: inout RecordReader) throws(MalformedRecord) {
    let factor: SecretVault.Slot.SecondFactor
    switch try SlotKind(&reader) {
    case .keyFile: factor = .keyFile
    case .credential(let name): factor = .credential(named: name)
    default: return nil
    }
    guard let cost = try PassphraseCost(code: try reader.integer(), &reader) else { return nil }
    self = .twoFactors(cost, factor)
  }

  /// Returns the kind with another cost.
  func with(_ cost: PassphraseCost) -> SlotKind {
    if case .twoFactors(_, let factor) = self {
      .twoFactors(cost, factor)
    } else {
      .passphrase(cost)
    }
  }

  /// Derives the key of a slot from a passphrase or from two factors; other keys are unchanged.
  ///
  /// Two factors are mixed with HKDF before the derivation, so that a guess needs both.
  func stretch(
    _ secret: Secret, salt: ArraySlice<UInt8>, _ cipher: any SecretCipher,
    checking check: () throws(SecretStoreError) -> Void
  ) throws(SecretStoreError) -> Secret {
    guard let cost else { return secret }
    let input =
      isPassphrase
      ? secret : try cipher.deriveKey(from: secret, salt: salt, purpose: purpose("key"))
    return try cipher.stretch(input, salt: salt, cost: cost, checking: check)
  }
}
