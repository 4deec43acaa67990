import FoundationEssentials
import SecretStorage
import ValueFormats

/// An item of a keychain: a dictionary with the keys of `SecItemCopyMatching`.
///
/// A keychain returns an empty string or 0 for an absent attribute.
struct KeychainItem {
  private let attributes: [StoredKey: ValueTree]
  private let position: String
  private let path: String

  init(_ tree: ValueTree, at position: String, of path: String) throws(MigrationError) {
    guard case .dictionary(let attributes) = tree else {
      throw .malformed(path: path, reason: "\(position): it is not a dictionary")
    }
    self.attributes = attributes
    self.position = position
    self.path = path
  }

  func creationDate() throws(MigrationError) -> Date? { try value("cdat") }

  func foreignSecret() throws(MigrationError) -> ForeignSecret {
    let constant = try value("pdmn") ?? Accessibility.whenUnlocked.keychainValue
    guard let accessibility = Accessibility(keychainValue: constant) else {
      throw .unsupported(path: path, reason: "\(position): unknown accessibility")
    }
    guard let data: Data = try value("v_Data") else { throw malformed("v_Data") }
    return ForeignSecret(
      position: position, identity: try identity(),
      attributes: ItemAttributes(
        label: try string("labl"), comment: try string("icmt"), itemDescription: try string("desc"),
        creator: try code("crtr"), type: try code("type"), isInvisible: try flag("invi"),
        accessControl: AccessControl(accessibility)),
      secret: Secret(data))
  }

  private func identity() throws(MigrationError) -> ItemIdentity {
    switch try string("class") {
    case "genp": return .generic(service: try string("svce"), account: try string("acct"))
    case "inet":
      let number: Int = try value("port") ?? 0
      guard let port = UInt16(exactly: number) else { throw malformed("port") }
      return .internet(
        server: try string("srvr"), account: try string("acct"),
        securityDomain: try string("sdmn"),
        protocol: try codeString("ptcl").map(InternetProtocol.init(rawValue:)),
        authenticationType: try codeString("atyp").map(InternetAuthenticationType.init(rawValue:)),
        port: port == 0 ? nil : port, path: try string("path"))
    case nil: throw malformed("class")
    default:
      throw .unsupported(
        path: path, reason: "\(position): it is neither a generic nor an internet password")
    }
  }

  private func value<Value: Decodable>(_ key: String) throws(MigrationError) -> Value? {
    guard let tree = attributes[StoredKey(key)] else { return nil }
    do throws(ValueCodingError) {
      return try TreeDecoder().decode(Value?.self, from: tree)
    } catch {
      throw malformed(key)
    }
  }

  /// Returns a string, which may be encoded as data; nil if it is absent or empty.
  private func string(_ key: String) throws(MigrationError) -> String? {
    guard case .data(let data)? = attributes[StoredKey(key)] else {
      let string: String? = try value(key)
      return string == "" ? nil : string
    }
    guard let string = String(validating: data, as: UTF8.self) else { throw malformed(key) }
    return string.isEmpty ? nil : string
  }

  /// Returns a four-character code, which may be a string or number; nil if absent, empty or 0.
  private func code(_ key: String) throws(MigrationError) -> UInt32? {
    if case .string(let string)? = attributes[StoredKey(key)] {
      let characters = Array(string.utf8)
      guard characters.count <= 4 else { throw malformed(key) }
      let padded = characters + Array(repeating: UInt8(ascii: " "), count: 4 - characters.count)
      return characters.isEmpty ? nil : padded.reduce(0) { $0 << 8 | UInt32($1) }
    }
    let number: Int64 = try value(key) ?? 0
    // Codes whose first character is not ASCII are negative numbers.
    guard let code = UInt32(exactly: number) ?? Int32(exactly: number).map(UInt32.init(bitPattern:))
    else { throw malformed(key) }
    return code == 0 ? nil : code
  }

  private func codeString(_ key: String) throws(MigrationError) -> String? {
    guard let code = try code(key) else { return nil }
    let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Returns a Boolean, which may be encoded as a number; nil if it is absent.
  private func flag(_ key: String) throws(MigrationError) -> Bool? {
    guard case .number? = attributes[StoredKey(key)] else { return try value(key) }
    let number: Int? = try value(key)
    return number != 0
  }

  private func malformed(_ key: String) -> MigrationError {
    .malformed(path: path, reason: "\(position): \(key) is missing or invalid")
  }
}
