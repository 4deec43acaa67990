/// What it means that a password leaves out a part of its item's identity.
public enum ItemMatch: Hashable, Sendable {
  /// The part may be anything; of several items that fit, the oldest is meant.
  case any
  /// The part is absent.
  case exact
}
