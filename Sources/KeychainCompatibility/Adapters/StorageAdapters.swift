public import FoundationEssentials

/// A store of bytes by key, as declared in 0.1.
@available(*, deprecated, message: "Use `SecretStore`, or a `GenericPassword` for each key.")
public protocol KeyValueSecureStorageAdapter {
  /// Returns the bytes stored under a key; throws ``KeychainError/itemNotFound`` if there are none.
  func load(for key: String) throws -> Data
  /// Returns all keys with their bytes.
  func loadAll() throws -> [(String, Data)]
  /// Stores bytes under a key, replacing existing ones.
  func save(value: Data, for key: String) throws
  /// Removes the bytes of all keys.
  func deleteAll() throws
  /// Removes the bytes of a key, if there are any.
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
  /// Stores a value under a key, replacing an existing one.
  func save<Property: Codable>(value: Property, for key: String) throws
}

@available(*, deprecated)
extension JSONCodedKeyValueSecureStorageAdapter {
  /// Returns the value stored under a key, decoded from its bytes.
  public func load<Property: Codable>(for key: String) throws -> Property {
    try jsonDecoder.decode(Property.self, from: try load(for: key) as Data)
  }

  /// Encodes a value and stores it under a key, replacing an existing one.
  ///
  /// - Throws: An `EncodingError` if JSON cannot represent the value, or the error of the adapter.
  public func save<Property: Codable>(value: Property, for key: String) throws {
    try save(value: try jsonEncoder.encode(value) as Data, for: key)
  }
}
