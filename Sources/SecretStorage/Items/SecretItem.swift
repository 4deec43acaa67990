public import FoundationEssentials

/// An item of a store without its secret.
public struct SecretItem: Hashable, Sendable, Identifiable {
  /// The identifier of an item in its store, which stays the same when the attributes change.
  public struct ID: Hashable, Sendable {
    /// 16 random bytes.
    public let uuid: UUID

    /// Makes an identifier from 16 bytes.
    public init(uuid: UUID) {
      self.uuid = uuid
    }

    /// Feeds 7 of the random bytes to the hasher, which are enough.
    public func hash(into hasher: inout Hasher) {
      let bytes = uuid.uuid
      hasher.combine(
        UInt64(bytes.0) | UInt64(bytes.2) << 8 | UInt64(bytes.4) << 16 | UInt64(bytes.8) << 24
          | UInt64(bytes.10) << 32 | UInt64(bytes.12) << 40 | UInt64(bytes.14) << 48)
    }
  }

  /// The item's identifier in its store.
  public let id: ID
  /// The parts that identify the item within its class.
  public let identity: ItemIdentity
  /// The attributes that the app set.
  public let attributes: ItemAttributes
  /// When the item was added, by the store's clock.
  public let creationDate: Date
  /// When the item's attributes or secret were last changed, by the store's clock.
  public let modificationDate: Date
  /// The revision, which differs after each change of the item; an update expects it.
  public let revision: UInt64

  /// Makes an item; only stores do.
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

  /// Orders items by creation date, the oldest first, and then by identifier.
  ///
  /// Stores return search results in this order.
  public static func isOlder(_ one: SecretItem, _ other: SecretItem) -> Bool {
    one.creationDate != other.creationDate
      ? one.creationDate < other.creationDate
      : one.id.uuid.uuidString < other.id.uuid.uuidString
  }
}

extension SecretItem.ID {
  /// Returns a new random identifier, in the form of a UUID of version 4.
  ///
  /// `UUID()` is unsuitable: it silently repeats itself if `/dev/urandom` cannot be opened.
  static func random() throws(SecretStoreError) -> SecretItem.ID {
    var bytes = try [UInt8].random(16)
    // The version's bits keep an identifier from being all zeros or all ones, which are reserved.
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return SecretItem.ID(bytes[...])
  }

  /// Returns a new identifier that no item has.
  ///
  /// - Throws: ``SecretStoreError/unavailable(_:)`` when the source repeats itself.
  static func unused(
    from source: () throws(SecretStoreError) -> SecretItem.ID = random,
    isTaken: (SecretItem.ID) -> Bool
  ) throws(SecretStoreError) -> SecretItem.ID {
    // With 122 random bits, a collision practically never happens.
    for _ in 0..<8 {
      let id = try source()
      if !isTaken(id) { return id }
    }
    throw .unavailable(
      """
      The item was not added: this machine's generator of random numbers repeats itself, and each name \
      that it gave is that of another item.
      """)
  }

  /// Makes an identifier from 16 bytes.
  init(_ bytes: ArraySlice<UInt8>) {
    precondition(bytes.count == 16, "A name has 16 bytes, not \(bytes.count).")
    // Exactly the size of a UUID is read.
    self = unsafe bytes.withUnsafeBytes {
      SecretItem.ID(uuid: UUID(uuid: unsafe $0.loadUnaligned(as: uuid_t.self)))
    }
  }
}
