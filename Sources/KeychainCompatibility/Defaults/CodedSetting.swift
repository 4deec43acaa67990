import Concurrency
import FoundationEssentials
import KeyValueStorage
import ValueFormats

/// A setting in a `KeyValueStore` whose value may be a property list encoded by 1.x.
struct CodedSetting<Value: Codable & Sendable>: Sendable {
  let stored: StoredValue<CodedValue<Value>?>
  let encoder: PropertyListEncoder
  let decoder: PropertyListDecoder

  func read() throws(KeyValueStoreError) -> Value? {
    switch stored.wrappedValue {
    case nil: return nil
    case .native(let value): return decodedData(in: value) ?? value
    case .coded(let data):
      do {
        return try decoder.decodeCoded(Value.self, from: data)
      } catch {
        throw .undecodable(
          UndecodableValue(
            key: stored.key, type: "\(Value.self)",
            reason: "neither the value nor a property list in it has this type"))
      }
    }
  }

  /// Sets the value; the store reports failures.
  func write(_ value: Value?) { stored.wrappedValue = value.map(coded) }

  private func coded(_ value: Value) -> CodedValue<Value> {
    // Only the encoding of 1.x passes the encoder's `userInfo` to the app's types, and `Data` that
    // looks like a property list of 1.x would not be restored unchanged.
    if encoder.userInfo.isEmpty, decodedData(in: value) == nil { return .native(value) }
    // A number, a string or a date cannot be encoded: 1.x stored such values directly.
    return (try? encoder.encode(value)).map(CodedValue.coded) ?? .native(value)
  }

  /// Returns the `Data` in a property list of 1.x that was stored as `Data`; nil for other values.
  private func decodedData(in value: Value) -> Value? {
    guard let data = value as? Data,
      data.starts(with: BinaryObjectTable.magic) || data.starts(with: "<?xml".utf8)
    else { return nil }
    // If this fails, the app itself has stored a property list as `Data`.
    return try? decoder.decodeCoded(Value.self, from: data)
  }
}

/// The reads or the writes of a setting, which report failures to `KeyValueStore.onFailure`.
struct ReportedAccess: Sendable {
  private let failure = Lock(ReportedError())

  /// Performs an access, and returns its result; reports an error and returns nil instead.
  @discardableResult
  func result<Result>(_ access: () throws(KeyValueStoreError) -> Result?) -> Result? {
    do throws(KeyValueStoreError) {
      let result = try access()
      failure.withLock { $0.wrappedValue = nil }
      return result
    } catch {
      failure.withLock { $0.wrappedValue = error }
      KeyValueStore.onFailure(error)
      return nil
    }
  }
}

/// The value of a setting, either as such or in a property list encoded by 1.x.
enum CodedValue<Value: Codable & Sendable>: Codable, Sendable {
  case native(Value)
  case coded(Data)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    // For a value that is not data, the error of the value itself is thrown.
    func decodeData() -> Data? { try? container.decode(Data.self) }
    // In JSON, data is a string, and any string is a valid URL.
    if Value.self == URL.self, let data = decodeData(),
      data.starts(with: BinaryObjectTable.signature)
    {
      self = .coded(data)
      return
    }
    do {
      self = .native(try container.decode(Value.self))
    } catch {
      guard let data = decodeData() else { throw error }
      self = .coded(data)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .native(let value): try container.encode(value)
    case .coded(let data): try container.encode(data)
    }
  }
}

extension PropertyListDecoder {
  /// Decodes a property list of 1.x; also throws if the list would crash Foundation's decoder.
  func decodeCoded<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
    try ForeignDocument.requireDecodable(propertyList: Array(data))
    return try decode(type, from: data)
  }
}
