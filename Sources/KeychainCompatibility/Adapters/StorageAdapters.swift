public import FoundationEssentials
import SecretStorage

/// A storage of bytes under keys, as 0.1 declared it.
@available(*, deprecated, message: "Use `SecretStore`, or a `GenericPassword` for each key.")
public protocol KeyValueSecureStorageAdapter {
  /// Reads the bytes of a key.
  func load(for key: String) throws -> Data
  /// Reads the bytes of all keys.
  func loadAll() throws -> [(String, Data)]
  /// Stores bytes under a key.
  func save(value: Data, for key: String) throws
  /// Removes all keys.
  func deleteAll() throws
  /// Removes a key.
  func delete(for key: String) throws
}

/// A storage of JSON values under keys, as 0.1 declared it.
@available(*, deprecated, message: "Use `SecretStore`, or a `GenericPassword` for each key.")
public protocol JSONCodedKeyValueSecureStorageAdapter: KeyValueSecureStorageAdapter {
  /// The encoder of the values.
  var jsonEncoder: JSONEncoder { get }
  /// The decoder of the values.
  var jsonDecoder: JSONDecoder { get }

  /// Reads the value of a key.
  func load<Property: Codable>(for key: String) throws -> Property
  /// Stores a value under a key.
  func save<Property: Codable>(value: Property, for key: String) throws
}

@available(*, deprecated)
extension JSONCodedKeyValueSecureStorageAdapter {
  /// Decodes the bytes of a key.
  public func load<Property: Codable>(for key: String) throws -> Property {
    try jsonDecoder.decode(Property.self, from: try load(for: key) as Data)
  }

  /// Encodes a value and stores it under a key.
  public func save<Property: Codable>(value: Property, for key: String) throws {
    try save(value: try jsonEncoder.encode(value) as Data, for: key)
  }
}
