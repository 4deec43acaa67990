import StorageInternals

extension Setting {
  /// Calls a closure with the value as it is now, and after each change.
  func follow(_ observer: @escaping @Sendable (AnyKept) -> Void) -> KeyValueObservation {
    store.observe(key, fromNow: true) { [decoder] _, encoded in
      do {
        observer(try decoder.decode(encoded))
      } catch {
        // A value of another type: who reads it is told.
      }
    }
  }

  /// Calls a closure with the old and the new value after each change.
  func observe(
    _ observer: @escaping @Sendable (_ old: AnyKept, _ new: AnyKept) -> Void
  ) -> KeyValueObservation {
    let previous = Lock(AnyKept?.none)
    return store.observe(key, fromNow: true) { [decoder] _, encoded in
      do {
        let value = try decoder.decode(encoded)
        let old = previous.withLock { previous in
          defer { previous = value }
          return previous
        }
        if let old { observer(old, value) }
      } catch {
        // As in `follow`; the first change is then one of the default value.
        previous.withLock { $0 = $0 ?? decoder.defaultValue }
      }
    }
  }
}
