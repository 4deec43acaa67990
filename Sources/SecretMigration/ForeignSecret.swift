public import SecretStorage

/// A secret of another program, with its identity and attributes for a store.
public struct ForeignSecret: Hashable, Sendable {
  /// The position in the source, such as `line 3`; it contains neither a name nor a secret.
  public let position: String
  /// The identity of the item in a store.
  public let identity: ItemIdentity
  /// The attributes of the item in a store.
  public let attributes: ItemAttributes
  /// The secret itself.
  public let secret: Secret

  /// Creates a secret that was read from another program.
  public init(
    position: String, identity: ItemIdentity, attributes: ItemAttributes = ItemAttributes(),
    secret: Secret
  ) {
    self.position = position
    self.identity = identity
    self.attributes = attributes
    self.secret = secret
  }

  /// Hashes only the identity, so that the hash value reveals nothing about the secret.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(identity)
  }
}

extension ForeignSecret: CustomReflectable {
  /// A mirror without children, so that a dump shows no names.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
