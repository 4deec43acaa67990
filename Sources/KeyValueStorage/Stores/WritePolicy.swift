/// When a ``KeyValueStore`` writes what was set.
public enum WritePolicy: Hashable, Sendable {
  /// A property's setter returns when the value is on disk.
  case durable
  /// A property's setter returns at once, and the value is written when this time has passed.
  ///
  /// All that was set meanwhile is written at once. It is written before its time by
  /// ``KeyValueStore/synchronize()``, by each transaction and throwing save, when the store is
  /// released, and when the process exits normally. A process that is killed, by a SIGTERM that it
  /// does not handle as well, loses what was not yet written.
  case coalesced(within: Duration)
}
