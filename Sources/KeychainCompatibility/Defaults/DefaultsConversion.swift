import FoundationEssentials
import KeyValueStorage
import ValueFormats

/// The conversion of one key of a ``DefaultsMigration``.
struct DefaultsConversion: Sendable {
  typealias Outcome = DefaultsMigrationReport.Outcome

  /// The origin of a key's value.
  enum Origin: Sendable {
    /// The file of `UserDefaults`; nil stands for a value that is not `Data`.
    case file(Data?)
    /// The store, where the app has already set a value.
    case store
  }

  let key: String
  /// Converts the value unless this is a dry run, and returns the outcome.
  let convert:
    @Sendable (KeyValueStore, PropertyListDecoder, Origin, _ isDryRun: Bool) throws -> Outcome

  init<Value: Codable & Sendable>(_ key: String, of type: Value.Type) {
    self.key = key
    convert = { store, decoder, origin, isDryRun in
      let value: Value?
      if case .file(let data?) = origin {
        // Like the getter of 1.x: a property list of the type, including `Data`, or the value.
        value = Self.decoded(type, from: data, decoder)
        if value == nil, type == Data.self { return .native }
      } else {
        do {
          switch try store.value(of: key, as: CodedValue<Value>.self) {
          case nil: return .absent
          case .native:
            guard case .file = origin, type == URL.self,
              let url = Self.fileURL(of: key, in: store) as? Value
            else { return .native }
            value = url
          case .coded(let data): value = Self.decoded(type, from: data, decoder)
          }
        } catch KeyValueStoreError.undecodable {
          return .refused("It is not of type \(type).")
        }
      }
      guard let value else { return .refused("It is not a property list of type \(type).") }
      if isDryRun { return .converted }
      try store.set(value, for: key)
      // Read back before the transaction replaces the encoded value.
      guard try store.value(of: key, as: type) != nil else {
        throw KeyValueStoreError.unencodable(
          key: key, type: "\(type)", reason: "it would be stored as null, which is not a value")
      }
      return .converted
    }
  }

  /// Decodes a value that 1.x encoded or `UserDefaults` archived; returns nil for other data.
  private static func decoded<Value: Decodable>(
    _ type: Value.Type, from data: Data, _ decoder: PropertyListDecoder
  ) -> Value? {
    if type == URL.self, let url = URL(archive: data) as? Value { return url }
    do {
      return try decoder.decodeCoded(type, from: data)
    } catch {
      return nil
    }
  }

  /// Returns the URL of a file path stored by `UserDefaults`; nil for any other value.
  private static func fileURL(of key: String, in store: KeyValueStore) -> URL? {
    do {
      // Read as a string, because a URL does not distinguish a path from its escaped form.
      guard let path: String = try store.value(of: key), path.hasPrefix("/") || path.hasPrefix("~")
      else { return nil }
      return URL(filePath: path)
    } catch {
      // A URL relative to another URL is not stored as a string.
      return nil
    }
  }
}
