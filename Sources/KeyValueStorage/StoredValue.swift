import Concurrency

/// A setting: a property whose value is kept under a key of a ``KeyValueStore``.
///
/// ```swift
/// struct Player {
///   @StoredValue("volume", in: .standard) var volume = 0.8
///   @StoredValue("nickname", in: .standard) var nickname: String?
/// }
/// ```
///
/// Getting gives the stored value, or the default one where there is none. Setting writes it as the
/// store's ``WritePolicy`` says; setting nil removes the key (with a default value that is not nil,
/// it stores the nil). A change in place, such as `volume += 0.1`, excludes all other sets of the
/// store in this process; for other processes, make it in a ``KeyValueStore/transaction(_:)``.
///
/// Neither throws. When the store cannot be read, a get gives the value that was read last, or the
/// default one, and each later get tries again; what a set cannot write is kept, and written with
/// the next set. A change in place of a stored value that cannot be read or decoded is refused, and
/// nothing of it is kept: it would put a value over one that it does not know. ``error`` tells, and
/// ``KeyValueStore/onFailure`` is called. ``load()`` and ``save(_:)`` throw instead.
///
/// The projected value, `$volume`, is the wrapper itself. Where Swift allows no wrapper, as in
/// `Sendable` classes, a constant does the same:
///
/// ```swift
/// final class Player: Sendable {
///   let volume = StoredValue(wrappedValue: 0.8, "volume")
///
///   func mute() { volume.wrappedValue = 0 }
/// }
/// ```
///
/// Copies of the wrapper are the same setting, as are other wrappers with the same key and store.
@propertyWrapper
public struct StoredValue<Value: Codable & Sendable>: Sendable {
  let setting: Setting

  /// Declares a setting with a default value; nothing is read before the first access.
  ///
  /// - Parameters:
  ///   - wrappedValue: The value as long as none is stored.
  ///   - key: The key; any text.
  ///   - store: The store that has the key.
  public init(wrappedValue: Value, _ key: String, in store: KeyValueStore = .standard) {
    setting = Setting(key, defaultValue: wrappedValue, in: store)
  }

  /// Declares a setting that may be absent, which is nil.
  ///
  /// - Parameters:
  ///   - key: The key; any text.
  ///   - store: The store that has the key.
  public init(_ key: String, in store: KeyValueStore = .standard)
  where Value: ExpressibleByNilLiteral {
    setting = Setting(key, defaultValue: nil as Value, in: store)
  }

  /// The value, see above.
  public var wrappedValue: Value {
    get { Self.value(setting.value) }
    nonmutating set { setting.set(newValue) }
    nonmutating _modify {
      let change = setting.beginChange()
      var value = Self.value(change.value)
      // Also when the change throws: it may have been made in part.
      defer { setting.endChange(change, value) }
      yield &value
    }
  }

  /// The wrapper itself, which has the other ways to reach the setting.
  public var projectedValue: StoredValue { self }

  fileprivate static func value(_ kept: AnyKept) -> Value {
    // All that is kept for this setting was made by its initializer or its setters, as this type.
    unsafe unsafeDowncast(kept, to: Kept<Value>.self).value
  }
}

extension StoredValue {
  /// The key.
  public var key: String { setting.key.string }

  /// The store that has the key.
  public var store: KeyValueStore { setting.store }

  /// Whether a value is stored, be it one of another type.
  public var isSet: Bool { setting.isSet }

  /// Why the value is not the newest, not the stored one, or not on disk; nil if all is well.
  public var error: KeyValueStoreError? { setting.error }

  /// Removes the stored value, so that the default one holds again; as a set, it does not throw.
  public func reset() {
    setting.reset()
  }

  /// Looks at the store itself, and gives the newest value, or the default one where there is none.
  ///
  /// - Throws: Why the newest value is not known, or
  ///   ``KeyValueStoreError/undecodable(key:type:reason:)`` when it is of another type.
  public func load() throws(KeyValueStoreError) -> Value {
    Self.value(try setting.load())
  }

  /// Stores a value; it is on disk when this returns, whatever the store's ``WritePolicy`` is.
  ///
  /// In a ``KeyValueStore/transaction(_:)``, it is a part of that, and on disk at its end.
  ///
  /// - Throws: Why the value cannot be encoded or written; nothing is changed then.
  public func save(_ value: Value) throws(KeyValueStoreError) {
    try setting.save(value)
  }

  /// Calls a closure with the old and the new value after each change, until the result is
  /// released.
  ///
  /// This wrapper, another one, another process, or an editor may have made the change. The closure
  /// runs on a thread of the store, in the order of the changes, and may use the store. A stored
  /// value of another type is no change, but an ``error``. In a forked child the closure is never
  /// called.
  public func observe(
    _ observer: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
  ) -> KeyValueObservation {
    setting.observe { observer(Self.value($0), Self.value($1)) }
  }

  /// The value as it is now, and after each change from now on.
  ///
  /// Each use makes a sequence for one consumer. A slow consumer misses changes, but never the
  /// newest one. The sequence ends when the task of the consumer is cancelled; in a forked child,
  /// after the value as it is now.
  public var values: AsyncStream<Value> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      if Fork.isChild {
        continuation.yield(wrappedValue)
        return continuation.finish()
      }
      let observation = setting.follow { continuation.yield(Self.value($0)) }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }
}
