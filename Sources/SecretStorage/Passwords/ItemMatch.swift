/// The meaning of a part that the identity of a password omits.
public enum ItemMatch: Hashable, Sendable {
  /// The part may have any value. If several items match, the oldest one is used.
  case any
  /// The part must be absent.
  case exact
}
