/// The policy that determines when a ``KeyValueStore`` writes its properties.
public enum WritePolicy: Hashable, Sendable {
  /// A property's setter returns when the value is on disk.
  case durable
  /// A property's setter returns immediately, and the value is written after a delay.
  ///
  /// All changes within the delay are written together. They are written earlier by
  /// ``KeyValueStore/synchronize()``, by each transaction, by each method that stores a value, when
  /// the store is released, and when the process exits normally. A process that is killed loses its
  /// unsaved changes, even if the cause is an unhandled SIGTERM.
  case coalesced(within: Duration)
}
