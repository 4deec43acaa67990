typealias SlotKind = SecretVault.Slot.Kind

// The code of a kind in the file, its words and its source.
extension SlotKind {
  /// The number of the kind in the file.
  var code: UInt8 {
    switch self {
    case .device: 1
    case .passphrase: 2
    case .keyFile: 3
    case .credential: 4
    case .recoveryCode: 5
    case .unknown(let type): type
    }
  }

  /// The words for the kind in messages and in the contexts of key derivation.
  var label: String {
    switch self {
    case .device: "device"
    case .passphrase: "passphrase"
    case .keyFile: "key file"
    case .credential: "credential"
    case .recoveryCode: "recovery code"
    case .unknown: "newer kind"
    }
  }

  /// Whether the slot stores a check value that tells a wrong key from a damaged slot.
  var hasCheck: Bool { self != .device }

  /// Whether this version can open slots of the kind.
  var isKnown: Bool {
    if case .unknown = self { false } else { true }
  }

  /// The cost, if the kind is a passphrase.
  var cost: ScryptCost? {
    if case .passphrase(let cost) = self { cost } else { nil }
  }

  /// The name of the credential, if the kind has one.
  var credentialName: String? {
    if case .credential(let name) = self { name } else { nil }
  }

  /// Whether the app or the user must provide the key.
  var isAttended: Bool {
    switch self {
    case .passphrase, .keyFile, .recoveryCode: true
    case .device, .credential, .unknown: false
    }
  }

  /// Returns whether keys of another kind may open slots of this one, at any cost.
  func accepts(_ key: SlotKind) -> Bool {
    self == key || cost != nil && key.cost != nil
  }

  /// The context of a key derived from the slot's key.
  func purpose(_ use: String) -> String { "locket \(label) \(use)" }
}

// The encoding of a kind with its parameters.
extension SlotKind {
  func encode(into bytes: inout [UInt8]) {
    bytes.append(code)
    if let cost { bytes.append(cost) }
    if let credentialName { bytes.append(counted: credentialName.utf8) }
  }

  init(_ reader: inout RecordReader) throws(MalformedRecord) {
    let code: UInt8 = try reader.integer()
    let known: [SlotKind] = [
      .device, .passphrase(.standard), .keyFile, .credential(named: ""), .recoveryCode,
    ]
    switch known.first(where: { $0.code == code }) {
    case .passphrase: self = .passphrase(try reader.cost())
    case .credential:
      self = .credential(named: String(decoding: try reader.countedBytes(), as: UTF8.self))
    case let kind: self = kind ?? .unknown(type: code)
    }
  }
}

extension SlotKind {
  /// What opens the slot, for a diagnosis.
  var way: String {
    switch self {
    case .device: "another device's key"
    case .credential(let name): "the credential \(name)"
    case .unknown: "a kind that only a newer version knows"
    case .passphrase, .keyFile, .recoveryCode: "a \(label)"
    }
  }

  /// The input that unlocks the slot, for a diagnosis; nil if none is needed, or none helps.
  var neededKey: String? {
    switch self {
    case .device, .unknown: nil
    case .credential(let name): "the credential \(name), which systemd gives to a service"
    case .passphrase, .keyFile, .recoveryCode: "its \(label)"
    }
  }
}
