import FoundationEssentials

/// An item of a vault, decoded on demand, because decoding all items would double the opening time.
struct VaultItem: Sendable {
  /// The offsets of the fixed-size fields of an encoded item; the other fields follow.
  private enum Offset {
    static let revision = 16
    static let created = 24
    static let modified = 32
    static let itemClass = 40
    static let accessibility = 41
    static let flags = 42
    static let secretRevision = 46
    static let secretKey = 54
    static let secretAccessibility = 58
    static let salt = 59
    static let secretSize = 91
    static let fieldsSize = 95
    static let fields = 99
  }

  /// The valid dates in microseconds since 1970, which allow adding offsets without overflow.
  static let dates: ClosedRange<Int64> = -(1 << 62)...(1 << 62)

  /// Returns the authenticated context, in any vault, of a secret under an application password.
  static func passwordContext(of identity: ItemIdentity) -> [UInt8] {
    [identity.itemClass.code] + ItemFields.encoded(identity)
  }

  /// The content of the record that contains the item, which all items of the record share.
  private let body: RecordBody
  /// The offset of the item in the record's attributes.
  private let start: Int
  /// The offset of the item's secret in the record's sealed secrets.
  private let secretStart: Int

  /// Encodes an item; `access` has its class and access control, and `fields` begins with a count.
  private init(
    id: SecretItem.ID, revision: UInt64, created: Int64, modified: Int64,
    access: some Collection<UInt8>, _ secret: SealedSecret, counted fields: some Collection<UInt8>
  ) {
    var bytes: [UInt8] = []
    bytes.append(id)
    bytes.append(littleEndian: revision)
    bytes.append(littleEndian: created)
    bytes.append(littleEndian: modified)
    bytes += access
    bytes.append(littleEndian: secret.revision)
    bytes.append(littleEndian: secret.key)
    bytes.append(secret.accessibility.rawValue)
    bytes += secret.salt
    bytes.append(littleEndian: UInt32(secret.content.count))
    bytes += fields
    body = RecordBody(attributes: bytes, secrets: secret.content.copy)
    (start, secretStart) = (0, 0)
  }

  /// Encodes an item; `unknown` has its fields of newer versions.
  init(item: SecretItem, secret: SealedSecret, unknown: ArraySlice<UInt8>) {
    let accessControl = item.attributes.accessControl
    var access = [item.identity.itemClass.code, accessControl.accessibility.rawValue]
    access.append(littleEndian: accessControl.flags.rawValue)
    var fields: [UInt8] = []
    fields.append(counted: ItemFields(item).encoded + unknown)
    self.init(
      id: item.id, revision: item.revision, created: item.creationDate.microseconds,
      modified: item.modificationDate.microseconds, access: access, secret, counted: fields)
  }

  /// Reads the next item of a record, whose bytes are checked but not yet decoded.
  init(
    in body: RecordBody, _ reader: inout RecordReader, secrets: inout RecordReader
  ) throws(SecretStoreError) {
    self.body = body
    start = reader.position
    secretStart = secrets.offset
    try reader.skip(Offset.secretSize)
    try secrets.skip(Int(reader.integer(UInt32.self)))
    // The following checks ensure that decoding cannot fail later.
    let fieldsSize = try reader.integer(UInt32.self)
    try ItemFields.check(&reader, count: Int(fieldsSize))
    guard Accessibility(rawValue: byte(Offset.accessibility)) != nil,
      Accessibility(rawValue: byte(Offset.secretAccessibility)) != nil,
      (1...2).contains(byte(Offset.itemClass)),
      RecordHeader.sequences.contains(revision),
      RecordHeader.sequences.contains(integer(Offset.secretRevision)),
      Self.dates.contains(created), Self.dates.contains(modified)
    else { throw .malformedRecord }
  }

  var encoded: ArraySlice<UInt8> { body.attributes[start..<end] }

  /// The end of the encoded item in the record's attributes.
  private var end: Int { start + Offset.fields + Int(integer(Offset.fieldsSize) as UInt32) }
  var sealed: SealedContent { body.secrets[secretStart..<(secretStart + secretSize)] }
  private var secretSize: Int { Int(integer(Offset.secretSize) as UInt32) }
  var id: SecretItem.ID { SecretItem.ID(body.attributes[start..<(start + Offset.revision)]) }
  var revision: UInt64 { integer(Offset.revision) }
  /// The creation date in microseconds since 1970, the unit of all dates of an item.
  var created: Int64 { integer(Offset.created) }
  var modified: Int64 { integer(Offset.modified) }

  var accessControl: AccessControl {
    AccessControl(
      accessibility(Offset.accessibility), flags: AccessFlags(rawValue: integer(Offset.flags)))
  }

  var secret: SealedSecret {
    SealedSecret(
      revision: integer(Offset.secretRevision), key: integer(Offset.secretKey),
      accessibility: accessibility(Offset.secretAccessibility), flags: accessControl.flags,
      salt: encoded.dropFirst(Offset.salt).prefix(32), content: sealed)
  }

