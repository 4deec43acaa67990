/// When a password property reads its store, and when it writes.
public enum RefreshPolicy: Hashable, Sendable {
  /// Each get reads, and each set writes.
  case onAccess
  /// Only `load()`, `save()` and `remove()` go to the store; a get gives what was loaded or set
  /// last.
  ///
  /// A change in place of a value that was neither loaded nor set reads the store, too.
  case manual
  /// The value is kept and read again only after the store told of a change; each set writes.
  case onChange
}
