import FoundationEssentials

/// An item as the vault has it in memory: its attributes open but encoded, its secret sealed.
///
/// Most items of a large vault are never asked for, so an item is decoded only when it is: opening
/// the vault takes half the time of decoding all.
struct VaultItem: Sendable {
  /// Where the numbers of the encoded item are; the texts follow them.
  private enum Offset {
    static let id = 0
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
    static let secretCount = 91
    static let fieldsCount = 95
    static let fields = 99
  }

  /// The dates that an item may have, in microseconds since 1970.
  ///
  /// Adding to them cannot overflow.
  static let dates: ClosedRange<Int64> = -(1 << 62)...(1 << 62)

  private static let genericClass: UInt8 = 1
  private static let internetClass: UInt8 = 2

  private static func code(of itemClass: ItemIdentity.Class) -> UInt8 {
    itemClass == .generic ? genericClass : internetClass
  }

  /// What a sealing under an application password is bound to: what stays the same for life, in
  /// this vault and in another one.
  static func passwordContext(of identity: ItemIdentity) -> [UInt8] {
    [code(of: identity.itemClass)] + ItemFields.encoded(identity)
  }

  /// The record that the item stands in, which its other items share.
  private let body: RecordBody
  /// Where the item begins in the record's attributes, and its secret in what stands behind them.
  private let start: Int
  private let secretStart: Int

  private init(body: RecordBody, start: Int, secretStart: Int) {
    self.body = body
    self.start = start
    self.secretStart = secretStart
  }

  /// Encodes an item, with the fields that a newer version wrote as they are.
  init(item: SecretItem, secret: SealedSecret, unknown: ArraySlice<UInt8>) {
    var bytes: [UInt8] = []
    bytes.append(item.id)
    bytes.append(littleEndian: item.revision)
    bytes.append(littleEndian: item.creationDate.microseconds)
    bytes.append(littleEndian: item.modificationDate.microseconds)
    bytes.append(Self.code(of: item.identity.itemClass))
    bytes.append(item.attributes.accessControl.accessibility.rawValue)
    bytes.append(littleEndian: item.attributes.accessControl.flags.rawValue)
    bytes.append(littleEndian: secret.revision)
    bytes.append(littleEndian: secret.key)
    bytes.append(secret.accessibility.rawValue)
    bytes += secret.salt
    bytes.append(littleEndian: UInt32(secret.bytes.count))
    bytes.append(counted: ItemFields(item).encoded + unknown)
    body = RecordBody(attributes: bytes, secrets: secret.bytes)
    start = 0
    secretStart = secret.bytes.startIndex
  }

  /// Takes an item from a record's attributes, and its secret from what stands behind them.
  init(
    in body: RecordBody, _ reader: inout RecordReader, secrets: inout RecordReader
  ) throws(MalformedRecord) {
    self.body = body
    start = reader.position
    secretStart = secrets.position
    try reader.skip(Offset.secretCount)
    try secrets.skip(Int(reader.integer(UInt32.self)))
    // From here on, decoding cannot fail.
    let fieldsCount = try reader.integer(UInt32.self)
    try ItemFields.check(&reader, count: Int(fieldsCount))
    guard Accessibility(rawValue: byte(Offset.accessibility)) != nil,
      Accessibility(rawValue: byte(Offset.secretAccessibility)) != nil,
      [Self.genericClass, Self.internetClass].contains(byte(Offset.itemClass)),
      RecordHeader.sequences.contains(revision),
      RecordHeader.sequences.contains(integer(Offset.secretRevision)),
      Self.dates.contains(created), Self.dates.contains(modified)
    else { throw MalformedRecord() }
  }

  /// The item as it stands among a record's attributes.
  var encoded: ArraySlice<UInt8> {
    body.attributes[start..<(start + Offset.fields + Int(integer(Offset.fieldsCount) as UInt32))]
  }

  /// The item's secret as it stands behind them.
  var sealed: ArraySlice<UInt8> {
    body.secrets[secretStart..<(secretStart + Int(integer(Offset.secretCount) as UInt32))]
  }

  var id: SecretItem.ID {
    // Exactly the size of a UUID is read, within the numbers.
    unsafe body.attributes.withUnsafeBytes {
      SecretItem.ID(
        bytes: UUID(
          uuid: unsafe $0.loadUnaligned(fromByteOffset: start + Offset.id, as: uuid_t.self)))
    }
  }

  var revision: UInt64 { integer(Offset.revision) }
  /// In microseconds since 1970.
  var created: Int64 { integer(Offset.created) }
  /// In microseconds since 1970.
  var modified: Int64 { integer(Offset.modified) }

  var accessControl: AccessControl {
    AccessControl(
      accessibility(Offset.accessibility), flags: AccessFlags(rawValue: integer(Offset.flags)))
  }

  var secret: SealedSecret {
    SealedSecret(
      revision: integer(Offset.secretRevision), key: integer(Offset.secretKey),
      accessibility: accessibility(Offset.secretAccessibility), flags: accessControl.flags,
      salt: encoded.dropFirst(Offset.salt).prefix(32), bytes: sealed)
  }

  var identity: ItemIdentity { fields.identity }

  var unknown: ArraySlice<UInt8> { fields.unknown[...] }

