public import FoundationEssentials

/// A store of bytes by key, as declared in 0.1.
@available(*, deprecated, message: "Use `SecretStore`, or a `GenericPassword` for each key.")
public protocol KeyValueSecureStorageAdapter {
  /// Returns the bytes stored under a key.
  func load(for key: String) throws -> Data
  /// Returns all keys with their bytes.
  func loadAll() throws -> [(String, Data)]
  /// Stores bytes under a key.
  func save(value: Data, for key: String) throws
  /// Removes all keys and their bytes.
  func deleteAll() throws
  /// Removes a key and its bytes.
  func delete(for key: String) throws
}

/// A store of JSON values by key, as declared in 0.1.
@available(*, deprecated, message: "Use `SecretStore`, or a `GenericPassword` for each key.")
public protocol JSONCodedKeyValueSecureStorageAdapter: KeyValueSecureStorageAdapter {
  /// The encoder for values.
  var jsonEncoder: JSONEncoder { get }
  /// The decoder for values.
  var jsonDecoder: JSONDecoder { get }

  /// Returns the value stored under a key.
  func load<Property: Codable>(for key: String) throws -> Property
  /// Stores a value under a key.
  func save<Property: Codable>(value: Property, for key: String) throws
}

@available(*, deprecated)
extension JSONCodedKeyValueSecureStorageAdapter {
  /// Returns the value stored under a key, decoded from its bytes.
  public func load<Property: Codable>(for key: String) throws -> Property {
    try jsonDecoder.decode(Property.self, from: try load(for: key) as Data)
  }

  /// Encodes a value and stores it under a key.
  public func save<Property: Codable>(value: Property, for key: String) throws {
    try save(value: try jsonEncoder.encode(value) as Data, for: key)
  }
}
