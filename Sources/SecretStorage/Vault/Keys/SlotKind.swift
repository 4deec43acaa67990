typealias SlotKind = SecretVault.Slot.Kind

extension SlotKind {
  /// The code of the kind in the file.
  var code: UInt8 {
    switch self {
    case .device: 1
    case .passphrase(let cost): cost.code
    case .keyFile: 3
    case .credential: 4
    case .recoveryCode: 5
    case .twoFactors: Self.twoFactorsCode
    case .unknown(let type): type
    }
  }

  /// The name of the kind in messages and in key derivation purposes.
  var label: String {
    switch self {
    case .device: "device"
    case .passphrase: "passphrase"
    case .keyFile: "key file"
    case .credential: "credential"
    case .recoveryCode: "recovery code"
    case .twoFactors: "two factors"
    case .unknown: "newer kind"
    }
  }

  /// Whether a slot stores a check value that distinguishes a wrong key from a damaged slot.
  var hasCheck: Bool { self != .device }

  var isKnown: Bool { if case .unknown = self { false } else { true } }

  /// The derivation of the key from a passphrase, alone or with a second factor.
  var cost: PassphraseCost? {
    switch self {
    case .passphrase(let cost), .twoFactors(let cost, _): cost
    default: nil
    }
  }

  /// Whether a passphrase alone opens the slot.
  var isPassphrase: Bool { if case .passphrase = self { true } else { false } }

  var credentialName: String? { if case .credential(let name) = self { name } else { nil } }

  /// Whether the app or the user must provide the key.
  var isAttended: Bool {
    switch self {
    case .passphrase, .keyFile, .recoveryCode, .twoFactors: true
    case .device, .credential, .unknown: false
    }
  }

  /// Returns whether keys of a kind can open slots of this kind, regardless of cost.
  func accepts(_ key: SlotKind) -> Bool {
    switch (self, key) {
    case (.passphrase, .passphrase): true
    case (.twoFactors(_, let own), .twoFactors(_, let given)): own == given
    default: self == key
    }
  }

  /// Returns the purpose for deriving a key from the slot's key.
  func purpose(_ use: String) -> String { "locket \(label) \(use)" }

  func encode(into bytes: inout [UInt8]) {
    bytes.append(code)
    switch self {
    case .passphrase(let cost): cost.encode(into: &bytes)
    case .credential(let name): bytes.append(counted: name.utf8)
    case .twoFactors(let cost, let factor): factor.encode(into: &bytes, cost)
    case .device, .keyFile, .recoveryCode, .unknown: break
    }
  }

  init(_ reader: inout RecordReader) throws(MalformedRecord) {
    let code: UInt8 = try reader.integer()
    let content = reader
    let kinds: [SlotKind] = [.device, .keyFile, .credential(named: ""), .recoveryCode]
    if let cost = try PassphraseCost(code: code, &reader) {
      self = .passphrase(cost)
    } else if code == Self.twoFactorsCode {
      guard let kind = try SlotKind(twoFactors: &reader) else {
        // The whole content is kept.
        reader = content
        self = .unknown(type: code)
        return
      }
      self = kind
    } else if case .credential = kinds.first(where: { $0.code == code }) {
      self = .credential(named: String(decoding: try reader.countedBytes(), as: UTF8.self))
    } else {
      self = kinds.first { $0.code == code } ?? .unknown(type: code)
    }
  }

  /// A description of the key that opens the slot.
  var keyDescription: String {
    switch self {
    case .device: "another device's key"
    case .credential(let name): "the credential \(name)"
    case .unknown: "a key of a kind that requires a newer version"
    case .passphrase, .keyFile, .recoveryCode: "a \(label)"
    case .twoFactors(_, let factor): "a passphrase together with \(factor.description)"
    }
  }

  /// A description of the key to provide; nil if no key can be provided.
  var neededKey: String? {
    switch self {
    case .device, .unknown: nil
    case .credential(let name): "the credential \(name), which systemd provides to a service"
    case .passphrase, .keyFile, .recoveryCode: "its \(label)"
    case .twoFactors(_, let factor): "its passphrase together with \(factor.description)"
    }
  }
}
