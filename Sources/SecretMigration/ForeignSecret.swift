public import SecretStorage

/// A secret of another program, with the identity and the attributes that it gets in a store.
public struct ForeignSecret: Hashable, Sendable {
  /// Where the secret stands in its source, such as `line 3`, without a name or a secret.
  public let place: String
  /// What tells the secret apart from others in a store.
  public let identity: ItemIdentity
  /// What is noted about the secret.
  public let attributes: ItemAttributes
  /// The secret itself.
  public let secret: Secret

  /// Describes a secret of a source.
  public init(
    place: String, identity: ItemIdentity, attributes: ItemAttributes = ItemAttributes(),
    secret: Secret
  ) {
    self.place = place
    self.identity = identity
    self.attributes = attributes
    self.secret = secret
  }

  /// Feeds the identity to the hasher, so that a hash tells nothing of the secret.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(identity)
  }
}

extension ForeignSecret: CustomReflectable {
  /// A mirror without children, so that a dump shows no names.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
