/// The meaning of a part that a password's identity omits.
public enum ItemMatch: Hashable, Sendable {
  /// The part may have any value; of several matching items, the oldest is used.
  case any
  /// The part must be absent.
  case exact
}
