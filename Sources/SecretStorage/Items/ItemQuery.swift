/// A query for items.
public enum ItemQuery: Hashable, Sendable {
  /// Every item of the store.
  case all
  /// The items that match a pattern, whose absent parts match any value.
  case matching(ItemIdentity)
  /// The item with exactly the given identity, whose absent parts must be absent.
  case exactly(ItemIdentity)

  /// Returns whether the query includes an item with a given identity.
  public func includes(_ identity: ItemIdentity) -> Bool {
    switch self {
    case .all: true
    case .matching(let pattern): identity.matches(pattern)
    case .exactly(let wanted): identity == wanted
    }
  }
}
