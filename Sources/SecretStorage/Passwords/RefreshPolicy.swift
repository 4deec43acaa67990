/// The policy for when a password property reads and writes its store.
public enum RefreshPolicy: Hashable, Sendable {
  /// Each get reads the store, or finds it unchanged since the last get; each set writes it.
  case onAccess
  /// Only `load()`, `save()` and `remove()` use the store.
  ///
  /// A get returns the value last loaded or set; without one, an in-place change reads the store.
  case manual
  /// A get reads the store if a change was reported since the last read; each set writes it.
  ///
  /// If the kernel cannot report changes by other processes promptly, each get checks for changes.
  case onChange
}
