/// The policy by which a password property reads and writes its store.
public enum RefreshPolicy: Hashable, Sendable {
  /// Each get reads, and each set writes.
  case onAccess
  /// Only `load()`, `save()` and `remove()` use the store; a get returns the last loaded or set
  /// value.
  ///
  /// A change in place of a value that was neither loaded nor set also reads the store.
  case manual
  /// A get reads again only after the store has reported a change; each set writes.
  ///
  /// A get also checks for a change if the kernel does not report those of other processes at once.
  case onChange
}
