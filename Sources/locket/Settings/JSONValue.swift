import FoundationEssentials
import KeyValueStorage
import ValueFormats

/// A setting of any type in JSON, which has neither data, dates nor nested optionals.
struct JSONValue: Equatable, Sendable {
  static let null = JSONValue(converted: .null(depth: 0))

  let tree: ValueTree

  private init(converted tree: ValueTree) {
    self.tree = tree
  }

  /// Parses JSON from the command line.
  init(argument text: String) throws {
    let parsed: ValueTree
    do throws(FormatError) {
      parsed = try JSONFormat().decode(ArraySlice(text.utf8))
    } catch {
      throw Failure(
        """
        VALUE is not valid JSON: \(error.reason). Enclose a string in quotation marks: '"text"'.
        """)
    }
    do throws(ValueCodingError) {
      self = try TreeDecoder().decode(Self.self, from: parsed)
    } catch {
      throw Failure("VALUE cannot be stored: \(error.reason).")
    }
  }

  /// Whether a number in the value is neither an integer of 128 bits nor exactly a `Double`.
  var hasLongNumber: Bool { Self.hasLongNumber(tree) }

  private static func hasLongNumber(_ tree: ValueTree) -> Bool {
    switch tree {
    case .number(.text): true
    case .array(let elements): elements.contains(where: hasLongNumber)
    case .dictionary(let members): members.values.contains(where: hasLongNumber)
    default: false
    }
  }
}

extension JSONValue: StoredScalar {
  init(_ tree: ValueTree) throws(ValueCodingError.Problem) {
    self.init(converted: try Self.converted(tree))
  }

  init(from decoder: any Decoder) throws {
    guard let value = try Self.decodeTree(of: decoder) else {
      fatalError("Unsupported decoder: \(type(of: decoder)).")
    }
    self = value
  }

  func encode(to encoder: any Encoder) throws {
    guard try encodeTree(to: encoder) else {
      fatalError("Unsupported encoder: \(type(of: encoder)).")
    }
  }

  private static func converted(_ tree: ValueTree) throws(ValueCodingError.Problem) -> ValueTree {
    switch tree {
    // A nil inside nested optionals is stored as a special text.
    case .null: return .null(depth: 0)
    case .bool, .string: return tree
    case .number(let number): return .number(try converted(number))
    case .data(let data): return .string(data.base64EncodedString())
    case .date(let date):
      return date.iso8601.map(ValueTree.string)
        ?? .number(.real(date.timeIntervalSinceReferenceDate))
    case .array(let elements):
      return .array(
        try elements.map { element throws(ValueCodingError.Problem) in try converted(element) })
    case .dictionary(let members):
      var dictionary: [StoredKey: ValueTree] = [:]
      for (key, member) in members { dictionary[key] = try converted(member) }
      return .dictionary(dictionary)
    }
  }

  /// Returns an integer or a `Double`, or else a literal with all digits.
  private static func converted(
    _ number: StoredNumber
  ) throws(ValueCodingError.Problem) -> StoredNumber {
    if let integer = number.integer(Int128.self) { return .integer(integer) }
    if let real = number.exactDouble { return .real(real) }
    guard let literal = literal(of: number),
      number.double != nil || !literal.contains(where: { ".eE".contains($0) })
    else { throw .outOfRange(type: "Double") }
    return .text(literal)
  }

  private static func literal(of number: StoredNumber) -> String? {
    do throws(ValueCodingError.Problem) {
      return try NumberLiteral(.number(number)).description
    } catch {
      // JSON cannot represent a hexadecimal number of more than 128 bits.
      return nil
    }
  }
}

extension JSONValue {
  /// The JSON on one line, with sorted keys and without control characters.
  var json: String { Self.json(tree) }

  private static func json(_ tree: ValueTree) -> String {
    switch tree {
    case .bool(let value): "\(value)"
    case .number(.integer(let value)): "\(value)"
    case .number(.text(let literal)): literal
    case .number(.real(let value)):
      value.isFinite ? "\(value)" : value.nameInJSON.quotedForJSON
    case .string(let value): value.quotedForJSON
    case .array(let elements): "[\(elements.map(json).joined(separator: ", "))]"
    case .dictionary(let members):
      "{\(members.sorted { $0.key < $1.key }.map(json).joined(separator: ", "))}"
    // Conversion leaves only null of these.
    case .null, .number(.float), .data, .date: "null"
    }
  }

  private static func json(_ member: (key: StoredKey, value: ValueTree)) -> String {
    "\(member.key.string.quotedForJSON): \(json(member.value))"
  }
}

extension Double {
  /// The name of a value that is not finite, as in the store's JSON files.
  fileprivate var nameInJSON: String { isNaN ? "NaN" : self < 0 ? "-Infinity" : "Infinity" }
}
