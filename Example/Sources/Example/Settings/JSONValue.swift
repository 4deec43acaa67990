import FoundationEssentials

/// A setting of whatever type, as JSON shows it and as a person types it.
enum JSONValue: Codable, Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
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
    } else if let value = Self.attempt({ try container.decode(Int64.self) }) {
      self = .integer(value)
    } else if let value = Self.attempt({ try container.decode(UInt64.self) }) {
      self = .unsigned(value)
    } else if let value = Self.attempt({ try container.decode(Double.self) }) {
      self = .number(value)
    } else if let value = Self.attempt({ try container.decode([JSONValue].self) }) {
      self = .list(value)
    } else if let value = Self.attempt({ try container.decode([String: JSONValue].self) }) {
      self = .dictionary(value)
    } else if let value = Self.attempt({ try container.decode(Date.self) }) {
      // Property lists have dates and data of their own.
      self = .text(value.formatted(.iso8601))
    } else {
      self = .text(try container.decode(Data.self).base64EncodedString())
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .unsigned(let value): try container.encode(value)
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

extension JSONValue {
  /// Reads what a person typed.
  init(json text: String) throws {
    do {
      self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    } catch {
      throw Failure(
        """
        The value is not JSON. Numbers, true, false, lists and objects are written as they are, \
        text in quotes: '"text"'.
        """)
    }
  }

  /// On one line, with sorted keys.
  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }
}
