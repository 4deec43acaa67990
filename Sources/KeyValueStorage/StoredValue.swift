import Concurrency
import ValueFormats

/// A setting: a property whose value is kept under a key of a ``KeyValueStore``.
///
/// ```swift
/// struct Player {
///   @StoredValue("volume", in: .standard) var volume = 0.8
///   @StoredValue("nickname", in: .standard) var nickname: String?
/// }
/// ```
///
/// A get returns the stored value, or the default one if there is none. A set writes as the store's
/// ``WritePolicy`` says; setting nil removes the key (with a default value that is not nil, it
/// stores the nil). A change in place, such as `volume += 0.1`, excludes all other sets of the
/// store in this process; for other processes, make it in a ``KeyValueStore/transaction(_:)``.
///
/// None of them throws. If the store cannot be read, a get returns the value read last, or the
/// default one, and each later get retries. A value that a set cannot write is kept, and written
/// with the next set. A change in place is discarded if the stored value cannot be read or decoded,
/// because it would overwrite an unknown value. A failure sets ``error`` and calls
/// ``KeyValueStore/onFailure``. ``load()`` and ``save(_:)`` throw instead.
///
/// The projected value, `$volume`, is the wrapper itself. Where Swift does not allow a wrapper, as
/// in `Sendable` classes, use a constant:
///
/// ```swift
/// final class Player: Sendable {
///   let volume = StoredValue(wrappedValue: 0.8, "volume")
///
///   func mute() { volume.wrappedValue = 0 }
/// }
/// ```
///
/// Copies of a wrapper, and wrappers with the same key and store, are the same setting.
@propertyWrapper
public struct StoredValue<Value: Codable & Sendable>: Sendable {
  let setting: Setting

  /// Declares a setting with a default value; nothing is read before the first access.
  ///
  /// - Parameters:
  ///   - wrappedValue: The default value, used while no value is stored.
  ///   - key: The key; any text.
  ///   - store: The store of the key.
  public init(wrappedValue: Value, _ key: String, in store: KeyValueStore = .standard) {
    setting = Setting(key, defaultValue: wrappedValue, in: store)
  }

  /// Declares an optional setting, which is nil if no value is stored.
  ///
  /// - Parameters:
  ///   - key: The key; any text.
  ///   - store: The store of the key.
  public init(_ key: String, in store: KeyValueStore = .standard)
  where Value: ExpressibleByNilLiteral {
    setting = Setting(key, defaultValue: nil as Value, in: store)
  }

  /// The value; see ``StoredValue``.
  public var wrappedValue: Value {
    get { Self.value(setting.value) }
    nonmutating set { setting.set(newValue) }
    nonmutating _modify {
      let change = setting.beginChange()
      var value = Self.value(change.value)
      // Also if the change throws, because it may have been made in part.
      defer { setting.endChange(change, value) }
      yield &value
    }
  }

  /// The wrapper itself, with the other members of the setting.
  public var projectedValue: StoredValue { self }

  fileprivate static func value(_ kept: AnyKept) -> Value {
    // Each value of this setting was made by its initializer or its setters, as this type.
    unsafe unsafeDowncast(kept, to: Box<Value>.self).value
  }
}

extension StoredValue {
  /// The key.
  public var key: String { setting.key.string }

  /// The store of the key.
  public var store: KeyValueStore { setting.store }

  /// Whether a value is stored, of this type or another one.
  public var isSet: Bool { setting.isSet }

  /// The reason why the value is stale, not the stored one, or not on disk; nil if there is none.
  public var error: KeyValueStoreError? { setting.error }

  /// Removes the stored value and so restores the default one; like a set, it does not throw.
  public func reset() {
    setting.reset()
  }

  /// Reads the newest value from the store, or returns the default one if there is none.
  ///
  /// - Throws: The ``KeyValueStoreError`` because of which the newest value is unknown, or
  ///   ``KeyValueStoreError/undecodable(key:type:reason:)`` if it is of another type.
  public func load() throws -> Value {
    Self.value(try setting.load())
  }

  /// Stores a value; it is on disk when this returns, regardless of the store's ``WritePolicy``.
  ///
  /// In a ``KeyValueStore/transaction(_:)``, the value is a part of it, and on disk at its end.
  ///
  /// - Throws: ``KeyValueStoreError``, if the value cannot be encoded or written; nothing changes
  ///   then.
  public func save(_ value: Value) throws {
    try setting.save(value)
  }

  /// Calls a closure with the old and the new value after each change, until the result is
  /// released.
  ///
  /// The change may come from this wrapper, another one, another process, or an editor. The closure
  /// runs on a thread of the store, in the order of the changes, and may use the store. A stored
  /// value of another type sets ``error`` instead. In a forked child the closure is never called.
  public func observe(
    _ observer: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
  ) -> KeyValueObservation {
    setting.observe { old, new in
      if let old { observer(Self.value(old), Self.value(new)) }
    }
  }

  /// The current value, and the new value after each later change.
  ///
  /// Each use creates a sequence for one consumer. A slow consumer misses changes, but never the
  /// newest one. The sequence ends when the consumer's task is cancelled; in a forked child, after
  /// the current value.
  public var values: AsyncStream<Value> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      if Fork.isChild {
        continuation.yield(wrappedValue)
        return continuation.finish()
      }
      let observation = setting.observe { continuation.yield(Self.value($1)) }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }
}

/// An optional of any type.
protocol OptionalValue {
  var isNil: Bool { get }
}

extension Optional: OptionalValue {
  var isNil: Bool { self == nil }
}
