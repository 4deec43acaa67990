import FoundationEssentials
import KeyValueStorage

/// A setting of whatever type, as far as JSON shows it.
enum JSONValue: Codable, Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(NumberLiteral)
  case number(Double)
  case text(String)
  case list([JSONValue])
  /// The members in the order of their keys' bytes. Keys that are equal as text can be two of them, for
  /// which a `Dictionary` has no room.
  case dictionary([Member])

  struct Member: Equatable {
    let key: String
    let value: JSONValue
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = Self.attempt({ try container.decode(Bool.self) }) {
      self = .bool(value)
    } else if let value = Self.attempt({ try container.decode(String.self) }) {
      self = .text(value)
    } else if let value = Self.attempt({ try container.decode(Int128.self) }) {
      self = .integer(NumberLiteral(value))
    } else if let value = Self.attempt({ try container.decode(NumberLiteral.self) }),
      value.isInteger
    {
      self = .integer(value)
    } else if var elements = Self.attempt({ try decoder.unkeyedContainer() }) {
      var list: [JSONValue] = []
      while !elements.isAtEnd { list.append(try elements.decode(JSONValue.self)) }
      self = .list(list)
    } else if let members = Self.attempt({ try decoder.container(keyedBy: AnyKey.self) }) {
      self = .dictionary(
        try members.allKeys.map { key in
          Member(key: key.stringValue, value: try members.decode(JSONValue.self, forKey: key))
        }.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
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
    if case .dictionary(let members) = self {
      var container = encoder.container(keyedBy: AnyKey.self)
      for member in members {
        try container.encode(member.value, forKey: AnyKey(stringValue: member.key))
      }
      return
    }
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .dictionary: break
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

private struct AnyKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension NumberLiteral {
  fileprivate var isInteger: Bool { !description.contains { $0 == "." || $0 == "e" || $0 == "E" } }
}

extension Date {
  /// Text that stands for this date alone, in the years from 1583 to 9999.
  ///
  /// Before, Foundation's calendar is another than that of ISO 8601. Other dates are the number that
  /// they are in the store's JSON files.
  fileprivate var asJSONValue: JSONValue {
    let seconds = timeIntervalSinceReferenceDate
    let whole = seconds.rounded(.down)
    guard (-13_190_860_800..<252_423_993_600).contains(seconds),
      let fraction = Self.fraction(of: seconds, after: whole)
    else { return .number(seconds) }
    let text = Date(timeIntervalSinceReferenceDate: whole).formatted(Date.ISO8601FormatStyle())
    return .text("\(text.dropLast())\(fraction)Z")
  }

  /// The fraction of a second, with at least three digits and as many more as a reader needs to get the
  /// same number of seconds; nothing for a whole second, and nil for a fraction that is too small.
  private static func fraction(of seconds: Double, after whole: Double) -> String? {
    if seconds == whole { return "" }
    for count in 3...17 {
      let scale = (0..<count).reduce(1.0) { scale, _ in scale * 10 }
      let digits = String(Int64(((seconds - whole) * scale).rounded()))
      guard digits.count <= count else { continue }
      let padded = String(repeating: "0", count: count - digits.count) + digits
      if let fraction = Double("0.\(padded)"), whole + fraction == seconds { return ".\(padded)" }
    }
    let exact = "\(seconds - whole)"
    return exact.hasPrefix("0.") && whole + (seconds - whole) == seconds
      ? "\(exact.dropFirst())" : nil
  }
}
