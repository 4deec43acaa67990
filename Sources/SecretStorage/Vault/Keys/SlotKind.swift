typealias SlotKind = SecretVault.Slot.Kind

extension SlotKind {
  /// The code in a key table, the name in messages and key derivation purposes, a description of
  /// the key, and one of the key to provide, which is nil if none can be provided.
  private var properties: (code: UInt8, label: String, key: String, neededKey: String?) {
    switch self {
    case .device: (1, "device", "another device's key", nil)
    case .passphrase: (2, "passphrase", "a passphrase", "its passphrase")
    case .keyFile: (3, "key file", "a key file", "its key file")
    case .credential(let name):
      (
        4, "credential", "the credential \(name)",
        "the credential \(name), which systemd provides to a service"
      )
    case .recoveryCode: (5, "recovery code", "a recovery code", "its recovery code")
    case .unknown(let type):
      (type, "newer kind", "a key of a kind that requires a newer version", nil)
    }
  }

  var code: UInt8 { properties.code }
  var label: String { properties.label }
  var keyDescription: String { properties.key }
  var neededKey: String? { properties.neededKey }

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
}
