import ValueFormats

extension StoredFormat {
  func bytes<Value: Encodable>(
    of value: Value, key: String
  ) throws(KeyValueStoreError) -> [UInt8] {
    try bytes(of: try tree(of: value, key: key), type: Value.self, key: key)
  }

  func bytes(
    of tree: ValueTree, type: Any.Type, key: String
  ) throws(KeyValueStoreError) -> [UInt8] {
    do {
      return try encode(tree)
    } catch {
      throw .unencodable(key: key, type: "\(type)", reason: error.reason)
    }
  }

  func tree<Value: Encodable>(
    of value: Value, key: String
  ) throws(KeyValueStoreError) -> ValueTree {
    do {
      return try TreeEncoder().encode(value)
    } catch {
      throw .unencodable(key: key, type: "\(Value.self)", reason: error.reason)
    }
  }

  func tree(
    _ value: EncodedValue, type: Any.Type, key: String
  ) throws(KeyValueStoreError) -> ValueTree {
    do {
      return try decode(value)
    } catch {
      throw .undecodable(key: key, type: "\(type)", reason: error.reason)
    }
  }

  func value<Value: Decodable>(
    _ type: Value.Type, from value: EncodedValue, key: String
  ) throws(KeyValueStoreError) -> Value {
    let tree = try tree(value, type: type, key: key)
    do {
      return try TreeDecoder().decode(type, from: tree)
    } catch {
      throw .undecodable(key: key, type: "\(type)", reason: error.reason)
    }
  }
}
