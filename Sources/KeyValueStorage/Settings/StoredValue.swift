import Concurrency
import ValueFormats

/// A property whose value is stored under a key of a ``KeyValueStore``.
///
/// ```swift
/// struct Player {
///   @StoredValue("volume", in: .standard) var volume = 0.8
///   @StoredValue("nickname", in: .standard) var nickname: String?
/// }
/// ```
///
/// The getter returns the stored value, or the default value if none is stored. A structure takes
/// members that the file lacks from the default value: <doc:HowValuesAreStored>. The setter writes
/// according to the store's ``WritePolicy``. Setting nil removes the key, or stores nil if the
/// default value is not nil. During an in-place change, such as `volume += 0.1`, no other thread of
/// this process can set a property of the store. To exclude other processes too, use a
/// `transaction(_:)`.
///
/// None of these operations throws. If the store cannot be read or the stored value has another
/// type, the getter returns the last valid value of this process, or the default value if there was
/// none. If the setter cannot write a value, the store retains the value and retries with the next
/// write. If the stored value cannot be read or decoded, an in-place change is discarded, because
/// it would overwrite an unknown value. Each failure sets ``error`` and calls
/// ``KeyValueStore/onFailure``, which reports a mistake in the file as soon as the store reads it,
/// while the property exists. The methods `load()` and `save(_:)` throw instead.
///
/// The projected value, `$volume`, is the wrapper itself. Where Swift does not allow a property
/// wrapper, as in `Sendable` classes, use a constant:
///
/// ```swift
/// final class Player: Sendable {
///   let volume = StoredValue(wrappedValue: 0.8, "volume")
///
///   func mute() { volume.wrappedValue = 0 }
/// }
/// ```
///
/// Copies of a wrapper share its value, as do wrappers with the same key and store.
@propertyWrapper
public struct StoredValue<Value: Codable & Sendable>: Sendable {
  private let reference: any SettingReference

  /// Creates a property with a default value; the store is not read before the first access.
  ///
  /// - Parameters:
  ///   - wrappedValue: The default value, used while no value is stored.
  ///   - key: The key, which may be any string.
  ///   - store: The store of the key. With ``KeyValueStore/standard``, each access uses the store
  ///     that is then the standard one.
  public init(wrappedValue: Value, _ key: String, in store: KeyValueStore = .standard) {
    reference = Self.reference(key, wrappedValue, in: store)
  }

  /// Creates an optional property, which is nil while no value is stored.
  ///
  /// - Parameters:
  ///   - key: The key, which may be any string.
  ///   - store: The store of the key. With ``KeyValueStore/standard``, each access uses the store
  ///     that is then the standard one.
  public init(_ key: String, in store: KeyValueStore = .standard)
  where Value: ExpressibleByNilLiteral {
    reference = Self.reference(key, nil, in: store)
  }

  /// The value; see ``StoredValue``.
  public var wrappedValue: Value {
    get { Self.value(reference.value) }
    nonmutating set { setting.set(newValue) }
    nonmutating _modify {
      let setting = setting
      let change = setting.beginChange()
      var value = Self.value(change.value)
      // A change that throws may be partial, and is stored as well.
      defer { setting.endChange(change, value) }
      yield &value
    }
  }

  /// The setting in the store of this access.
  var setting: Setting { reference.current }

  /// The wrapper itself, which provides the other operations.
  public var projectedValue: StoredValue { self }

  private static func reference(
    _ key: String, _ defaultValue: Value, in store: KeyValueStore
  ) -> any SettingReference {
    store.isStandard
      ? StandardSetting(key, defaultValue: defaultValue)
      : Setting(key, defaultValue: defaultValue, in: store)
  }

  static func value(_ box: AnyBox) -> Value {
    // Only this type's initializers and setters create the boxes of the setting.
    unsafe unsafeDowncast(box, to: Box<Value>.self).value
  }
}

extension StoredValue {
  /// The key.
  public var key: String { reference.name }

  /// The store of the key; at present, if it is ``KeyValueStore/standard``.
  public var store: KeyValueStore { (reference as? Setting)?.store ?? .standard }

  /// Whether a value is stored, of this type or another.
  public var isSet: Bool { setting.isSet }

  /// The reason why the value may be stale or differ from the stored one, or is not yet on disk.
  ///
  /// Nil if the value is up to date and stored.
  public var error: KeyValueStoreError? { setting.error }

  /// Removes the stored value, which restores the default value; like the setter, does not throw.
  public func reset() { setting.reset() }

  /// Reads and returns the newest value; returns the default value if none is stored.
  ///
  /// - Throws: ``KeyValueStoreError``, if the store cannot be read, or
  ///   ``KeyValueStoreError/undecodable(_:)``, if the value has another type.
  public func load() throws -> Value { Self.value(try setting.load()) }

  /// Stores a value, and returns when it is on disk, regardless of the store's ``WritePolicy``.
  ///
  /// Within a `transaction(_:)`, the value is written when the transaction ends.
  ///
  /// - Precondition: The calling thread is not in an in-place change of a property of the store,
  ///   except within a transaction.
  /// - Throws: ``KeyValueStoreError``, if the value cannot be encoded or written. In that case,
  ///   nothing changes, except perhaps after ``KeyValueStoreError/uncertain(_:)``.
  public func save(_ value: Value) throws { try setting.save(value) }

  /// Calls a closure with the old and the new value after each change, until the result is
  /// released.
  ///
  /// The change may come from this wrapper, another wrapper, another process, or an editor. The
  /// closure runs on a thread of the store, in the order of the changes, and may use the store. If
  /// the new value has another type, ``error`` is set instead. Another notation of the same value,
  /// such as `1.0` for `1`, is no change. In a forked child, the closure is never called.
  public func observe(
    _ observer: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
  ) -> KeyValueObservation {
    setting.observe { old, new in
      if let old { observer(Self.value(old), Self.value(new)) }
    }
  }

  /// A sequence of the current value and the new value after each later change.
  ///
  /// Each access creates a sequence for one consumer. A slow consumer misses changes, but never the
  /// newest one. The sequence ends when the consumer's task is cancelled. In a forked child, it
  /// ends after the current value.
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
