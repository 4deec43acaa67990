import Concurrency
import ValueFormats

/// An observation of a store or of one of its values.
///
/// It ends when ``cancel()`` is called or this object is released, and does not retain the store.
public final class KeyValueObservation: Sendable {
  private let lifetime: ObservationLifetime
  /// Returns the reason why changes are reported with a delay; nil if they are not.
  let findError: @Sendable () -> KeyValueStoreError?

  /// Creates an observation with a closure that ends it.
  ///
  /// Concurrent calls of ``cancel()`` may call the closure more than once.
  public convenience init(end: @escaping @Sendable () -> Void) {
    self.init(error: { nil }, end: end)
  }

  init(error: @escaping @Sendable () -> KeyValueStoreError?, end: @escaping @Sendable () -> Void) {
    findError = error
    lifetime = ObservationLifetime(end: end)
  }

  /// Ends the observation; further calls do nothing.
  ///
  /// A call of the handler that is running on another thread may still finish.
  public func cancel() { lifetime.cancel() }
}

struct KeyObservers: Sendable {
  typealias Handler = @Sendable (_ key: StoredKey, _ value: EncodedValue?) -> Void

  /// The observers of each key; nil stands for all keys.
  private(set) var byKey: [StoredKey?: Observers<Handler>] = [:]
  let queue = SerialQueue(on: .handlers)

  mutating func add(_ observer: Observer<Handler>, of key: StoredKey?) {
    byKey[key, default: Observers()].add(observer)
  }

  mutating func remove(_ observer: Observer<Handler>, of key: StoredKey?) {
    byKey[key]?.remove(observer)
    if byKey[key]?.isEmpty ?? false { byKey[key] = nil }
  }

  /// Returns the observed keys whose values may differ between two states.
  func keysToCompare(_ before: StoreState, _ after: StoreState) -> Set<StoredKey> {
    var keys = Set(byKey.keys.compactMap { $0 })
    if byKey[nil] == nil { return keys }
    keys.formUnion(before.unsaved.keys)
    keys.formUnion(after.unsaved.keys)
    // Contents before the first ones have no file.
    let (before, after) = (before.contents?.files ?? [], after.contents?.files ?? [])
    for index in 0..<max(before.count, after.count) {
      let old = before.indices.contains(index) ? before[index].parts[...] : []
      let new = after.indices.contains(index) ? after[index].parts[...] : []
      Self.addKeys(ofChanged: old, new, to: &keys)
    }
    return keys
  }

  private static func addKeys(
    ofChanged old: ArraySlice<ArraySlice<KeyValueEntry>>,
    _ new: ArraySlice<ArraySlice<KeyValueEntry>>, to keys: inout Set<StoredKey>
  ) {
    // Each key whose entry differs is in an unequal part. Parts that are shared are equal at once.
    var (old, new) = (old, new)
    while let part = old.first, part == new.first { _ = (old.popFirst(), new.popFirst()) }
    while let part = old.last, part == new.last { _ = (old.popLast(), new.popLast()) }
    if old.count == new.count {
      for (old, new) in zip(old, new) where old != new { keys.formUnion((old + new).map(\.key)) }
    } else {
      keys.formUnion((old + new).joined().map(\.key))
    }
  }

  /// Schedules the calls of the observers of a key and of all keys.
  func notify(_ key: StoredKey, _ value: EncodedValue?) {
    let observers = [key, nil].flatMap { byKey[$0]?.all ?? [] }
    if observers.isEmpty { return }
    queue.run {
      for observer in observers { observer.handler?(key, value) }
    }
  }
}
