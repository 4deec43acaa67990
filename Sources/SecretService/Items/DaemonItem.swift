import FoundationEssentials
import SecretStorage
import ValueFormats

/// An item of a daemon that a store uses.
struct DaemonItem {
  let path: String
  /// All attributes, including those that the daemon or other programs have added.
  let attributes: [String: String]
  let item: SecretItem
  /// Whether another program wrote the secret, as text.
  let isText: Bool
}

extension ItemLayout {
  static let revisionKey = "locket:revision"
  private static let createdKey = "locket:created"
  private static let modifiedKey = "locket:modified"
  private static let labelKey = "locket:label"
  private static let commentKey = "locket:comment"
  private static let descriptionKey = "locket:description"
  private static let creatorKey = "locket:creator"
  private static let typeKey = "locket:type"
  private static let invisibleKey = "locket:invisible"

  /// The value of an attribute that was removed, which no escaped string has.
  private static let none = "$null:1"

  /// Attributes that a daemon adds to each item, and that are not written back.
  private static let daemonKeys: Set = [
    "Title", "UserName", "URL", "Notes", "Uuid", "Path", "TOTP",
  ]

  /// Returns the attributes of an item of Locket, with those of other programs that it had.
  func ownAttributes(
    of item: SecretItem, keeping others: [String: String] = [:]
  ) -> [String: String] {
    var result = others.filter {
      !$0.key.hasPrefix("locket:") && !Self.daemonKeys.contains($0.key)
    }
    result.merge(Self.parts(of: item.identity)) { $1 }
    result[Self.schemaKey] = ownSchema(item.identity.itemClass)
    result[Self.idKey] = item.id.uuid.uuidString
    result[Self.revisionKey] = String(item.revision)
    result[Self.createdKey] = String(item.creationDate.microseconds)
    result[Self.modifiedKey] = String(item.modificationDate.microseconds)
    let attributes = item.attributes
    let optional = [
      Self.labelKey: attributes.label.map(Self.escaped),
      Self.commentKey: attributes.comment.map(Self.escaped),
      Self.descriptionKey: attributes.itemDescription.map(Self.escaped),
      Self.creatorKey: attributes.creator.map { String($0) },
      Self.typeKey: attributes.type.map { String($0) },
      Self.invisibleKey: attributes.isInvisible.map { String($0) },
    ]
    // KeePassXC keeps an attribute that is left out.
    for (key, value) in optional { result[key] = value ?? (others[key] == nil ? nil : Self.none) }
    return result
  }

  /// Returns the item of Locket with the attributes; nil if they are not complete.
  func ownItem(at path: String, _ attributes: [String: String]) -> DaemonItem? {
    guard let itemClass = ownClass(attributes[Self.schemaKey]),
      let identity = Self.identity(itemClass, from: attributes),
      let uuid = attributes[Self.idKey].flatMap({ UUID(uuidString: $0) }),
      let revision = attributes[Self.revisionKey].flatMap({ UInt64($0) }),
      let created = attributes[Self.createdKey].flatMap({ Date(microseconds: $0) }),
      let modified = attributes[Self.modifiedKey].flatMap({ Date(microseconds: $0) })
    else { return nil }
    let text = { attributes[$0].flatMap { $0 == Self.none ? nil : EscapedString.unescape($0) } }
    let item = SecretItem(
      id: SecretItem.ID(uuid: uuid), identity: identity,
      attributes: ItemAttributes(
        label: text(Self.labelKey), comment: text(Self.commentKey),
        itemDescription: text(Self.descriptionKey),
        creator: attributes[Self.creatorKey].flatMap { UInt32($0) },
        type: attributes[Self.typeKey].flatMap { UInt32($0) },
        isInvisible: attributes[Self.invisibleKey].flatMap { Bool($0) }),
      creationDate: created, modificationDate: modified, revision: revision)
    return DaemonItem(path: path, attributes: attributes, item: item, isText: false)
  }

  /// Returns an item of another program, whose revision is made of the daemon's times and of the
  /// revision that this library has added; nil if the layout has no such items.
  func foreignItem(
    at path: String, _ record: ItemRecord, for query: ItemQuery
  ) -> DaemonItem? {
    let attributes = record.attributes
    guard let details = record.details, let identity = foreignIdentity(attributes, for: query)
    else { return nil }
    let added = attributes[Self.revisionKey].flatMap { UInt64($0) } ?? 0
    let date = { (seconds: UInt64) in
      Date(timeIntervalSince1970: Double(min(seconds, 1 << 40)))
    }
    let item = SecretItem(
      id: Self.foreignID(path), identity: identity,
      attributes: ItemAttributes(label: details.label),
      creationDate: date(details.created), modificationDate: date(details.modified),
      revision: details.modified << 20 | added & 0xFFFFF)
    return DaemonItem(path: path, attributes: attributes, item: item, isText: true)
  }

  /// Returns the attributes that announce a change to the secret of another program's item.
  ///
  /// An item that was chosen by its attributes keeps them as they are.
  func foreignAttributes(afterChangeOf item: DaemonItem) -> [String: String] {
    var attributes = item.attributes.filter { !Self.daemonKeys.contains($0.key) }
    if case .existing = kind { return attributes }
    let old = attributes[Self.revisionKey].flatMap { UInt64($0) } ?? 0
    attributes[Self.revisionKey] = String(old &+ 1)
    return attributes
  }

  /// Returns an identifier that is made of an item's path: two hashes of 64 bits (FNV-1a).
  private static func foreignID(_ path: String) -> SecretItem.ID {
    var hashes: (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 0x8422_2325_CBF2_9CE4)
    for byte in path.utf8 {
      hashes.0 = (hashes.0 ^ UInt64(byte)) &* 0x100_0000_01B3
      hashes.1 = (hashes.1 &* 0x100_0000_01B3) ^ UInt64(byte)
    }
    let uuid = unsafe withUnsafeBytes(of: &hashes) { unsafe $0.loadUnaligned(as: uuid_t.self) }
    return SecretItem.ID(uuid: UUID(uuid: uuid))
  }

  private static func escaped(_ string: String) -> String {
    EscapedString.escape(string, needsEscape: string.utf8.contains(0))
  }
}

extension Date {
  /// The time since 1970, in microseconds.
  var microseconds: Int64 { Int64((timeIntervalSince1970 * 1e6).rounded()) }

  /// Creates a date from the decimal number of microseconds since 1970.
  init?(microseconds text: String) {
    guard let count = Int64(text), count >= 0, count < 1 << 53 else { return nil }
    self.init(timeIntervalSince1970: Double(count) / 1e6)
  }

  /// The current time in whole microseconds, which the attributes hold exactly.
  static var wholeMicroseconds: Date {
    Date(timeIntervalSince1970: Double(Date().microseconds) / 1e6)
  }
}
