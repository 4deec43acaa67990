public import FoundationEssentials

/// An item of a store, without its secret.
public struct SecretItem: Hashable, Sendable, Identifiable {
  /// The identifier of an item in its store, which does not change when the item is updated.
  public struct ID: Hashable, Sendable {
    /// 16 random bytes.
    public let uuid: UUID

    /// Creates an identifier from 16 bytes.
    public init(uuid: UUID) {
      self.uuid = uuid
    }

    /// Hashes 7 of the random bytes, which are sufficient.
    public func hash(into hasher: inout Hasher) {
      let bytes = uuid.uuid
      hasher.combine(
        UInt64(bytes.0) | UInt64(bytes.2) << 8 | UInt64(bytes.4) << 16 | UInt64(bytes.8) << 24
          | UInt64(bytes.10) << 32 | UInt64(bytes.12) << 40 | UInt64(bytes.14) << 48)
    }
  }

  /// The item's identifier in its store.
  public let id: ID
  /// The identity of the item.
  public let identity: ItemIdentity
  /// The attributes of the item.
  public let attributes: ItemAttributes
  /// The date when the item was added, by the store's clock.
  public let creationDate: Date
  /// The date of the last change of the attributes or the secret, by the store's clock.
  public let modificationDate: Date
  /// The revision of the item, which changes with each update; updating the item requires it.
  public let revision: UInt64

  /// Creates an item; only implementations of stores need this.
  public init(
    id: ID, identity: ItemIdentity, attributes: ItemAttributes, creationDate: Date,
    modificationDate: Date, revision: UInt64
  ) {
    self.id = id
    self.identity = identity
    self.attributes = attributes
    self.creationDate = creationDate
    self.modificationDate = modificationDate
    self.revision = revision
  }

  /// Returns whether an item is older, by creation date and then by identifier.
  public static func isOlder(_ one: SecretItem, _ other: SecretItem) -> Bool {
    one.creationDate != other.creationDate
      ? one.creationDate < other.creationDate : one.id.uuid.uuidString < other.id.uuid.uuidString
  }
}

extension SecretItem.ID {
  /// Returns a random version 4 UUID; `UUID()` repeats values if it cannot open `/dev/urandom`.
  static func random() throws(SecretStoreError) -> SecretItem.ID {
    var bytes = try [UInt8].random(16)
    // With the version, the identifier is neither all zeros nor all ones, which are reserved.
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return SecretItem.ID(bytes[...])
  }

  init(_ bytes: ArraySlice<UInt8>) {
    precondition(bytes.count == 16, "An identifier has 16 bytes, not \(bytes.count).")
    self = unsafe bytes.withUnsafeBytes {
      SecretItem.ID(uuid: UUID(uuid: unsafe $0.loadUnaligned(as: uuid_t.self)))
    }
  }
}

/// The limits on an item, in bytes, over which a check throws `invalid`.
package enum ItemLimits {
  package static let secretSize = 16 * 1024 * 1024
  package static let stringSize = 64 * 1024

  package static func check(
    identity: ItemIdentity, attributes: ItemAttributes, secretCount: Int
  ) throws(SecretStoreError) {
    try check(secretCount: secretCount)
    let strings = [
      identity.service, identity.account, identity.server, identity.securityDomain,
      identity.protocol?.rawValue, identity.authenticationType?.rawValue, identity.path,
      attributes.label, attributes.comment, attributes.itemDescription,
    ]
    let count = strings.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    if count > stringSize {
      throw .invalid(
        """
        The strings of an item's identity and attributes must not exceed \(stringSize) bytes of \
        UTF-8 in total; these have \(count)
        """)
    }
  }

  static func check(secretCount: Int) throws(SecretStoreError) {
    if secretCount > secretSize {
      throw .invalid("A secret must not exceed \(secretSize) bytes; this one has \(secretCount)")
    }
  }
}
