import FoundationEssentials

/// A value of JSON, and then what it stands for, as it is coded in a property list.
enum AdapterTree: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// What an `Int64` cannot hold.
  case unsigned(UInt64)
  case double(Double)
  case float(Float)
  case string(String)
  case data(Data)
  case date(Date)
  case array([AdapterTree])
  case object([String: AdapterTree])
}

extension AdapterTree: Codable {
  /// Reads JSON, which has no data and no dates.
  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = Self.attempt({ try container.decode(Bool.self) }) {
      self = .bool(value)
    } else if let value = Self.attempt({ try container.decode(String.self) }) {
      self = .string(value)
    } else if let value = Self.attempt({ try container.decode(Int64.self) }) {
      self = .integer(value)
    } else if let value = Self.attempt({ try container.decode(UInt64.self) }) {
      self = .unsigned(value)
    } else if let value = Self.attempt({ try container.decode(Double.self) }) {
      self = .double(value)
    } else if Self.attempt({ try decoder.unkeyedContainer() }) != nil {
      self = .array(try container.decode([AdapterTree].self))
    } else {
      self = .object(try container.decode([String: AdapterTree].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .float(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    case .date(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }

  /// A value if it is of this type; that it is of another one is no failure.
  private static func attempt<Value>(_ decode: () throws -> Value) -> Value? {
    do {
      return try decode()
    } catch {
      return nil
    }
  }
}
