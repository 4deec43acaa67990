import FoundationEssentials

/// The optional fields of an item, each encoded as a tag, a byte count and the bytes.
struct ItemFields {
  private enum Tag: UInt8 {
    case service = 1
    case account, server, securityDomain, `protocol`, authenticationType, port, path
    case label = 16
    case comment, itemDescription, creator, type, isInvisible
  }

  static var accountTag: UInt8 { Tag.account.rawValue }

  private(set) var identity: ItemIdentity
  private(set) var attributes = ItemAttributes()
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
  static func check(_ reader: inout RecordReader, count: Int) throws(MalformedRecord) {
    let end = reader.position + count
    while reader.position < end {
      let tag = Tag(rawValue: try reader.integer())
      let count = Int(try reader.integer(UInt32.self))
      try reader.skip(count)
      let requiredCount =
        switch tag {
        case .port: 2
        case .creator, .type: 4
        case .isInvisible: 1
        default: count
        }
      if count != requiredCount { throw MalformedRecord() }
    }
    if reader.position != end { throw MalformedRecord() }
  }

  /// Decodes fields that ``check(_:count:)`` accepted.
  init(isGeneric: Bool, decoding fields: RecordReader) {
    identity = isGeneric ? .generic() : .internet()
    do throws(MalformedRecord) {
      var reader = fields
      while !reader.isAtEnd {
        let tag: UInt8 = try reader.integer()
        let bytes = try reader.countedBytes()
        var content = RecordReader(bytes)
        switch Tag(rawValue: tag) {
        case .service: identity.service = String(bytes)
        case .account: identity.account = String(bytes)
        case .server: identity.server = String(bytes)
        case .securityDomain: identity.securityDomain = String(bytes)
        case .protocol: identity.protocol = InternetProtocol(rawValue: String(bytes))
        case .authenticationType:
          identity.authenticationType = InternetAuthenticationType(rawValue: String(bytes))
        case .port: identity.port = try content.integer()
        case .path: identity.path = String(bytes)
        case .label: attributes.label = String(bytes)
        case .comment: attributes.comment = String(bytes)
        case .itemDescription: attributes.itemDescription = String(bytes)
        case .creator: attributes.creator = try content.integer()
        case .type: attributes.type = try content.integer()
        case .isInvisible: attributes.isInvisible = try content.integer(UInt8.self) != 0
        case nil: unknown.append(tag, counted: bytes)
        }
      }
    } catch {
      fatalError("An item's fields were not checked before they were decoded.")
    }
  }
}

extension String {
  fileprivate init(_ bytes: ArraySlice<UInt8>) { self.init(decoding: bytes, as: UTF8.self) }
}
