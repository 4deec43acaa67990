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
/// The setter writes according to the store's ``WritePolicy``. Setting nil removes the key, or
/// stores nil if the default value is not nil. During an in-place change, such as `volume += 0.1`,
/// no other thread of this process can set a property of the store; a
/// ``KeyValueStore/transaction(_:)`` also excludes other processes.
///
/// The property does not throw. If the store cannot be read, or the stored value does not have the
/// property's type, the getter returns the last valid value, or the default one if there was none.
/// The store decodes changed values of its properties when it reads the file, so a mistake is
/// reported even if the property is not accessed. If a value cannot be written, the store retains
/// it, and the next write tries again; a value that cannot be encoded is discarded. If the stored
/// value cannot be read or decoded, an in-place change is discarded, because it would overwrite an
/// unknown value. Each failure sets ``error`` and calls ``KeyValueStore/onFailure``.
///
/// If a stored structure lacks a member, the member is nil if it is optional, and otherwise that of
/// the default value, as in <doc:HowValuesAreStored>.
///
/// Where Swift allows no property wrapper, as in `Sendable` classes, use a constant, as in
/// <doc:ShapesThatCompile>. Copies share the value, as do wrappers with the same key, type and
/// store, and equal members of the default value. The store retains the last valid value of each
/// key and type, and of each default value of a structure, but from 1,000 of them on, it may forget
/// those without a property. For keys that are only known at run time, use
/// ``KeyValueStore/value(of:as:)``.
@propertyWrapper
public struct StoredValue<Value: Codable & Sendable>: Sendable {
  let setting: Setting

  /// Creates a property with a default value; the store is not read before the first access.
  ///
  /// The default value is encoded at once, which calls the type's `Encodable` code, because its
  /// members complete a stored structure.
  ///
  /// - Parameters:
  ///   - wrappedValue: The default value, used while no value is stored.
  ///   - key: The key: any string, except `$version` in a store with a version.
  ///   - store: The store of the key.
  public init(wrappedValue: Value, _ key: String, in store: KeyValueStore = .standard) {
    setting = Setting(key, defaultValue: wrappedValue, in: store)
  }

  /// Creates an optional property, which is nil while no value is stored.
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
      // A change that throws may be partial, and is stored as well.
      defer { setting.endChange(change, value) }
      yield &value
    }
  }

  /// The same value as ``wrappedValue``, for a wrapper that is a constant.
  public var value: Value {
    get { wrappedValue }
    nonmutating set { wrappedValue = newValue }
    nonmutating _modify { yield &wrappedValue }
  }

  /// The wrapper itself, which provides the other operations.
  public var projectedValue: StoredValue { self }

  private static func value(_ box: AnyBox) -> Value {
    // All boxes of the setting have this type, because only this type creates and sets it.
    unsafe unsafeDowncast(box, to: Box<Value>.self).value
  }

  /// The key.
  public var key: String { setting.key.string }

  /// The store of the key.
  public var store: KeyValueStore { setting.store }

  /// Whether a value is stored, of this type or another.
  public var isSet: Bool { setting.isSet }

  /// The reason why the value may be stale, not the stored one, or not yet on disk; nil if none.
  public var error: KeyValueStoreError? { setting.error }

  /// Removes the stored value, so that the default applies; like the setter, this does not throw.
  public func reset() { setting.reset() }

  /// Reads and returns the newest value; returns the default value if none is stored.
  ///
  /// - Throws: ``KeyValueStoreError``, if the store cannot be read, or
  ///   ``KeyValueStoreError/undecodable(_:)``, if the value has another type.
  public func load() throws -> Value { Self.value(try setting.load()) }

  /// Stores a value, and returns when it is on disk, regardless of the store's ``WritePolicy``.
  ///
  /// Within a ``KeyValueStore/transaction(_:)``, the value is written when the transaction ends.
  ///
  /// - Throws: ``KeyValueStoreError``, if the value cannot be encoded or written.
  public func save(_ value: Value) throws { try setting.save(value) }

  /// Calls a closure with the old and new value after each change, until the result is released.
  ///
  /// The change may come from another process or an editor. The closure runs on a thread of the
  /// library, in the order of the changes, and may use the store. If the new value has another
  /// type, ``error`` is set instead, and the last valid value stays; see ``observeErrors(_:)``.
  public func observe(
    _ observer: @escaping @Sendable (_ old: Value, _ new: Value) -> Void
  ) -> KeyValueObservation {
    setting.observe(Value.self) { old, new in
      if let old { observer(Self.value(old), Self.value(new)) }
    }
  }

  /// Calls a closure with the ``error``, if there is one, and with the new one after each change,
  /// which is nil when there is none any more, until the result is released.
  ///
  /// The closure runs on a thread of the library, in the order of the changes, and may use the
  /// store. It is called when the store sees a mistake in the file, without an access to the
  /// property.
  public func observeErrors(
    _ observer: @escaping @Sendable (_ error: KeyValueStoreError?) -> Void
  ) -> KeyValueObservation {
    setting.observeErrors(observer)
  }

  /// A sequence of the current value and the new value after each later change.
  ///
  /// Each sequence is for one consumer. A slow consumer misses changes, but never the newest value.
  /// It ends when the consumer's task is cancelled; in a forked child, after the default value.
  public var values: AsyncStream<Value> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      if Fork.isChild {
        continuation.yield(wrappedValue)
        return continuation.finish()
      }
      let observation = setting.observe(Value.self) { continuation.yield(Self.value($1)) }
      continuation.onTermination = { _ in observation.cancel() }
    }
  }
}

extension StoredValue: CustomStringConvertible, CustomReflectable {
  /// The key and the value in parentheses.
  public var description: String { "StoredValue(\(String(reflecting: key)): \(value))" }

  /// A mirror of the key and the value.
  public var customMirror: Mirror { Mirror(self, children: ["key": key, "value": value]) }
}
