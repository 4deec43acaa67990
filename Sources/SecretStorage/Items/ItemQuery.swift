/// A search for items.
public enum ItemQuery: Hashable, Sendable {
  /// Every item of the store.
  case all
  /// The items that match the parts of a pattern; its absent parts match anything.
  case matching(ItemIdentity)
  /// The one item with exactly this identity; an absent part must be absent.
  case exactly(ItemIdentity)

  /// Returns whether the query includes an item with an identity.
  public func includes(_ identity: ItemIdentity) -> Bool {
    switch self {
    case .all: true
    case .matching(let pattern): identity.matches(pattern)
    case .exactly(let wanted): identity == wanted
    }
  }
}
