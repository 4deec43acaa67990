import FoundationEssentials

/// A setting of whatever type, as far as JSON shows it.
enum JSONValue: Codable, Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int128)
  case number(Double)
  case text(String)
  case list([JSONValue])
  case dictionary([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = Self.attempt({ try container.decode(Bool.self) }) {
      self = .bool(value)
    } else if let value = Self.attempt({ try container.decode(String.self) }) {
      self = .text(value)
    } else if let value = Self.attempt({ try container.decode(Int128.self) }) {
      self = .integer(value)
    } else if var elements = Self.attempt({ try decoder.unkeyedContainer() }) {
      var list: [JSONValue] = []
      while !elements.isAtEnd { list.append(try elements.decode(JSONValue.self)) }
      self = .list(list)
    } else if Self.attempt({ try decoder.container(keyedBy: NoKey.self) }) != nil {
      self = .dictionary(try container.decode([String: JSONValue].self))
    } else if let value = Self.attempt({ try container.decode(Double.self) }) {
      self = .number(value)
    } else if let value = Self.attempt({ try container.decode(Date.self) }) {
      self = value.asJSONValue
    } else if let value = Self.attempt({ try container.decode(Data.self) }) {
      self = .text(value.base64EncodedString())
    } else if Self.attempt({ try container.decode(Bool????.self) }) != nil {
      // A nil in an optional in an optional is told from the others by text of its own.
      self = .null
    } else {
      // It is a number that is too large, and this says so.
      self = .number(try container.decode(Double.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .dictionary(let value): try container.encode(value)
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

/// For asking whether something is a dictionary at all.
private enum NoKey: CodingKey {}

extension Date {
  /// Text with thousandths of a second if there are fractions of one, in the years from 1583 to 9999.
  ///
  /// Before, Foundation's calendar is another than that of ISO 8601. Other dates are the number that
  /// they are in the store's JSON files.
  fileprivate var asJSONValue: JSONValue {
    let seconds = timeIntervalSinceReferenceDate
    guard (-13_190_860_800..<252_423_993_600).contains(seconds) else { return .number(seconds) }
    let isWhole = seconds == seconds.rounded()
    return .text(formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: !isWhole)))
  }
}
