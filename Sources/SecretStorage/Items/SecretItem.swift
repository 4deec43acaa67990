public import FoundationEssentials

/// An item of a store without its secret.
public struct SecretItem: Hashable, Sendable, Identifiable {
  /// Names an item in its store, for as long as the item exists, whatever its attributes become.
  public struct ID: Hashable, Sendable {
    /// 16 random bytes.
    public let bytes: UUID

    /// Makes the name of 16 bytes.
    public init(bytes: UUID) {
      self.bytes = bytes
    }

    /// Feeds one byte in two to the hasher, which is plenty of random bytes.
    public func hash(into hasher: inout Hasher) {
      let bytes = bytes.uuid
      hasher.combine(
        UInt64(bytes.0) | UInt64(bytes.2) << 8 | UInt64(bytes.4) << 16 | UInt64(bytes.8) << 24
          | UInt64(bytes.10) << 32 | UInt64(bytes.12) << 40 | UInt64(bytes.14) << 48)
    }
  }

  /// The item's name in its store.
  public let id: ID
  /// What tells the item apart from the others of its class.
  public let identity: ItemIdentity
  /// What the app noted about the item.
  public let attributes: ItemAttributes
  /// When the item was added, by the store's clock.
  public let creationDate: Date
  /// When the item's attributes or secret were last changed, by the store's clock.
  public let modificationDate: Date
  /// Changes with each change of the item, and is what an update expects.
  public let revision: UInt64

  /// Describes an item; only stores do.
  public init(
    id: ID,
    identity: ItemIdentity,
    attributes: ItemAttributes,
    creationDate: Date,
    modificationDate: Date,
    revision: UInt64
  ) {
    self.id = id
    self.identity = identity
    self.attributes = attributes
    self.creationDate = creationDate
    self.modificationDate = modificationDate
    self.revision = revision
  }

  /// Orders items by creation date, the oldest first, and equally old ones by name.
  ///
  /// This is the order in which stores answer searches.
  public static func isOlder(_ one: SecretItem, _ other: SecretItem) -> Bool {
    one.creationDate != other.creationDate
      ? one.creationDate < other.creationDate
      : one.id.bytes.uuidString < other.id.bytes.uuidString
  }
}
