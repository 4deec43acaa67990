import FoundationEssentials
import KeyValueStorage

/// What is done with one key of a ``DefaultsMigration``.
struct DefaultsConversion: Sendable {
  typealias Outcome = DefaultsMigrationReport.Outcome

  let key: String
  private let convert:
    @Sendable (KeyValueStore, PropertyListDecoder, Origin, Bool) throws(KeyValueStoreError)
      -> Outcome

  /// Where the value of a key is from.
  enum Origin: Sendable {
    /// The file of `UserDefaults`, which has `Data` there, or any other value.
    case file(Data?)
    /// The app, which set the value since.
    case store
  }

  init<Value: Codable & Sendable>(_ key: String, of type: Value.Type) {
    self.key = key
    convert = { store, decoder, origin, isDryRun throws(KeyValueStoreError) in
      if case .file(let data?) = origin {
        // As the getter of 1.x did: a property list of the type, also of `Data`, or the value
        // itself.
        guard let value = Self.decoded(type, from: data, decoder) else {
          return type == Data.self
            ? .native : .refused("It is not a property list of the type \(type).")
        }
        if !isDryRun { try Self.store(value, for: key, in: store) }
        return .converted
      }
      let stored: CodedValue<Value>?
      do throws(KeyValueStoreError) {
        stored = try store.value(of: key)
      } catch {
        if case .undecodable = error { return .refused("It is not of the type \(type).") }
        throw error
      }
      let value: Value
      switch stored {
      case nil: return .absent
      case .native:
        guard case .file = origin, type == URL.self,
          let url = Self.fileURL(of: key, in: store) as? Value
        else { return .native }
        value = url
      case .coded(let data):
        guard let decoded = Self.decoded(type, from: data, decoder) else {
          return .refused("It is not a property list of the type \(type).")
        }
        value = decoded
      }
      if !isDryRun { try Self.store(value, for: key, in: store) }
      return .converted
    }
  }

  /// The value that 1.x coded as a property list, or `UserDefaults` archived; nil for other data.
  private static func decoded<Value: Decodable>(
    _ type: Value.Type, from data: Data, _ decoder: PropertyListDecoder
  ) -> Value? {
    if type == URL.self, let archived = ArchivedURL(data)?.url as? Value { return archived }
    do {
      return try decoder.decodeCoded(type, from: data)
    } catch {
      return nil
    }
  }

  /// The URL of a file of which `UserDefaults` kept the path; nil when the value is anything else.
  private static func fileURL(of key: String, in store: KeyValueStore) -> URL? {
    do throws(KeyValueStoreError) {
      // Not by way of a URL, for which a path and its escaped form are the same.
      guard let path: String = try store.value(of: key), path.hasPrefix("/") || path.hasPrefix("~")
      else { return nil }
      return URL(filePath: path)
    } catch {
      // A URL relative to another is not a text.
      return nil
    }
  }

  /// Finds out what becomes of the value, and brings that about unless it is a dry run.
  func outcome(
    in store: KeyValueStore, _ decoder: PropertyListDecoder, from origin: Origin, isDryRun: Bool
  ) throws(KeyValueStoreError) -> Outcome {
    try convert(store, decoder, origin, isDryRun)
  }

  /// Stores a value and reads it back, before the transaction puts it in the place of the other
  /// form.
  private static func store<Value: Codable & Sendable>(
    _ value: Value, for key: String, in store: KeyValueStore
  ) throws(KeyValueStoreError) {
    try store.set(value, for: key)
    guard try store.value(of: key, as: Value.self) != nil else {
      throw .unencodable(
        key: key, type: "\(Value.self)", reason: "it is stored as nothing, which is no value")
    }
  }
}
