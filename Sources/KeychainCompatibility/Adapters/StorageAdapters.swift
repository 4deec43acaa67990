public import FoundationEssentials

/// A store of bytes by key, as declared in 0.1.
@available(*, deprecated, message: "Use `SecretStore`, or a `GenericPassword` for each key.")
public protocol KeyValueSecureStorageAdapter {
  func load(for key: String) throws -> Data
  func loadAll() throws -> [(String, Data)]
  func save(value: Data, for key: String) throws
  func deleteAll() throws
  func delete(for key: String) throws
}

/// A store of JSON values by key, as declared in 0.1.
@available(*, deprecated, message: "Use `SecretStore`, or a `GenericPassword` for each key.")
public protocol JSONCodedKeyValueSecureStorageAdapter: KeyValueSecureStorageAdapter {
  var jsonEncoder: JSONEncoder { get }
  var jsonDecoder: JSONDecoder { get }

  func load<Property: Codable>(for key: String) throws -> Property
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