  var identity: ItemIdentity { fields.identity }
  var unknown: ArraySlice<UInt8> { fields.unknown[...] }

  /// Returns whether the account is certainly not an ASCII string; false for a non-ASCII account.
  func definitelyHasOtherAccount(than account: [UInt8]) -> Bool {
    var position = start + Offset.fields
    let end = end
    // `ItemFields.check` has ensured that all fields are within the attributes.
    return unsafe body.attributes.withUnsafeBytes { bytes in
      while position < end {
        let count = unsafe bytes.loadUnaligned(fromByteOffset: position + 1, as: UInt32.self)
        let content = (position + 5)..<(position + 5 + Int(UInt32(littleEndian: count)))
        if unsafe bytes[position] == ItemFields.accountTag {
          let found = unsafe bytes[content]
          return unsafe !found.elementsEqual(account) && found.allSatisfy { $0 < 128 }
        }
        position = content.upperBound
      }
      return !account.isEmpty
    }
  }

  /// Returns a copy of the item with another identifier, revision, secret and, if given, date of
  /// modification, and with limited dates.
  func copy(
    as id: SecretItem.ID, revision: UInt64, with secret: SealedSecret,
    modified: Int64? = nil, datedUpTo latest: Int64 = .max
  ) -> VaultItem {
    let encoded = encoded
    return VaultItem(
      id: id, revision: revision, created: min(created, latest),
      modified: min(modified ?? self.modified, latest),
      access: encoded.prefix(Offset.secretRevision).dropFirst(Offset.itemClass), secret,
      counted: encoded.dropFirst(Offset.fieldsSize))
  }

  /// Returns whether everything except the identifier, revision and secret is equal byte by byte.
  func hasSameAttributes(as other: VaultItem) -> Bool {
    encoded.prefix(Offset.secretRevision).dropFirst(Offset.created)
      == other.encoded.prefix(Offset.secretRevision).dropFirst(Offset.created)
      && encoded.dropFirst(Offset.fieldsSize) == other.encoded.dropFirst(Offset.fieldsSize)
  }

  func hasSameIdentity(as other: VaultItem) -> Bool {
    // The fields are usually equal byte by byte, and decoding them takes ten times as long.
    byte(Offset.itemClass) == other.byte(Offset.itemClass)
      && encoded.dropFirst(Offset.fieldsSize) == other.encoded.dropFirst(Offset.fieldsSize)
      || identity == other.identity
  }

  /// The size of the encoded attributes and the sealed secret, in bytes.
  var byteCount: Int { end - start + secretSize }

  var decoded: SecretItem {
    let fields = fields
    var attributes = fields.attributes
    attributes.accessControl = accessControl
    return SecretItem(
      id: id, identity: fields.identity, attributes: attributes,
      creationDate: Date(microseconds: created),
      modificationDate: Date(microseconds: modified), revision: revision)
  }

  private var fields: ItemFields {
    ItemFields(
      isGeneric: byte(Offset.itemClass) == ItemIdentity.Class.generic.code,
      decoding: RecordReader(encoded.dropFirst(Offset.fields)))
  }

  private func byte(_ offset: Int) -> UInt8 { body.attributes[start + offset] }

  private func accessibility(_ offset: Int) -> Accessibility {
    guard let accessibility = Accessibility(rawValue: byte(offset)) else {
      fatalError("An item was not checked before it was stored.")
    }
    return accessibility
  }

  private func integer<Integer: FixedWidthInteger>(_ offset: Int) -> Integer {
    // All offsets are within the fixed-size fields, whose presence was checked.
    unsafe body.attributes.withUnsafeBytes {
      unsafe Integer(
        littleEndian: $0.loadUnaligned(fromByteOffset: start + offset, as: Integer.self))
    }
  }
}

/// The attributes and the sealed secrets of a record of items, copied so as not to retain the file.
final class RecordBody: Sendable {
  let attributes: [UInt8]
  let secrets: SealedContent

  init(attributes: [UInt8], secrets: SealedContent) {
    self.attributes = attributes
    self.secrets = secrets
  }
}

extension ItemIdentity.Class {
  fileprivate var code: UInt8 { self == .generic ? 1 : 2 }
}

extension Date {
  /// The microseconds since 1970, rounded and clamped to the valid dates of an item; 0 for NaN.
  var microseconds: Int64 {
    let rounded = (timeIntervalSince1970 * 1e6).rounded()
    if rounded >= Double(VaultItem.dates.upperBound) { return VaultItem.dates.upperBound }
    return Int64(exactly: max(rounded, Double(VaultItem.dates.lowerBound))) ?? 0
  }

  init(microseconds: Int64) {
    self.init(timeIntervalSince1970: Double(microseconds) / 1e6)
  }
}