  /// Whether the item's account is surely another one, as a look at the bytes tells.
  ///
  /// Beyond ASCII, texts may be equal that have different bytes.
  func surelyHasOtherAccount(than account: [UInt8]) -> Bool {
    let start = start + Offset.fields
    // The fields were checked, so none of them leads out of the attributes.
    return unsafe body.attributes.withUnsafeBytes { bytes in
      unsafe ItemFields.account(
        in: UnsafeRawBufferPointer(
          rebasing: bytes[start..<(start + Int(integer(Offset.fieldsCount) as UInt32))])
      ) { found in
        unsafe !found.elementsEqual(account) && found.allSatisfy { $0 < 128 }
      }
    }
  }

  /// The item with its dates moved back to a date, in microseconds since 1970, if they are later.
  func copy(datedUpTo latest: Int64) -> VaultItem {
    copy(as: id, revision: revision, with: secret, datedUpTo: latest)
  }

  /// The item under another name and revision, its secret sealed for there; the rest as it stands.
  func copy(
    as id: SecretItem.ID, revision: UInt64, with secret: SealedSecret,
    datedUpTo latest: Int64 = .max
  ) -> VaultItem {
    let old = encoded
    func part(_ range: Range<Int>) -> ArraySlice<UInt8> {
      old[(old.startIndex + range.lowerBound)..<(old.startIndex + range.upperBound)]
    }
    var bytes: [UInt8] = []
    bytes.append(id)
    bytes.append(littleEndian: revision)
    bytes.append(littleEndian: min(created, latest))
    bytes.append(littleEndian: min(modified, latest))
    bytes += part(Offset.itemClass..<Offset.secretRevision)
    bytes.append(littleEndian: secret.revision)
    bytes.append(littleEndian: secret.key)
    bytes.append(secret.accessibility.rawValue)
    bytes += secret.salt
    bytes.append(littleEndian: UInt32(secret.bytes.count))
    bytes += part(Offset.fieldsCount..<old.count)
    return VaultItem(
      body: RecordBody(attributes: bytes, secrets: secret.bytes), start: 0,
      secretStart: secret.bytes.startIndex)
  }

  /// Whether all but the name, the revision and the secret are the same, byte by byte.
  func hasSameAttributes(as other: VaultItem) -> Bool {
    let places = Offset.created..<Offset.secretRevision
    return encoded.dropFirst(places.lowerBound).prefix(places.count)
      == other.encoded.dropFirst(places.lowerBound).prefix(places.count)
      && encoded.dropFirst(Offset.fieldsCount) == other.encoded.dropFirst(Offset.fieldsCount)
  }

  /// Whether the class and the identity are the same, which an item keeps for life.
  func hasSameIdentity(as other: VaultItem) -> Bool {
    // The bytes of an item that was changed are mostly the same, and decoding takes ten times as
    // long.
    byte(Offset.itemClass) == other.byte(Offset.itemClass)
      && encoded.dropFirst(Offset.fieldsCount) == other.encoded.dropFirst(Offset.fieldsCount)
      || identity == other.identity
  }

  /// What the item takes in a log, in bytes.
  var byteCount: Int {
    Offset.fields + Int(integer(Offset.fieldsCount) as UInt32)
      + Int(integer(Offset.secretCount) as UInt32)
  }

  /// The item, decoded.
  var item: SecretItem {
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
      isGeneric: byte(Offset.itemClass) == Self.genericClass,
      reading: RecordReader(encoded.dropFirst(Offset.fields)))
  }

  private func byte(_ offset: Int) -> UInt8 { body.attributes[start + offset] }

  private func accessibility(_ offset: Int) -> Accessibility {
    guard let accessibility = Accessibility(rawValue: byte(offset)) else {
      fatalError("An item was not checked before it was kept.")
    }
    return accessibility
  }

  private func integer<Integer: FixedWidthInteger>(_ offset: Int) -> Integer {
    // All offsets lie within the numbers, which are there.
    unsafe body.attributes.withUnsafeBytes {
      unsafe Integer(
        littleEndian: $0.loadUnaligned(fromByteOffset: start + offset, as: Integer.self))
    }
  }
}

/// The opened attributes of a record of items, and the sealed secrets that stand behind them.
final class RecordBody: Sendable {
  let attributes: [UInt8]
  let secrets: ArraySlice<UInt8>

  init(attributes: [UInt8], secrets: ArraySlice<UInt8>) {
    self.attributes = attributes
    self.secrets = secrets
  }
}

extension [UInt8] {
  mutating func append(_ id: SecretItem.ID) {
    // A UUID is 16 bytes in a row.
    unsafe Swift.withUnsafeBytes(of: id.bytes.uuid) { unsafe append(contentsOf: $0) }
  }
}

extension Date {
  /// Since 1970, rounded, and within the dates that an item may have.
  var microseconds: Int64 {
    let rounded = (timeIntervalSince1970 * 1e6).rounded()
    guard rounded < Double(VaultItem.dates.upperBound) else { return VaultItem.dates.upperBound }
    return Int64(exactly: max(rounded, Double(VaultItem.dates.lowerBound))) ?? 0
  }

  init(microseconds: Int64) {
    self.init(timeIntervalSince1970: Double(microseconds) / 1e6)
  }
}
