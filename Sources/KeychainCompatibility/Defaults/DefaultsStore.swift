import Concurrency
public import Foundation
public import KeyValueStorage

/// A setting of 1.x, stored under a key of a `KeyValueStore`.
///
/// ```swift
/// @DefaultsStore(key: "volume", defaultValue: 0.8) var volume: Double?
/// ```
///
/// Setting nil removes the stored value. Errors go to `KeyValueStore.onFailure`. Values have the
/// format of `StoredValue`, which can replace this wrapper for the same key. Property lists of 1.x
/// can be read, too; ``DefaultsMigration`` imports them from Foundation's `UserDefaults`.
@available(*, deprecated, message: "Use @StoredValue with the same key, after a DefaultsMigration.")
@propertyWrapper
public final class DefaultsStore<Value: Codable & Sendable>: Sendable {
  private let defaultValue: Value?
  private let read: @Sendable () throws(KeyValueStoreError) -> Value?
  private let write: @Sendable (Value?) throws(KeyValueStoreError) -> Void
  private let reading = ReportedAccess()
  private let writing = ReportedAccess()

  /// Creates a setting; nothing is read before the first access.
  ///
  /// The encoder is used only if its `userInfo` is not empty, or for `Data` that looks like a
  /// property list of 1.x.
  public init(
    key: String, defaultValue: Value? = nil, defaults: KeyValueStore = .standard,
    encoder: PropertyListEncoder = PropertyListEncoder(),
    decoder: PropertyListDecoder = PropertyListDecoder()
  ) {
    let setting = CodedSetting<Value>(
      stored: StoredValue(key, in: defaults), encoder: encoder, decoder: decoder)
    self.defaultValue = defaultValue
    read = setting.read
    write = setting.write
  }

  /// Creates a setting that remains in Foundation's `UserDefaults`, as in 1.x.
  @_disfavoredOverload
  public init(
    key: String, defaultValue: Value? = nil, defaults: UserDefaults,
    encoder: PropertyListEncoder = PropertyListEncoder(),
    decoder: PropertyListDecoder = PropertyListDecoder()
  ) {
    let setting = UserDefaultsSetting<Value>(
      key: key, defaults: defaults, encoder: encoder, decoder: decoder)
    self.defaultValue = defaultValue
    read = setting.read
    write = setting.write
  }

  /// Creates a setting without a key, as in 0.1.
  ///
  /// The key is the name of the enclosing type or function, so two such properties of one type
  /// share their value.
  @available(*, deprecated, message: "Specify a key: properties of one type share this one.")
  public convenience init(
    defaultValue: Value? = nil, defaults: KeyValueStore = .standard,
    encoder: PropertyListEncoder = PropertyListEncoder(),
    decoder: PropertyListDecoder = PropertyListDecoder(), function: String = #function
  ) {
    self.init(
      key: function, defaultValue: defaultValue, defaults: defaults, encoder: encoder,
      decoder: decoder)
  }

  /// The value, or the default one; see ``DefaultsStore``.
  public var wrappedValue: Value? {
    get { Fork.isChild ? defaultValue : reading.result(read) ?? defaultValue }
    set {
      if Fork.isChild { return Fork.report() }
      writing.result { () throws(KeyValueStoreError) in try write(newValue) }
    }
  }
}

/// A setting in Foundation's `UserDefaults`, with the format of 1.x.
private struct UserDefaultsSetting<Value: Codable & Sendable>: Sendable {
  let key: String
  // `UserDefaults` is documented as thread-safe, but not declared `Sendable` on Linux.
  nonisolated(unsafe) let defaults: UserDefaults
  let encoder: PropertyListEncoder
  let decoder: PropertyListDecoder

  func read() throws(KeyValueStoreError) -> Value? {
    guard let object = unsafe defaults.object(forKey: key) else { return nil }
    // Data that is not a property list of 1.x may be the value itself.
    if let data = object as? Data, let value = try? decoder.decodeCoded(Value.self, from: data) {
      return value
    }
    do {
      // The object is in an array, because the top level of a property list must be a container.
      let list = try PropertyListSerialization.data(
        fromPropertyList: [object], format: .binary, options: 0)
      return try decoder.decode([Value].self, from: list).first
    } catch {
      throw .undecodable(
        UndecodableValue(key: key, type: "\(Value.self)", reason: "the value has another type"))
    }
  }

  func write(_ value: Value?) throws(KeyValueStoreError) {
    guard let value else { return unsafe defaults.removeObject(forKey: key) }
    if let data = try? encoder.encode(value) { return unsafe defaults.set(data, forKey: key) }
    // The value is a number, a string or a date, which `UserDefaults` stores directly.
    do {
      // No format is requested, so nothing is written through the pointer.
      let list = unsafe try PropertyListSerialization.propertyList(
        from: encoder.encode([value]), format: nil)
      unsafe defaults.set((list as? [Any])?.first, forKey: key)
    } catch {
      throw .unencodable(
        key: key, type: "\(Value.self)", reason: "property lists cannot represent it")
    }
  }
}
