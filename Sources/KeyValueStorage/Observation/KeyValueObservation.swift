import Concurrency
import ValueFormats

/// An observation of a store or of one of its values.
///
/// It ends when ``cancel()`` is called or this object is released, and does not retain the store.
/// A handler retains the stores of the `withStandard` and `withDefaultStore` calls in which it was
/// added until the observation ends.
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
  private let coding: any StoredFormat

  init(coding: any StoredFormat) { self.coding = coding }

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
    // Each key whose entry differs is in an unequal part. Parts that are shared are equal at once.
    var (old, new) = (before.contents?.parts[...] ?? [], after.contents?.parts[...] ?? [])
    while let part = old.first, let other = new.first, part.hasSameValues(as: other) {
      _ = (old.popFirst(), new.popFirst())
    }
    while let part = old.last, let other = new.last, part.hasSameValues(as: other) {
      _ = (old.popLast(), new.popLast())
    }
    if old.count == new.count {
      for (old, new) in zip(old, new) where !old.hasSameValues(as: new) {
        keys.formUnion((old + new).map(\.key))
      }
    } else {
      keys.formUnion((old + new).joined().map(\.key))
    }
    return keys
  }

  /// Schedules the calls of the observers of a key and of all keys, if its value has changed.
  func notify(_ key: StoredKey, from old: EncodedValue?, to value: EncodedValue?) {
    let (ofKey, ofAll) = (byKey[key]?.all ?? [], byKey[nil]?.all ?? [])
    if ofKey.isEmpty, ofAll.isEmpty { return }
    queue.run { [coding] in
      // The property decodes and compares the values itself.
      for observer in ofKey { observer.handler?(key, value) }
      // Decoding the values here delays no reader or writer.
      if ofAll.isEmpty || Self.isSame(old, value, in: coding) { return }
      for observer in ofAll { observer.handler?(key, value) }
    }
  }

  /// Returns whether two values are the same; large ones, whose trees would take far more memory,
  /// only if their bytes are.
  static func isSame(
    _ first: EncodedValue?, _ second: EncodedValue?, in coding: any StoredFormat
  ) -> Bool {
    if first == second { return true }
    let size = max(first?.count ?? 0, second?.count ?? 0)
    return size <= comparedSize && coding.isSame(first, second)
  }

  /// The size of the largest values that are decoded to compare them, in bytes.
  static var comparedSize: Int { 1 << 20 }
}

extension ArraySlice<KeyValueEntry> {
  /// Whether the keys and values are the same; parts that are shared are compared at once.
  fileprivate func hasSameValues(as other: Self) -> Bool {
    self == other || elementsEqual(other) { $0.key == $1.key && $0.value == $1.value }
  }
}
