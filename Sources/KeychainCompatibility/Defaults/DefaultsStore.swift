public import Foundation
public import KeyValueStorage

/// A setting of 1.x, kept under a key of a `KeyValueStore`.
///
/// ```swift
/// @DefaultsStore(key: "volume", defaultValue: 0.8) var volume: Double?
/// ```
///
/// Getting gives the stored value, or the default one where there is none; setting nil removes what is
/// stored. Values are stored as `StoredValue` stores them, which takes over under the same key. What
/// 1.x coded as a property list is read as well: ``DefaultsMigration`` brings it over from Foundation's
/// `UserDefaults`.
///
/// Neither throws. What fails is told to `KeyValueStore.onFailure`.
@available(
  *, deprecated,
  message:
    "Use @StoredValue(_:in:) of KeyValueStorage with the same key, after a DefaultsMigration."
)
@propertyWrapper
public final class DefaultsStore<Value: Codable & Sendable>: Sendable {
  private let defaultValue: Value?
  private let read: @Sendable () -> Value?
  private let write: @Sendable (Value?) -> Void

  /// Declares a setting; nothing is read before the first access.
  ///
  /// - Parameters:
  ///   - key: The key; any text.
  ///   - defaultValue: The value as long as none is stored.
  ///   - defaults: The store that has the key.
  ///   - encoder: With an empty `userInfo`, not used: the store's own format is then what is written.
  ///     Otherwise the value is stored as the property list that it makes.
  ///   - decoder: Reads what is stored as a property list.
  public init(
    key: String, defaultValue: Value? = nil, defaults: KeyValueStore = .standard,
    encoder: PropertyListEncoder = PropertyListEncoder(),
    decoder: PropertyListDecoder = PropertyListDecoder()
  ) {
    let stored = CodedSetting<Value>(key, in: defaults, encoder, decoder)
    self.defaultValue = defaultValue
    read = { stored.value }
    write = { stored.value = $0 }
  }

  /// Declares a setting that stays in Foundation's `UserDefaults`, as 1.x kept it.
  ///
  /// - Parameters:
  ///   - key: The key; any text.
  ///   - defaultValue: The value as long as none is stored.
  ///   - defaults: Where the setting is.
  ///   - encoder: Makes a property list of a value that is more than a number, a text or a date.
  ///   - decoder: Reads what the encoder made.
  @_disfavoredOverload
  public init(
    key: String, defaultValue: Value? = nil, defaults: UserDefaults,
    encoder: PropertyListEncoder = PropertyListEncoder(),
    decoder: PropertyListDecoder = PropertyListDecoder()
  ) {
    let stored = UserDefaultsSetting<Value>(key, in: defaults, encoder, decoder)
    self.defaultValue = defaultValue
    read = { stored.value }
    write = { stored.value = $0 }
  }

  /// The value, or the default one; see above.
  public var wrappedValue: Value? {
    get { read() ?? defaultValue }
    set { write(newValue) }
  }
}
