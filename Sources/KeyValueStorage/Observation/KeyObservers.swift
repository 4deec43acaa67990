import Concurrency
import ValueFormats

/// The observers of a store.
struct KeyObservers: Sendable {
  typealias Handler = @Sendable (_ key: StoredKey, _ value: EncodedValue?) -> Void

  /// The observers of each key; those under nil observe all keys.
  private var byKey: [StoredKey?: Observers<Handler>] = [:]
  /// The thread that runs the handlers, in the order of the changes.
  let thread = SerialThread()

  var isEmpty: Bool { byKey.isEmpty }

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
    keys.formUnion(KeyValueContents.changedKeys(before.contents, after.contents))
    return keys
  }

  func notify(_ key: StoredKey, _ value: EncodedValue?) {
    let observers = [key, nil].flatMap { byKey[$0]?.all ?? [] }
    thread.run {
      for observer in observers { observer.handler?(key, value) }
    }
  }
}

/// An observation of a store or of one of its values.
///
/// The observation ends when ``cancel()`` is called or this object is released. It does not retain
/// the store.
public final class KeyValueObservation: Sendable {
  private let lifetime: ObservationLifetime
  private let findError: @Sendable () -> KeyValueStoreError?

  /// Creates an observation.
  ///
  /// - Parameter end: Ends the observation. Concurrent calls of ``cancel()`` may call it more than
  ///   once.
  public convenience init(end: @escaping @Sendable () -> Void) {
    self.init(error: { nil }, end: end)
  }

  init(error: @escaping @Sendable () -> KeyValueStoreError?, end: @escaping @Sendable () -> Void) {
    findError = error
    lifetime = ObservationLifetime(end: end)
  }

  /// The reason why the handler is called with a delay; nil if there is none.
  var error: KeyValueStoreError? { findError() }

  /// Ends the observation; further calls do nothing.
  ///
  /// A call of the observer that is running on another thread may still finish.
  public func cancel() { lifetime.cancel() }
}
