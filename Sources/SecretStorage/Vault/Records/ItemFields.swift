import FoundationEssentials

/// The optional fields of an item, each encoded as a tag, a byte count and the bytes.
struct ItemFields {
  private enum Tag {
    static let service: UInt8 = 1
    static let account: UInt8 = 2
    static let server: UInt8 = 3
    static let securityDomain: UInt8 = 4
    static let `protocol`: UInt8 = 5
    static let authenticationType: UInt8 = 6
    static let port: UInt8 = 7
    static let path: UInt8 = 8
    static let label: UInt8 = 16
    static let comment: UInt8 = 17
    static let itemDescription: UInt8 = 18
    static let creator: UInt8 = 19
    static let type: UInt8 = 20
    static let isInvisible: UInt8 = 21
  }

  private(set) var identity: ItemIdentity
  private(set) var attributes = ItemAttributes()
  /// Fields with unknown tags, which are preserved unchanged.
  private(set) var unknown: [UInt8] = []

  init(_ item: SecretItem) {
    identity = item.identity
    attributes = item.attributes
  }

  var encoded: [UInt8] {
    var bytes = Self.encoded(identity)
    bytes.append(Tag.label, attributes.label)
    bytes.append(Tag.comment, attributes.comment)
    bytes.append(Tag.itemDescription, attributes.itemDescription)
    bytes.append(Tag.creator, attributes.creator)
    bytes.append(Tag.type, attributes.type)
    bytes.append(Tag.isInvisible, attributes.isInvisible.map { UInt8($0 ? 1 : 0) })
    return bytes
  }

  /// Returns the encoded fields of an identity, in the order of their tags.
  static func encoded(_ identity: ItemIdentity) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(Tag.service, identity.service)
    bytes.append(Tag.account, identity.account)
    bytes.append(Tag.server, identity.server)
    bytes.append(Tag.securityDomain, identity.securityDomain)
    bytes.append(Tag.protocol, identity.protocol?.rawValue)
    bytes.append(Tag.authenticationType, identity.authenticationType?.rawValue)
    bytes.append(Tag.port, identity.port)
    bytes.append(Tag.path, identity.path)
    return bytes
  }

  /// Skips encoded fields, and throws if ``init(isGeneric:decoding:)`` could not decode them.
  static func check(
    _ reader: inout RecordReader, count: Int
  ) throws(MalformedRecord) {
    let end = reader.position + count
    while reader.position < end {
      let tag = try reader.integer(UInt8.self)
      let count = Int(try reader.integer(UInt32.self))
      try reader.skip(count)
      let requiredCount =
        switch tag {
        case Tag.port: 2
        case Tag.creator, Tag.type: 4
        case Tag.isInvisible: 1
        default: count
        }
      if count != requiredCount { throw MalformedRecord() }
    }
    if reader.position != end { throw MalformedRecord() }
  }

  /// Calls a closure with the bytes of the account in checked fields, or no bytes if it is absent.
  static func account<Result>(
    in fields: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer.SubSequence) -> Result
  ) -> Result {
    var position = 0
    while position < fields.count {
      let count = Int(
        UInt32(
          littleEndian: unsafe fields.loadUnaligned(fromByteOffset: position + 1, as: UInt32.self)))
      let content = (position + 5)..<(position + 5 + count)
      if unsafe fields[position] == Tag.account { return unsafe body(fields[content]) }
      position = content.upperBound
    }
    return unsafe body(fields[..<0])
  }

  /// Decodes fields that ``check(_:count:)`` accepted.
  init(isGeneric: Bool, decoding fields: RecordReader) {
    identity = isGeneric ? .generic() : .internet()
    do throws(MalformedRecord) {
      try read(fields)
    } catch {
      fatalError("An item's fields were not checked before they were decoded.")
    }
  }

  private mutating func read(_ fields: RecordReader) throws(MalformedRecord) {
    var reader = fields
    while !reader.isAtEnd {
      let tag = try reader.integer(UInt8.self)
      let bytes = try reader.countedBytes()
      switch tag {
      case Tag.service: identity.service = Self.string(bytes)
      case Tag.account: identity.account = Self.string(bytes)
      case Tag.server: identity.server = Self.string(bytes)
      case Tag.securityDomain: identity.securityDomain = Self.string(bytes)
      case Tag.protocol: identity.protocol = InternetProtocol(rawValue: Self.string(bytes))
      case Tag.authenticationType:
        identity.authenticationType = InternetAuthenticationType(rawValue: Self.string(bytes))
      case Tag.port: identity.port = try Self.integer(bytes)
      case Tag.path: identity.path = Self.string(bytes)
      case Tag.label: attributes.label = Self.string(bytes)
      case Tag.comment: attributes.comment = Self.string(bytes)
      case Tag.itemDescription: attributes.itemDescription = Self.string(bytes)
      case Tag.creator: attributes.creator = try Self.integer(bytes)
      case Tag.type: attributes.type = try Self.integer(bytes)
      case Tag.isInvisible: attributes.isInvisible = try Self.integer(bytes, UInt8.self) != 0
      default:
        unknown.append(tag)
        unknown.append(counted: bytes)
      }
    }
  }

  private static func string(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }

  private static func integer<Integer: FixedWidthInteger>(
    _ bytes: ArraySlice<UInt8>, _ type: Integer.Type = Integer.self
  ) throws(MalformedRecord) -> Integer {
    var reader = RecordReader(bytes)
    return try reader.integer()
  }
}
