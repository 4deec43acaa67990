typealias SlotKind = SecretVault.Slot.Kind

extension SlotKind {
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

  /// The name of the kind in messages and in key derivation purposes.
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

  var hasCheck: Bool { self != .device }

  var isKnown: Bool {
    if case .unknown = self { false } else { true }
  }

  var cost: ScryptCost? {
    if case .passphrase(let cost) = self { cost } else { nil }
  }

  var credentialName: String? {
    if case .credential(let name) = self { name } else { nil }
  }

  /// Returns whether keys of a kind can open slots of this kind, regardless of cost.
  func accepts(_ key: SlotKind) -> Bool {
    self == key || cost != nil && key.cost != nil
  }

  func purpose(_ use: String) -> String { "locket \(label) \(use)" }

  func encode(into bytes: inout [UInt8]) {
    bytes.append(code)
    if let cost { bytes.append(cost) }
    if let credentialName { bytes.append(counted: credentialName.utf8) }
  }

  init(_ reader: inout RecordReader) throws(MalformedRecord) {
    switch try reader.integer(UInt8.self) {
    case 1: self = .device
    case 2: self = .passphrase(try reader.cost())
    case 3: self = .keyFile
    case 4:
      self = .credential(named: String(decoding: try reader.countedBytes(0...255), as: UTF8.self))
    case 5: self = .recoveryCode
    case let code: self = .unknown(type: code)
    }
  }

  var keyDescription: String {
    switch self {
    case .device: "another device's key"
    case .credential(let name): "the credential \(name)"
    case .unknown: "a key of a kind that requires a newer version"
    case .passphrase, .keyFile, .recoveryCode: "a \(label)"
    }
  }

  var neededKey: String? {
    switch self {
    case .device, .unknown: nil
    case .credential(let name): "the credential \(name), which systemd provides to a service"
    case .passphrase, .keyFile, .recoveryCode: "its \(label)"
    }
  }
}
